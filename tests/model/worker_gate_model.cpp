// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `worker_gate`: I1. A task that is forgotten is a deadlock to the checker, because other
/// tasks wait for it.

#include "model_check.hpp"

#include <regatta/core/detail/worker_gate.hpp>

using gate_type = regatta::detail::basic_worker_gate<model::model_atomics>;
using gate_without_light_fence =
    regatta::detail::basic_worker_gate<model::atomics_without_light_fence>;
using flag_type = model::atomic<unsigned>;

constexpr auto relaxed = std::memory_order_relaxed;

/// The number of a thread's worker: no two sleep on the same word.
inline unsigned number_of(unsigned index) {
    return 8 * index;
}

/// Tasks as numbers in a stack of bits; each of two workers takes one, and the task ends only once
/// the other task has begun: neither may sleep while a task waits.
///
/// With a light fence that is one they prepare their sleep, otherwise they announce it: then the
/// tasks are seq_cst.
template<class Gate>
struct crew {
    static constexpr bool announces = std::is_same_v<Gate, gate_without_light_fence>;
    static constexpr auto order = announces ? std::memory_order_seq_cst : relaxed;
    Gate gate;
    flag_type tasks{0};
    flag_type begun{0};

    bool ready() { return tasks.load(order) != 0; }
    bool take() {
        unsigned n = tasks.load(relaxed);
        while (n != 0) {
            if (tasks.compare_exchange_weak(n, n - 1, relaxed, relaxed)) {
                return true;
            }
        }
        return false;
    }
    void submit() {
        tasks.fetch_add(1, order);
        gate.notify_one();
    }
    /// Runs one task, which ends once `all` have begun.
    void work(unsigned index, unsigned all) {
        typename Gate::search mine(number_of(index));
        while (!take()) {
            gate.begin(mine);
            if (take()) {
                break;
            }
            const auto ticket = announces ? gate.announce_wait(mine) : gate.prepare_wait(mine);
            if (ready()) {
                gate.cancel_wait(mine);
            } else {
                gate.commit_wait(mine, ticket);
            }
        }
        if (gate.end(mine, [&] { return ready(); })) {
            gate.notify_one();
        }
        begun.fetch_add(1, relaxed);
        while (begun.load(relaxed) < all) {
            model::model_atomics::yield();
        }
    }
};

/// One producer, two workers.
template<class Gate>
struct one_producer : rl::test_suite<one_producer<Gate>, 3> {
    crew<Gate> c;

    void thread(unsigned index) {
        if (index == 2) {
            c.submit();
            c.submit();
        } else {
            c.work(index, 2);
        }
    }
};

/// Two producers, two workers: whoever sees another look may rely on it.
template<class Gate>
struct two_producers : rl::test_suite<two_producers<Gate>, 4> {
    crew<Gate> c;

    void thread(unsigned index) {
        if (index >= 2) {
            c.submit();
        } else {
            c.work(index, 2);
        }
    }
};

/// A producer takes back its task, for which a worker is being woken, and submits another one. It
/// may rely on that worker, which has perhaps looked already: the task is run.
template<class Gate>
struct woken_for_another : rl::test_suite<woken_for_another<Gate>, 3> {
    crew<Gate> c;
    flag_type over{0};

    bool over_or_ready() { return over.load(crew<Gate>::order) != 0 || c.ready(); }
    void work(unsigned index) {
        typename Gate::search mine(number_of(index));
        for (;;) {
            if (c.take()) {
                if (c.gate.end(mine, [&] { return c.ready(); })) {
                    c.gate.notify_one();
                }
                if (c.begun.fetch_add(1, relaxed) == 1) {
                    over.store(1, crew<Gate>::order);
                    c.gate.notify_all();
                }
                continue;
            }
            if (over.load(relaxed) != 0) {
                break;
            }
            c.gate.begin(mine);
            const auto ticket =
                crew<Gate>::announces ? c.gate.announce_wait(mine) : c.gate.prepare_wait(mine);
            if (over_or_ready()) {
                c.gate.cancel_wait(mine);
            } else {
                c.gate.commit_wait(mine, ticket);
            }
        }
        static_cast<void>(c.gate.end(mine, [] { return false; }));
    }
    void thread(unsigned index) {
        if (index != 2) {
            return work(index);
        }
        c.submit();
        if (c.take()) {
            c.begun.fetch_add(1, relaxed);
        }
        c.submit();
    }
};

/// The workers as a pool has them: a task is claimed before it is there, and a worker that sees
/// nothing claimed sleeps at once.
struct claimed_first : rl::test_suite<claimed_first, 3> {
    gate_type gate;
    flag_type claimed{0};
    flag_type there{0};
    flag_type taken{0};

    bool take() {
        unsigned n = taken.load(relaxed);
        while (n < there.load(relaxed)) {
            if (taken.compare_exchange_weak(n, n + 1, relaxed, relaxed)) {
                return true;
            }
        }
        return false;
    }
    void work(unsigned index) {
        gate_type::search mine(number_of(index));
        while (!take()) {
            gate.begin(mine);
            const auto ticket = gate.announce_wait(mine);
            bool stays = false;
            if (taken.load(relaxed) < claimed.load(std::memory_order_seq_cst)) {
                gate.settle();
                stays = taken.load(relaxed) < there.load(relaxed);
            }
            if (stays) {
                gate.cancel_wait(mine);
            } else {
                gate.commit_wait(mine, ticket);
            }
        }
        if (gate.end(mine, [&] {
                return taken.load(relaxed) < claimed.load(std::memory_order_seq_cst);
            })) {
            gate.notify_one();
        }
    }
    void thread(unsigned index) {
        if (index == 2) {
            for (int i = 0; i < 2; ++i) {
                claimed.fetch_add(1, std::memory_order_seq_cst);
                there.fetch_add(1, relaxed);
                gate.notify_one();
            }
        } else {
            work(index);
        }
    }
};

/// A worker that announces its sleep is told of what is no task, too.
struct other_changes : rl::test_suite<other_changes, 3> {
    gate_without_light_fence gate;
    flag_type tasks{0};
    flag_type leave{0};

    void work(unsigned index) {
        gate_without_light_fence::search mine(number_of(index));
        for (;;) {
            if (tasks.load(relaxed) != 0) {
                break;
            }
            gate.begin(mine);
            const auto ticket = gate.announce_wait(mine);
            if (tasks.load(std::memory_order_seq_cst) != 0) {
                gate.cancel_wait(mine);
            } else {
                gate.commit_wait(mine, ticket);
            }
        }
        static_cast<void>(gate.end(mine, [] { return false; }));
    }
    void leaver(unsigned index) {
        gate_without_light_fence::search mine(number_of(index));
        while (leave.load(relaxed) == 0) {
            const auto ticket = gate.announce_wait(mine);
            if (leave.load(relaxed) != 0) {
                gate.cancel_wait(mine);
            } else {
                gate.commit_wait(mine, ticket);
            }
        }
    }
    void thread(unsigned index) {
        switch (index) {
        case 0:
            work(index);
            // It may have used up a notification that the other did not get: tells it.
            leave.store(1, relaxed);
            gate.notify_all();
            break;
        case 1:
            leaver(index);
            break;
        default:
            tasks.fetch_add(1, std::memory_order_seq_cst);
            gate.notify([] { return false; });
        }
    }
};

/// A worker whose wait may time out looks again, or hands on what it was woken for.
struct with_deadline : rl::test_suite<with_deadline, 3> {
    crew<gate_type> c;

    void thread(unsigned index) {
        if (index == 2) {
            c.submit();
        } else if (index == 0) {
            c.work(index, 1);
        } else {
            gate_type::search mine(number_of(index));
            const auto ticket = c.gate.prepare_wait(mine);
            if (c.ready()) {
                c.gate.cancel_wait(mine);
            } else {
                c.gate.commit_wait_until(mine, ticket, std::chrono::steady_clock::time_point{});
            }
            // It does not take the task, for which it may have been woken.
            if (c.gate.end(mine, [&] { return c.ready(); })) {
                c.gate.notify_one();
            }
        }
    }
};

/// A task that every worker may take until that is switched off, and then the first one only: it is
/// taken, whenever that happens.
struct only_some : rl::test_suite<only_some, 4> {
    gate_type gate;
    flag_type task{0};
    flag_type taken{0};
    flag_type anybody{1};

    bool ready(unsigned index) {
        return taken.load(relaxed) != 0 ||
               ((index == 0 || anybody.load(relaxed) != 0) && task.load(relaxed) != 0);
    }
    void work(unsigned index) {
        gate_type::search mine(number_of(index));
        while (!ready(index)) {
            gate.begin(mine);
            if (ready(index)) {
                break;
            }
            const auto ticket = gate.prepare_wait(mine);
            if (ready(index)) {
                gate.cancel_wait(mine);
            } else {
                gate.commit_wait(mine, ticket);
            }
        }
        static_cast<void>(gate.end(mine, [] { return false; })); // There is but one task.
        if (taken.exchange(1, relaxed) == 0) {
            gate.notify_all();
        }
    }
    void thread(unsigned index) {
        switch (index) {
        case 2:
            task.store(1, relaxed);
            gate.notify([this] { return anybody.load(relaxed) != 0; });
            break;
        case 3:
            anybody.store(0, relaxed);
            gate.notify_all();
            break;
        default:
            work(index);
        }
    }
};

/// Tasks each of which one worker alone may take: that worker takes them, and a wake-up of another
/// one is not missed for it.
struct owned : rl::test_suite<owned, 3> {
    gate_without_light_fence gate;
    flag_type tasks[2];

    void before() {
        for (flag_type& t : tasks) {
            t.store(0, relaxed);
        }
    }
    void work(unsigned index, unsigned all) {
        gate_without_light_fence::search mine(index);
        for (unsigned taken = 0; taken < all;) {
            if (const unsigned now = tasks[index].load(relaxed); now != taken) {
                taken = now;
                static_cast<void>(gate.end(mine, [] { return false; }));
                continue;
            }
            gate.begin(mine);
            const auto ticket = gate.announce_wait(mine);
            if (tasks[index].load(std::memory_order_seq_cst) != taken) {
                gate.cancel_wait(mine);
            } else {
                gate.commit_wait(mine, ticket);
            }
        }
        static_cast<void>(gate.end(mine, [] { return false; }));
    }
    void submit(unsigned owner) {
        tasks[owner].fetch_add(1, std::memory_order_seq_cst);
        gate.notify([] { return gate_without_light_fence::takers::owner; }, owner);
    }
    void thread(unsigned index) {
        if (index < 2) {
            work(index, index == 0 ? 2 : 1);
        } else {
            submit(0);
            submit(1);
            submit(0);
        }
    }
};

int main() {
    return model::check(
        {model::make_scenario<one_producer<gate_type>>("one producer"),
         model::make_scenario<two_producers<gate_type>>("two producers"),
         model::make_scenario<one_producer<gate_without_light_fence>>("one producer, announced"),
         model::make_scenario<two_producers<gate_without_light_fence>>("two producers, announced"),
         model::make_scenario<woken_for_another<gate_type>>("woken for another task"),
         model::make_scenario<woken_for_another<gate_without_light_fence>>(
             "woken for another task, announced"),
         model::make_scenario<claimed_first>("a task that is claimed before it is there"),
         model::make_scenario<other_changes>("what is no task, announced"),
         model::make_scenario<with_deadline>("a wait that may time out"),
         model::make_scenario<only_some>("a task that not every worker may take"),
         model::make_scenario<owned>("tasks of one worker each")},
        {"worker_gate.hpp"},
        {{"fence settle",
          "the checker takes the light fence for a full one, which does without it"}});
}
