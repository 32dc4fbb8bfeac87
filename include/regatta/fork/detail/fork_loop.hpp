// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A loop whose remaining iterations can be split and given away.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/fork/fork_options.hpp>
#include <regatta/fork/shared_pool.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// The team of a loop that names no pool: of the region that is open, of the task's pool, or of the
/// process-wide pool.
REGATTA_INLINE fork_team& fork_loop_home() {
    if (fork_team* const open = fork_stack::current().team_of_region()) {
        return *open;
    }
    const worker_context* const worker = worker_context::current();
    return worker != nullptr && worker->forks != nullptr
               ? *static_cast<fork_team*>(worker->forks)
               : shared_pool_owner::team();
}

/// What all parts of one loop share: whether to go on, and the first exception.
class loop_end {
public:
    explicit loop_end(const std::stop_token& stop) noexcept : stop_(stop) {}

    bool over() const noexcept {
        // relaxed: a hint. The exception is read after all parts have ended.
        return over_.load(std::memory_order_relaxed) || stop_.stop_requested();
    }
    /// Within a handler: keeps the exception if it is the first.
    REGATTA_RARE void fail() noexcept {
        if (!over_.exchange(true, std::memory_order_relaxed)) {
            error_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (error_ != nullptr) [[unlikely]] {
            std::rethrow_exception(error_);
        }
    }

private:
    const std::stop_token& stop_;
    /// Whether an iteration threw. Written by any thread that runs a part, read by all.
    std::atomic<bool> over_{false};
    /// Written by the first thread to fail, read after the end of its part.
    std::exception_ptr error_;
};

/// The iterations of a loop that one thread runs.
///
/// Threads: its own; a piece may be taken by another one.
template<class Index, class Body>
class loop_part : public fork_frame {
    using count = std::make_unsigned_t<std::common_type_t<Index, int>>;

public:
    loop_part(loop_end& whole, const Body& body, std::size_t grain, Index begin,
              Index end) noexcept
        : fork_frame(site)
        , whole_(whole)
        , body_(body)
        , grain_(grain)
        , next_(begin)
        , end_(end) {}

    /// Runs the iterations and waits for those that were given away. A region is open.
    REGATTA_APART void work() noexcept {
        auto& stack = fork_stack::current();
        for (;;) {
            stack.push_splittable(*this);
            stack.poll();
            REGATTA_TRY {
                run_blocks(stack);
            }
            REGATTA_CATCH_ALL {
                whole_.fail();
            }
            next_ = end_;
            stack.pop_splittable(*this);
            // The newest piece is the nearest and the smallest.
            while (pieces_ != 0) {
                piece& last = room_[pieces_ - 1].get();
                if (stack.seat()->reclaim(last)) {
                    next_ = last.begin;
                    end_ = last.end;
                    --pieces_;
                    break;
                }
                stack.await(last);
                --pieces_;
            }
            if (next_ == end_) {
                return;
            }
        }
    }

private:
    struct piece : fork_frame {
        piece(loop_part& p, Index b, Index e) noexcept
            : fork_frame(piece_site)
            , whole(p.whole_)
            , body(p.body_)
            , grain(p.grain_)
            , begin(b)
            , end(e) {}
        loop_end& whole;
        const Body& body;
        const std::size_t grain;
        const Index begin;
        const Index end;
    };
    static constexpr unsigned most_pieces = 8;
    static constexpr std::int64_t block_ns = 2'000;

    static count distance(Index from, Index to) noexcept {
        return static_cast<count>(static_cast<count>(to) - static_cast<count>(from));
    }
    static Index advance(Index at, count n) noexcept {
        return static_cast<Index>(static_cast<count>(at) + n);
    }

    REGATTA_INLINE void run_blocks(fork_stack& stack) {
        count block = 1;
        std::int64_t since = 0;
        while (next_ != end_ && !whole_.over()) {
            const count rest = distance(next_, end_);
            const count n = block < rest ? block : rest;
            const Index begin = next_;
            next_ = advance(begin, n); // First: nested forks may split what is left.
            body_(begin, next_of(begin, n));
            stack.poll();
            if (distance(next_, end_) > few) {
                const std::int64_t now = std_atomics::now_ns();
                if (since != 0) {
                    block = next_block(n, now - since);
                }
                if (block == 1) {
                    block = 1;
                }
                since = now;
                if (first_) {
                    first_ = false;
                    block = 4;
                }
            }
        }
    }
    static Index next_of(Index begin, count n) noexcept { return advance(begin, n); }
    /// The size of the block after one of `n` iterations that took that long.
    static count next_block(count n, std::int64_t took) noexcept {
        const std::int64_t fits = took <= 0 ? 16 : block_ns / took;
        if (fits >= 2) {
            const auto factor = static_cast<count>(fits < 16 ? fits : 16);
            return n > static_cast<count>(~count{0} / 32) ? n : static_cast<count>(n * factor);
        }
        if (took >= 2 * block_ns) {
            const count less = static_cast<count>(n / static_cast<count>(took / block_ns));
            return less != 0 ? less : 1;
        }
        return n;
    }

    static fork_frame* split(fork_frame& f) noexcept {
        auto& self = static_cast<loop_part&>(f);
        const count rest = distance(self.next_, self.end_);
        if (rest < 1 || rest < self.grain_ || self.pieces_ == most_pieces) {
            return nullptr;
        }
        const Index middle = advance(self.next_, static_cast<count>(rest / 2));
        auto& room = self.room_[self.pieces_++];
        room.emplace(self, middle, self.end_);
        self.end_ = middle;
        return &room.get();
    }
    static void run_piece(fork_frame& f) noexcept {
        auto& p = static_cast<piece&>(f);
        loop_part(p.whole, p.body, p.grain, p.begin, p.end).work();
    }
    static void run_nothing(fork_frame&) noexcept {}

    static constexpr count few = 8;
    static constexpr fork_site site{&run_nothing, &split, &shared_pool_owner::team};
    static constexpr fork_site piece_site{&run_piece, nullptr, &shared_pool_owner::team};

    loop_end& whole_;
    const Body& body_;
    const std::size_t grain_;
    Index next_; ///< The first iteration that has not begun.
    Index end_;
    unsigned pieces_ = 0; ///< How many are given away.
    bool first_ = true;
    raw_cell<piece> room_[most_pieces];
};

/// Runs a loop on a team. `body(i, j)` runs the iterations from i to j - 1.
template<class Index, class Body>
void run_loop(fork_team& team, Index begin, Index end, const Body& body,
              const fork_options& options) {
    const fork_stack::region here(fork_stack::current(), team);
    loop_end whole(options.stop);
    loop_part<Index, Body>(whole, body, options.grain, begin, end).work();
    whole.rethrow();
}

} // namespace regatta::detail
