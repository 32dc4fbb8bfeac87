// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `event_count`: I1 (a lost wake-up is a deadlock to the checker) and I2.

#include "model_check.hpp"

#include <regatta/sync/event_count.hpp>

#include <chrono>

using gate_type = regatta::basic_event_count<model::model_atomics>;
using gate_of_two_words = regatta::basic_event_count<model::model_atomics, 2>;
using flag_type = model::atomic<unsigned>;

constexpr auto relaxed = std::memory_order_relaxed;

/// The place of a thread: no two sleep on the same word if there are two.
inline unsigned place_of(unsigned index) {
    return 8 * index;
}

/// Sleeps on the gate until the flag has at least that value; the flag itself orders nothing.
template<class Gate>
void wait_for(Gate& gate, flag_type& flag, unsigned value, unsigned place = Gate::anywhere) {
    while (flag.load(relaxed) < value) {
        const auto ticket = gate.prepare_wait();
        if (flag.load(relaxed) >= value) {
            gate.cancel_wait();
            return;
        }
        gate.commit_wait(ticket, place);
    }
}

/// Called by every thread at its end; the last one checks I2: nobody is counted as a sleeper and no
/// token is left, so that a wait that may time out is not woken.
class rest_check {
public:
    template<class Gate>
    void leave(Gate& gate, unsigned threads) {
        if (ended_.fetch_add(1, std::memory_order_seq_cst) + 1 != threads) {
            return;
        }
        RL_ASSERT(!gate.has_sleepers());
        const auto ticket = gate.prepare_wait();
        RL_ASSERT(!gate.commit_wait_until(ticket, std::chrono::steady_clock::time_point{}));
        RL_ASSERT(!gate.has_sleepers());
    }

private:
    flag_type ended_{0};
};

/// One waits, one notifies once.
struct one_waiter : rl::test_suite<one_waiter, 2> {
    gate_type gate;
    rest_check rest;
    flag_type flag{0};

    void thread(unsigned index) {
        if (index == 0) {
            wait_for(gate, flag, 1);
        } else {
            flag.store(1, relaxed);
            gate.notify_one();
        }
        rest.leave(gate, 2);
    }
};

/// Two wait for different values, each change notifies all.
struct two_waiters_all : rl::test_suite<two_waiters_all, 3> {
    gate_type gate;
    rest_check rest;
    flag_type flag{0};

    void thread(unsigned index) {
        if (index < 2) {
            wait_for(gate, flag, index + 1);
        } else {
            flag.store(1, relaxed);
            gate.notify_all();
            flag.store(2, relaxed);
            gate.notify_all();
        }
        rest.leave(gate, 3);
    }
};

/// Two wait for different values, and the second comes only once the first has been seen: nobody
/// may use up the wake-up of somebody else.
template<class Gate>
struct each_in_turn : rl::test_suite<each_in_turn<Gate>, 3> {
    Gate gate;
    rest_check rest;
    flag_type flag{0};
    flag_type first_seen{0};

    void thread(unsigned index) {
        if (index < 2) {
            wait_for(gate, flag, index + 1, place_of(index));
            if (index == 0) {
                first_seen.store(1, relaxed);
            }
        } else {
            flag.store(1, relaxed);
            gate.notify_all();
            while (first_seen.load(relaxed) == 0) {
                model::model_atomics::yield();
            }
            flag.store(2, relaxed);
            gate.notify_all();
        }
        rest.leave(gate, 3);
    }
};

/// Two take one item each, each item brings one notification.
template<class Gate>
struct two_takers : rl::test_suite<two_takers<Gate>, 3> {
    Gate gate;
    rest_check rest;
    flag_type items{0};

    bool take() {
        unsigned n = items.load(relaxed);
        while (n != 0) {
            if (items.compare_exchange_weak(n, n - 1, relaxed, relaxed)) {
                return true;
            }
        }
        return false;
    }
    void thread(unsigned index) {
        if (index == 2) {
            for (int i = 0; i < 2; ++i) {
                items.fetch_add(1, relaxed);
                gate.notify_one();
            }
        } else {
            while (!take()) {
                const auto ticket = gate.prepare_wait();
                if (items.load(relaxed) != 0) {
                    gate.cancel_wait();
                } else {
                    gate.commit_wait(ticket, place_of(index));
                }
            }
        }
        rest.leave(gate, 3);
    }
};

/// Two sleep alike and one notification comes: whoever else may have come meanwhile, one of them
/// wakes, and nobody stays counted as being woken who is not: a second notification finds the
/// other.
template<class Gate>
struct one_of_two : rl::test_suite<one_of_two<Gate>, 3> {
    Gate gate;
    rest_check rest;
    flag_type ended{0};

    void thread(unsigned index) {
        if (index < 2) {
            const auto ticket = gate.prepare_wait();
            gate.commit_wait(ticket, place_of(index));
            if (ended.fetch_add(1, relaxed) == 0) {
                while (ended.load(relaxed) != 2 && !gate.notify_one()) {
                    model::model_atomics::yield();
                }
            }
        } else {
            while (ended.load(relaxed) == 0 && !gate.notify_one()) {
                model::model_atomics::yield();
            }
        }
        rest.leave(gate, 3);
    }
};

/// A wait that may time out, against a notification.
struct timed_waiter : rl::test_suite<timed_waiter, 3> {
    gate_type gate;
    rest_check rest;
    flag_type flag{0};

    void thread(unsigned index) {
        if (index == 0) {
            const auto ticket = gate.prepare_wait();
            if (flag.load(relaxed) != 0) {
                gate.cancel_wait();
            } else {
                gate.commit_wait_until(ticket, std::chrono::steady_clock::time_point{});
            }
        } else if (index == 1) {
            wait_for(gate, flag, 1);
        } else {
            flag.store(1, relaxed);
            gate.notify_one();
            gate.notify_one();
        }
        rest.leave(gate, 3);
    }
};

/// Here no wait ends without cause, so that it is the notification that ended it.
struct atomics_without_spurious_wakes : model::model_atomics {
    struct fence {
        void light() const {}
        void heavy() const {}
    };
    static bool wait(model::atomic<std::uint32_t>& word, std::uint32_t expected,
                     const std::chrono::steady_clock::time_point*,
                     std::uint32_t = regatta::detail::platform::any_wake) {
        do {
            word.wait(expected, false);
        } while (word.load(relaxed) == expected);
        return true;
    }
};

/// What came before the notification is seen after the wait that it ended.
struct publication : rl::test_suite<publication, 2> {
    regatta::basic_event_count<atomics_without_spurious_wakes> gate;
    rl::var<int> data;

    void thread(unsigned index) {
        if (index == 0) {
            const auto ticket = gate.prepare_wait();
            gate.commit_wait(ticket);
            RL_ASSERT(data($) == 1);
        } else {
            data($) = 1;
            while (!gate.notify_one()) {
                model::model_atomics::yield();
            }
        }
    }
};

/// The same of a notification at a place.
struct publication_at : rl::test_suite<publication_at, 2> {
    regatta::basic_event_count<atomics_without_spurious_wakes> gate;
    rl::var<int> data;

    void thread(unsigned index) {
        if (index == 0) {
            const auto ticket = gate.prepare_wait();
            gate.commit_wait(ticket, place_of(1));
            RL_ASSERT(data($) == 1);
        } else {
            data($) = 1;
            while (!gate.notify_at(place_of(1))) {
                model::model_atomics::yield();
            }
        }
    }
};

/// A notifier with a choice, which asks `has_sleepers` before.
struct asked_first : rl::test_suite<asked_first, 2> {
    gate_type gate;
    flag_type flag{0};

    void thread(unsigned index) {
        if (index == 0) {
            wait_for(gate, flag, 1);
        } else {
            flag.store(1, relaxed);
            if (gate.has_sleepers()) {
                gate.notify_all();
            }
        }
    }
};

/// A sleep that is announced, and a notifier that asks: seq_cst operations do without the fence.
struct announced : rl::test_suite<announced, 2> {
    regatta::basic_event_count<model::atomics_without_light_fence> gate;
    flag_type flag{0};

    void thread(unsigned index) {
        if (index == 0) {
            const auto ticket = gate.announce_wait();
            if (flag.load(std::memory_order_seq_cst) != 0) {
                gate.cancel_wait();
            } else {
                gate.commit_wait(ticket);
            }
        } else {
            flag.store(1, std::memory_order_seq_cst);
            if (gate.has_sleepers()) {
                gate.notify_one();
            }
        }
    }
};

/// The same with a fence in the place of the question.
struct announced_fence : rl::test_suite<announced_fence, 2> {
    regatta::basic_event_count<model::atomics_without_light_fence> gate;
    flag_type flag{0};

    void thread(unsigned index) {
        if (index == 0) {
            const auto ticket = gate.announce_wait();
            if (flag.load(relaxed) != 0) {
                gate.cancel_wait();
            } else {
                gate.commit_wait(ticket);
            }
        } else {
            flag.store(1, relaxed);
            rl::atomic_thread_fence(rl::mo_seq_cst, $);
            gate.notify_one();
        }
    }
};

/// A thread that is being woken, on which a notifier relies: it looks again before it sleeps again.
struct relied_upon : rl::test_suite<relied_upon, 2> {
    regatta::basic_event_count<model::atomics_without_light_fence> gate;
    flag_type tasks{0};

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned seen = 0; seen < 2;) {
                const auto ticket = gate.announce_wait();
                const unsigned now = tasks.load(std::memory_order_seq_cst);
                if (now != seen) {
                    seen = now;
                    gate.cancel_wait();
                } else {
                    gate.commit_wait(ticket);
                }
            }
        } else {
            for (int i = 0; i < 2; ++i) {
                tasks.fetch_add(1, std::memory_order_seq_cst);
                if (gate.has_sleepers() && !gate.waking()) {
                    gate.notify_one();
                }
            }
        }
    }
};

/// Two wait at places of their own, each for a condition of its own, and are told there.
template<class Gate>
struct each_at_its_place : rl::test_suite<each_at_its_place<Gate>, 3> {
    Gate gate;
    rest_check rest;
    flag_type flags[2];

    void before() {
        for (flag_type& f : flags) {
            f.store(0, relaxed);
        }
    }
    void thread(unsigned index) {
        if (index < 2) {
            wait_for(gate, flags[index], 1, place_of(index));
        } else {
            for (unsigned i = 0; i < 2; ++i) {
                flags[i].store(1, relaxed);
                gate.notify_at(place_of(i));
            }
        }
        rest.leave(gate, 3);
    }
};

int main() {
    return model::check(
        {model::make_scenario<one_waiter>("one waiter"),
         model::make_scenario<two_waiters_all>("two waiters, notify all"),
         model::make_scenario<each_in_turn<gate_type>>("each in turn, notify all"),
         model::make_scenario<each_in_turn<gate_of_two_words>>(
             "each in turn, notify all, two words"),
         model::make_scenario<two_takers<gate_type>>("two takers, notify one each"),
         model::make_scenario<two_takers<gate_of_two_words>>(
             "two takers, notify one each, two words"),
         model::make_scenario<one_of_two<gate_type>>("one of two, notify one"),
         model::make_scenario<one_of_two<gate_of_two_words>>("one of two, notify one, two words"),
         model::make_scenario<announced>("announced"),
         model::make_scenario<announced_fence>("announced, fence"),
         model::make_scenario<relied_upon>("a thread that is being woken"),
         model::make_scenario<timed_waiter>("a wait that may time out"),
         model::make_scenario<publication>("publication"),
         model::make_scenario<publication_at>("publication at a place"),
         model::make_scenario<asked_first>("asked first"),
         model::make_scenario<each_at_its_place<gate_type>>("each at its place"),
         model::make_scenario<each_at_its_place<gate_of_two_words>>(
             "each at its place, two words")},
        {"event_count.hpp"},
        {{"modify block", "a hint whom to wake: a place that is missing there costs no wake-up"}});
}
