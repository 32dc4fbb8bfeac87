// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The queue of the model, with segments of two cells, and what comes out of it.

#include "model_check.hpp"

#include <regatta/core/detail/segment_queue.hpp>

#include <algorithm>
#include <cstdint>

using queue_type = regatta::detail::basic_segment_queue<unsigned, model::model_atomics, 2>;
constexpr auto relaxed = std::memory_order_relaxed;

/// What came out: each element once, those of one producer in order.
class arrivals {
public:
    /// @param each how many elements a producer has.
    void count(unsigned value) {
        const unsigned bit = 1u << value;
        RL_ASSERT((seen_.fetch_or(bit, relaxed) & bit) == 0);
    }
    unsigned seen() const { return seen_.load(relaxed); }

private:
    model::atomic<unsigned> seen_{0};
};

/// Takes until it has `count` elements and finishes each by itself.
template<class Queue>
void take_some(Queue& queue, arrivals& out, unsigned count, unsigned at_once) {
    typename Queue::tally mine;
    while (count != 0) {
        const auto b = queue.take(std::min(at_once, count));
        if (b.size() == 0) {
            mine.flush();
            model::model_atomics::yield();
            continue;
        }
        unsigned last = 0;
        for (std::uint32_t i = 0; i < b.size(); ++i) {
            RL_ASSERT(i == 0 || b[i] / 8 != last / 8 || b[i] > last);
            last = b[i];
            out.count(b[i]);
            b.destroy(i);
        }
        mine.finish(b, b.size());
        count -= b.size();
    }
}
