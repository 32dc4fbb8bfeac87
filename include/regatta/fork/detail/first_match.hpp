// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The smallest index for which a condition holds, searched in parallel.

#include <regatta/base/config.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/fork/detail/fork_loop.hpp>

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
        , matches_(matches) {}

    /// @returns the first match, or `count`.
    std::ptrdiff_t operator()() {
        // A match near the begin is found without a look at the rest: each part is twice as long.
        for (std::ptrdiff_t begin = 0; begin < best();) {
            const std::ptrdiff_t length = std::max(first_part, begin);
            const std::ptrdiff_t end = count_ - begin > length ? begin + length : count_;
            no_result none;
            if (!run_loop(fork_loop_home(), begin, end, part{*this}, none, {})) {
                fail_cancelled();
            }
            begin = end;
        }
        return best();
    }

    /// As soon as one match is found, the search may end: which it is does not matter.
    void settle_for_any() { any_ = true; }

private:
    static constexpr std::ptrdiff_t first_part = 4096;

    /// The body of a loop, whose blocks are short in time.
    struct part {
        using result = no_result;
        first_match& all;

        REGATTA_INLINE void run(no_result&, std::ptrdiff_t begin, std::ptrdiff_t end) const {
            if (!all.done_before(begin)) {
                all.search(begin, end);
            }
        }
        static void join(no_result&, no_result&&) noexcept {}
    };

    void search(std::ptrdiff_t begin, std::ptrdiff_t end) {
        const Matches& matches = matches_;
        for (; end - begin >= 4; begin += 4) { // GCC does not unroll it, and it pays.
            if (matches(begin)) {
                return found(begin);
            }
            if (matches(begin + 1)) {
                return found(begin + 1);
            }
            if (matches(begin + 2)) {
                return found(begin + 2);
            }
            if (matches(begin + 3)) {
                return found(begin + 3);
            }
        }
        for (; begin < end; ++begin) {
            if (matches(begin)) {
                return found(begin);
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
