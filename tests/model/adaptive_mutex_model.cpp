// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `adaptive_mutex`: I1.

#include "model_check.hpp"

#include <regatta/sync/adaptive_mutex.hpp>

/// Three threads write one plain variable, each under the lock.
/// @tparam Tries whether one of them never waits in the lock.
template<bool Tries>
struct exclusion : rl::test_suite<exclusion<Tries>, 3> {
    regatta::basic_adaptive_mutex<model::model_atomics> lock;
    rl::var<int> sum;

    void before() { sum($) = 0; }
    void thread(unsigned index) {
        if (Tries && index == 2) {
            while (!lock.try_lock()) {
                model::model_atomics::yield();
            }
        } else {
            lock.lock();
        }
        sum($) = sum($) + 1;
        lock.unlock();
    }
    void after() { RL_ASSERT(sum($) == 3); }
};

int main() {
    return model::check({model::make_scenario<exclusion<false>>("mutual exclusion"),
                         model::make_scenario<exclusion<true>>("one that never waits")},
                        {"adaptive_mutex.hpp"});
}
