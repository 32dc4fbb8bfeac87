// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long the consumer of a bus leaves the lanes alone when it keeps up with a stream.

#include <regatta/base/detail/clock.hpp>

#include <algorithm>
#include <cstddef>

namespace regatta::detail {

/// The pause after a batch of several messages that emptied the lanes: meanwhile the next batch can
/// grow. A single message is no stream: nothing must delay the next.
///
/// Threads: the consumer. Blocks: `wait`, for 2 µs at most.
/// Source: docs/design/catch_up_pause.md.
template<class Atomics>
class basic_catch_up_pause {
public:
    explicit basic_catch_up_pause(std::size_t capacity) noexcept
        : longest_(4 * std::min<std::size_t>(capacity, 500))
        , length_(std::min(2 * least, longest_)) {}

    /// Before a batch.
    void wait() const noexcept {
        if (due_) {
            Atomics::relax_for(length_);
        }
    }
    /// After a batch. @param taken how many messages it took. @param max how many it might have.
    void note(std::size_t taken, std::size_t max) noexcept {
        due_ = taken > 1 && taken < max;
        if (due_) {
            adapt(taken);
        }
    }

private:
    /// The sizes of a batch between which the pause before it was right: worth the transfer of the
    /// lines that both sides share, and not so long that its messages leave the first-level cache.
    static constexpr std::size_t small_batch = 96;
    static constexpr std::size_t large_batch = 224;
    static constexpr std::chrono::nanoseconds least{250};

    /// Makes the next pause longer if the last one brought a small batch, shorter if a large one.
    void adapt(std::size_t batch) noexcept {
        if (batch < small_batch) {
            length_ = std::min(2 * length_, longest_);
        } else if (batch > large_batch) {
            length_ = std::max(length_ / 2, std::min(least, longest_));
        }
    }

    /// The time in which a fast stream fills a lane: producers must not wait for the consumer.
    const std::chrono::nanoseconds longest_;
    std::chrono::nanoseconds length_;
    bool due_ = false; ///< The last batch took several messages and emptied all lanes.
};

} // namespace regatta::detail
