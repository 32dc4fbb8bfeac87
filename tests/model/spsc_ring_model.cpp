// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `spsc_ring`: I1, I2 (by the cells, which see every access) and I3.

#include "model_check.hpp"

#include <regatta/sync/spsc_ring.hpp>

using ring = regatta::basic_spsc_ring<unsigned, model::model_atomics>;

/// One by one through a ring of two cells, so that it wraps.
struct one_by_one : rl::test_suite<one_by_one, 2> {
    ring queue{2};

    void thread(unsigned index) {
        constexpr unsigned count = 4;
        if (index == 0) {
            for (unsigned i = 0; i < count;) {
                if (queue.try_emplace(i)) {
                    ++i;
                } else {
                    model::model_atomics::yield();
                }
            }
        } else {
            for (unsigned expected = 0; expected < count;) {
                const auto taken = queue.consume(1, [&](unsigned value) {
                    RL_ASSERT(value == expected); // I3
                    ++expected;
                });
                if (taken == 0) {
                    model::model_atomics::yield();
                }
            }
        }
    }
};

/// In batches, and a third thread that reads the counters.
struct batches_and_observer : rl::test_suite<batches_and_observer, 3> {
    ring queue{2};

    void thread(unsigned index) {
        constexpr unsigned count = 4;
        if (index == 0) {
            for (unsigned i = 0; i < count;) {
                if (queue.free_slots(2) < 2) {
                    model::model_atomics::yield();
                    continue;
                }
                const auto filled = queue.try_fill(
                    2, [&](auto& cell, std::size_t at) { cell.emplace(i + unsigned(at)); });
                RL_ASSERT(filled == 2);
                i += unsigned(filled);
            }
        } else if (index == 1) {
            for (unsigned expected = 0; expected < count;) {
                const auto taken = queue.consume(3, [&](unsigned value) {
                    RL_ASSERT(value == expected);
                    ++expected;
                });
                RL_ASSERT(taken <= 2); // I1
                if (taken == 0) {
                    model::model_atomics::yield();
                }
            }
        } else {
            const auto consumed = queue.consumed();
            RL_ASSERT(queue.published() >= consumed); // I1
            RL_ASSERT(queue.size() <= count);         // never below zero
        }
    }
};

/// `size` reads the two positions so that their difference cannot wrap below zero.
struct size_never_wraps : rl::test_suite<size_never_wraps, 3> {
    ring queue{1};

    void thread(unsigned index) {
        if (index == 0) {
            while (!queue.try_emplace(1u)) {
            }
        } else if (index == 1) {
            while (queue.consume(1, [](unsigned) {}) == 0) {
                model::model_atomics::yield();
            }
        } else {
            RL_ASSERT(queue.size() <= 1);
        }
    }
};

int main() {
    return model::check({model::make_scenario<one_by_one>("one by one"),
                         model::make_scenario<batches_and_observer>("batches and an observer"),
                         model::make_scenario<size_never_wraps>("size never wraps")},
                        {"spsc_ring.hpp"});
}
