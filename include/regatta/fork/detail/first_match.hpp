// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The smallest index for which a condition holds, searched in parallel.

#include <regatta/fork/join.hpp>
#include <regatta/fork/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace regatta::detail {

/// Searches [0, count). A worker that finds a match ends the search behind it.
///
/// I1: an index is left out only where a match lies before it.
template<class Matches>
class first_match {
public:
    /// @param matches tells of an index whether it matches.
    first_match(std::ptrdiff_t count, const Matches& matches)
        : best_(count)
        , count_(count)
        , block_(std::clamp<std::ptrdiff_t>(count / 256, 1, largest_block))
        , matches_(matches) {}

    /// @returns the first match, or `count`.
    std::ptrdiff_t operator()() {
        // A match near the begin is found without a look at the rest: each part is twice as long.
        for (std::ptrdiff_t begin = 0; begin < best();) {
            const std::ptrdiff_t length = std::max(part_length, begin);
            const std::ptrdiff_t end = count_ - begin > length ? begin + length : count_;
            search(begin, end);
            begin = end;
        }
        return best();
    }

    /// As soon as one match is found, the search may end: which it is does not matter.
    void settle_for_any() { any_ = true; }

private:
    static constexpr std::ptrdiff_t largest_block = 32;
    static constexpr std::ptrdiff_t part_length = 4096;

    void search(std::ptrdiff_t begin, std::ptrdiff_t end) {
        if (done_before(begin)) {
            return;
        }
        if (end - begin > part_length) {
            const std::ptrdiff_t mid = begin + (end - begin) / 2;
            regatta::join([&] { search(begin, mid); }, [&] { search(mid, end); });
            return;
        }
        const std::ptrdiff_t blocks = (end - begin + block_ - 1) / block_;
        for_every_index(blocks, [&](std::ptrdiff_t number) {
            const std::ptrdiff_t first = begin + number * block_;
            if (!done_before(first)) {
                search_block(first, std::min(first + block_, end));
            }
        });
    }

    void search_block(std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (; begin < end; ++begin) {
            if (matches_(begin)) {
                found(begin);
                return;
            }
        }
    }

    void found(std::ptrdiff_t index) noexcept {
        std::ptrdiff_t best = best_.load(std::memory_order_relaxed);
        while (index < best &&
               !best_.compare_exchange_weak(best, index, std::memory_order_relaxed)) {
        }
    }

    bool done_before(std::ptrdiff_t begin) const noexcept {
        const std::ptrdiff_t found = best();
        return found <= begin || (any_ && found != count_);
    }

    std::ptrdiff_t best() const noexcept { return best_.load(std::memory_order_relaxed); }

    /// The smallest match so far. Written by workers that find one, read by all before each block.
    /// Relaxed: it publishes nothing but itself, and the last read follows the join.
    std::atomic<std::ptrdiff_t> best_;
    const std::ptrdiff_t count_;
    const std::ptrdiff_t block_;
    const Matches& matches_;
    bool any_ = false;
};

/// The smallest index in [0, count) for which `matches` holds, or `count`.
template<class Matches>
std::ptrdiff_t find_first_match(std::ptrdiff_t count, const Matches& matches) {
    return first_match<Matches>(count, matches)();
}

/// Whether `matches` holds for any index in [0, count).
template<class Matches>
bool find_any_match(std::ptrdiff_t count, const Matches& matches) {
    first_match<Matches> search(count, matches);
    search.settle_for_any();
    return search() != count;
}

} // namespace regatta::detail
