// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `mpsc_ring`: I1, I2 (by the cells) and I3.

#include "model_check.hpp"

#include <regatta/sync/mpsc_ring.hpp>

using queue_type = regatta::basic_mpsc_ring<unsigned, model::model_atomics>;

/// Two producers, one consumer, a queue of two cells.
struct two_producers : rl::test_suite<two_producers, 3> {
    queue_type queue{2};

    void thread(unsigned index) {
        constexpr unsigned each = 2;
        if (index < 2) {
            for (unsigned i = 0; i < each;) {
                if (queue.try_emplace(index * 100 + i)) {
                    ++i;
                } else {
                    model::model_atomics::yield();
                }
            }
            return;
        }
        unsigned next[2] = {0, 0};
        for (unsigned taken = 0; taken < 2 * each;) {
            const auto now = queue.consume(2, [&](unsigned value) {
                RL_ASSERT(value % 100 == next[value / 100]); // I3
                ++next[value / 100];
            });
            RL_ASSERT(now <= 2); // I1
            taken += unsigned(now);
            if (now == 0) {
                model::model_atomics::yield();
            }
        }
        RL_ASSERT(!queue.ready());
    }
};

/// What `ready` has seen is there for the next `consume`, also in a stream.
struct ready_then_consume : rl::test_suite<ready_then_consume, 2> {
    queue_type queue{4};

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 3; ++i) {
                RL_ASSERT(queue.try_emplace(i));
            }
            return;
        }
        const auto ignore = [](unsigned) {};
        for (std::size_t taken = 0; taken < 2;) {
            taken += queue.consume(2 - taken, ignore);
            model::model_atomics::yield();
        }
        while (!queue.ready()) {
            model::model_atomics::yield();
        }
        RL_ASSERT(queue.consume(1, ignore) == 1);
    }
};

/// The counters, read by a third thread: never more consumed than claimed.
struct counters : rl::test_suite<counters, 3> {
    queue_type queue{2};

    void thread(unsigned index) {
        if (index == 0) {
            queue.try_emplace(1u);
        } else if (index == 1) {
            while (queue.consume(1, [](unsigned) {}) == 0) {
                model::model_atomics::yield();
            }
        } else {
            RL_ASSERT(queue.size() <= 1); // the difference does not wrap
            const auto consumed = queue.consumed();
            RL_ASSERT(queue.claimed() >= consumed); // I1
        }
    }
};

/// Only the last element is asked for, so that only one of the counters' acquires orders it.
struct consumed_first : rl::test_suite<consumed_first, 3> {
    queue_type queue{2};

    void thread(unsigned index) {
        if (index == 0) {
            queue.try_emplace(1u);
        } else if (index == 1) {
            while (queue.consume(1, [](unsigned) {}) == 0) {
                model::model_atomics::yield();
            }
        } else {
            const auto consumed = queue.consumed();
            RL_ASSERT(queue.claimed() >= consumed);
        }
    }
};

/// After `close` nothing is accepted, and what was accepted is there.
struct closing : rl::test_suite<closing, 2> {
    queue_type queue{4};
    rl::var<unsigned> accepted;

    void before() { accepted($) = 0; }
    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 3; ++i) {
                if (queue.try_emplace(i)) {
                    accepted($) = accepted($) + 1;
                } else {
                    RL_ASSERT(queue.closed());
                }
            }
        } else {
            queue.close();
            RL_ASSERT(queue.closed());
            RL_ASSERT(!queue.try_emplace(9u));
        }
    }
    void after() {
        RL_ASSERT(queue.claimed() == accepted($));
        RL_ASSERT(queue.consume(4, [](unsigned) {}) == accepted($));
    }
};

int main() {
    return model::check({model::make_scenario<two_producers>("two producers"),
                         model::make_scenario<counters>("counters"),
                         model::make_scenario<ready_then_consume>("ready, then consume"),
                         model::make_scenario<consumed_first>("consumed, then claimed"),
                         model::make_scenario<closing>("closing")},
                        {"mpsc_ring.hpp", "ticket_ring.hpp"});
}
