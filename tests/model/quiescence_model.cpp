// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `quiescence`: I1, in the three ways in which the library uses it.

#include "model_check.hpp"

#include <regatta/sync/mpmc_ring.hpp>
#include <regatta/sync/quiescence.hpp>

using quiescence_type = regatta::basic_quiescence<model::model_atomics>;
using flag_type = model::atomic<unsigned>;

constexpr auto relaxed = std::memory_order_relaxed;

inline void wait_until_passed(quiescence_type& owner, quiescence_type::stamp seen) {
    while (!owner.passed(seen)) {
        model::model_atomics::yield();
    }
}

/// A handler is retired and then destroyed, while its owner may be calling it.
struct retire : rl::test_suite<retire, 2> {
    quiescence_type owner;
    flag_type active{1};
    rl::var<int> handler;

    void before() { handler($) = 1; }
    void thread(unsigned index) {
        if (index == 0) {
            for (int i = 0; i < 2; ++i) {
                owner.enter();
                if (active.load(relaxed) != 0) {
                    RL_ASSERT(handler($) == 1);
                }
                owner.leave();
            }
        } else {
            active.store(0, relaxed);
            wait_until_passed(owner, owner.observe());
            handler($) = 0;
        }
    }
};

/// The owner is paused between two pieces of work that follow each other.
struct pause_between : rl::test_suite<pause_between, 2> {
    quiescence_type owner;
    flag_type paused{0};
    rl::var<int> state;

    void before() { state($) = 0; }
    void thread(unsigned index) {
        if (index == 0) {
            owner.enter();
            for (int i = 0; i < 3 && paused.load(relaxed) == 0; ++i) {
                state($) = i;
                owner.renew();
            }
            owner.leave();
        } else {
            paused.store(1, relaxed);
            wait_until_passed(owner, owner.observe());
            state($) = 7;
        }
    }
};

/// What was in the ring is waited for: the claim shows that its piece of work had begun.
struct drain : rl::test_suite<drain, 2> {
    regatta::basic_mpmc_ring<unsigned, model::model_atomics> ring{2};
    quiescence_type owner;
    rl::var<int> done;

    void before() { done($) = 0; }
    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned left = 2; left != 0;) {
                owner.enter();
                if (ring.try_take()) {
                    done($) = done($) + 1;
                    --left;
                    owner.renew();
                }
                owner.leave();
                model::model_atomics::yield();
            }
        } else {
            ring.try_emplace(1u);
            ring.try_emplace(2u);
            while (ring.consumed() < 2) {
                model::model_atomics::yield();
            }
            wait_until_passed(owner, owner.observe_in_order());
            RL_ASSERT(done($) == 2);
        }
    }
};

int main() {
    return model::check(
        {model::make_scenario<retire>("retire and destroy"),
         model::make_scenario<pause_between>("pause between pieces of work"),
         model::make_scenario<drain>("drain a ring")},
        {"quiescence.hpp"},
        {{"store enter -> relaxed", "the checker lets any later store of a thread continue its "
                                    "release sequence, as C++11 did and C++20 does not"}});
}
