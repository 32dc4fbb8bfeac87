// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `worker_gate`: I1. A task that is forgotten is a deadlock to the checker, because other
/// tasks wait for it.

#include "model_check.hpp"

#include <regatta/sync/worker_gate.hpp>

using gate_type = regatta::basic_worker_gate<model::model_atomics>;
using flag_type = model::atomic<unsigned>;

constexpr auto relaxed = std::memory_order_relaxed;

/// Tasks as numbers in a stack of bits; each of two workers takes one, and the task ends only once
/// the other task has begun: neither may sleep while a task waits.
struct crew {
    gate_type gate;
    flag_type tasks{0};
    flag_type begun{0};

    bool ready() { return tasks.load(relaxed) != 0; }
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
        tasks.fetch_add(1, relaxed);
        gate.notify_one();
    }
    /// Runs one task, which ends once `all` have begun.
    void work(unsigned all) {
        gate_type::search mine;
        while (!take()) {
            gate.begin(mine);
            if (take()) {
                break;
            }
            const auto ticket = gate.prepare_wait(mine);
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
struct one_producer : rl::test_suite<one_producer, 3> {
    crew c;

    void thread(unsigned index) {
        if (index == 2) {
            c.submit();
            c.submit();
        } else {
            c.work(2);
        }
    }
};

/// Two producers, two workers: whoever sees another look may rely on it.
struct two_producers : rl::test_suite<two_producers, 4> {
    crew c;

    void thread(unsigned index) {
        if (index >= 2) {
            c.submit();
        } else {
            c.work(2);
        }
    }
};

/// A worker whose wait may time out looks again, or hands on what it was woken for.
struct with_deadline : rl::test_suite<with_deadline, 3> {
    crew c;

    void thread(unsigned index) {
        if (index == 2) {
            c.submit();
        } else if (index == 0) {
            c.work(1);
        } else {
            gate_type::search mine;
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
        gate_type::search mine;
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

int main() {
    return model::check(
        {model::make_scenario<one_producer>("one producer"),
         model::make_scenario<two_producers>("two producers"),
         model::make_scenario<with_deadline>("a wait that may time out"),
         model::make_scenario<only_some>("a task that not every worker may take")},
        {"worker_gate.hpp"},
        {{"fence notify", "the checker takes the light fence before it for a full one"}});
}
