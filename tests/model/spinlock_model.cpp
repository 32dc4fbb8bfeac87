// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `spinlock`: I1.

#include "model_check.hpp"

#include <regatta/sync/spinlock.hpp>

/// Three threads write one plain variable, each under the lock.
struct exclusion : rl::test_suite<exclusion, 3> {
    regatta::basic_spinlock<model::model_atomics> lock;
    rl::var<int> sum;

    void before() { sum($) = 0; }
    void thread(unsigned index) {
        if (index == 2) {
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
    return model::check({model::make_scenario<exclusion>("mutual exclusion")}, {"spinlock.hpp"});
}
