// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `mpmc_ring`: I1, I2 (by the cells) and I3.

#include "model_check.hpp"

#include <regatta/sync/event_count.hpp>
#include <regatta/sync/mpmc_ring.hpp>

using ring_type = regatta::basic_mpmc_ring<unsigned, model::model_atomics>;

/// Two producers and two consumers through two cells; every element comes out once.
struct two_and_two : rl::test_suite<two_and_two, 4> {
    ring_type ring{2};
    model::atomic<unsigned> seen{0};

    void thread(unsigned index) {
        constexpr unsigned each = 2;
        if (index < 2) {
            for (unsigned i = 0; i < each;) {
                if (ring.try_emplace(index * each + i)) {
                    ++i;
                } else {
                    model::model_atomics::yield();
                }
            }
            return;
        }
        unsigned last[2] = {0, 0};
        for (unsigned taken = 0; taken < each;) {
            if (const auto value = ring.try_take()) {
                const unsigned bit = 1u << *value;
                RL_ASSERT((seen.fetch_or(bit, std::memory_order_relaxed) & bit) == 0); // I3
                const unsigned producer = *value / each;
                RL_ASSERT(*value + 1 > last[producer]); // I3: one producer's stay in order
                last[producer] = *value + 1;
                ++taken;
            } else {
                model::model_atomics::yield();
            }
        }
    }
    void after() {
        RL_ASSERT(seen.load(std::memory_order_relaxed) == 0xFu);
        RL_ASSERT(!ring.ready());
    }
};

/// The counters, read by a third thread.
struct counters : rl::test_suite<counters, 3> {
    ring_type ring{2};

    void thread(unsigned index) {
        if (index == 0) {
            ring.try_emplace(1u);
        } else if (index == 1) {
            while (!ring.try_take()) {
                model::model_atomics::yield();
            }
        } else {
            RL_ASSERT(ring.size() <= 1);
        }
    }
};

/// Whoever sees a position consumed sees what its consumer announced before.
struct announced : rl::test_suite<announced, 3> {
    ring_type ring{2};
    rl::var<int> at_work;

    void before() {
        at_work($) = 0;
        ring.try_emplace(1u);
        ring.try_emplace(2u);
    }
    void thread(unsigned index) {
        if (index == 0) {
            at_work($) = 1;
            while (!ring.try_take()) {
            }
        } else if (index == 1) {
            while (ring.consumed() == 0 || !ring.try_take()) {
                model::model_atomics::yield();
            }
        } else {
            if (ring.consumed() == 2) {
                RL_ASSERT(at_work($) == 1);
            }
        }
    }
};

/// When a producer has asked for sleepers and seen none, a consumer that then announces its sleep
/// and asks what is coming sees the element. (The flag orders nothing.)
struct announced_sleeper : rl::test_suite<announced_sleeper, 2> {
    regatta::basic_mpmc_ring<unsigned, model::model_atomics> ring{2};
    regatta::basic_event_count<model::atomics_without_light_fence> gate;
    model::atomic<unsigned> asked{0};

    void thread(unsigned index) {
        if (index == 0) {
            RL_ASSERT(ring.try_emplace(1u));
            RL_ASSERT(!gate.has_sleepers());
            asked.store(1, std::memory_order_relaxed);
            return;
        }
        while (asked.load(std::memory_order_relaxed) == 0) {
            model::model_atomics::yield();
        }
        static_cast<void>(gate.announce_wait());
        RL_ASSERT(ring.coming());
        gate.cancel_wait();
    }
};

int main() {
    return model::check(
        {model::make_scenario<two_and_two>("two producers, two consumers"),
         model::make_scenario<counters>("counters"),
         model::make_scenario<announced>("announced before the claim"),
         model::make_scenario<announced_sleeper>("a consumer that announces its sleep")},
        {"mpmc_ring.hpp", "ticket_ring.hpp"});
}
