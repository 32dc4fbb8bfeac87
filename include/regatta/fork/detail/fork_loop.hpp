// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A loop whose remaining iterations can be split and given away.

#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/fork/fork_options.hpp>
#include <regatta/fork/shared_pool.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
    return worker != nullptr && worker->forks != nullptr ? *static_cast<fork_team*>(worker->forks)
                                                         : shared_pool_owner::team();
}

/// What all parts of one loop share.
struct whole_loop : fork_stop {
    whole_loop(const fork_options& options) noexcept
        : fork_stop(fork_stack::current().scope(), options.stop)
        , grain(options.grain != 0 ? options.grain : 1)
        , workers(options.workers) {}

    /// One more thread may take a part. @returns false if enough have one.
    bool admit() noexcept {
        // relaxed, here and in part_ended(): a number that orders nothing.
        return workers == 0 || given.fetch_add(1, std::memory_order_relaxed) + 1 < workers ||
               (given.fetch_sub(1, std::memory_order_relaxed), false);
    }
    void part_ended() noexcept {
        if (workers != 0) {
            given.fetch_sub(1, std::memory_order_relaxed);
        }
    }

    const std::size_t grain;
    const unsigned workers;
    /// The parts that are given away. Written by the threads that give and end them.
    std::atomic<unsigned> given{0};
};

/// The result of a loop without one.
struct no_result {};

/// The index of a loop over the elements from an iterator on. A difference type need not be an
/// integral one: that of `std::views::iota` over `std::size_t` is a class or an extended integer,
/// which the GNU dialect takes for an integral one.
template<class Iterator>
using loop_index =
    std::conditional_t<std::integral<std::iter_difference_t<Iterator>> &&
                           sizeof(std::iter_difference_t<Iterator>) <= sizeof(std::ptrdiff_t),
                       std::iter_difference_t<Iterator>, std::ptrdiff_t>;

REGATTA_RARE [[noreturn]] inline void fail_loop_end() {
    fail_argument("a loop whose end does not fit into the type of its begin, which is the type of "
                  "the index: give both the wider type");
}
/// The end of a loop in the type of its begin. Throws `std::invalid_argument` for an integer that
/// this type cannot hold: `parallel_for(0, v.size(), f)` with 2^31 elements must not visit none.
template<class Index, class End>
constexpr Index loop_end(End end) {
    const auto converted = static_cast<Index>(end);
    if constexpr (std::integral<Index> && std::integral<End>) {
        if (static_cast<End>(converted) != end || (converted < Index{}) != (end < End{})) {
            fail_loop_end();
        }
    }
    return converted;
}

REGATTA_RARE [[noreturn]] inline void fail_loop_count() {
    fail_argument("a loop over more elements than a std::ptrdiff_t can count");
}
/// The number of elements between two iterators. Throws `std::invalid_argument` where `Index`
/// cannot hold it, as with a view of all integers of 64 bits.
template<class Index, class Distance>
constexpr Index loop_count(Distance distance) {
    const auto count = static_cast<Index>(distance);
    if (static_cast<Distance>(count) != distance) {
        fail_loop_count();
    }
    return count;
}

/// The end of the output of as many elements as lie between two iterators that far apart.
template<class Out, class Distance>
Out output_end(Out out, Distance distance) {
    return out + static_cast<std::iter_difference_t<Out>>(distance);
}

/// The iterations of a loop that one thread runs, and their result.
///
/// Threads: its own; a piece may be taken by another one.
///
/// I1: every iteration belongs to one part or piece, until it has been run or skipped.
/// I2: the pieces that a part has given away follow its own iterations, the newest piece first. So
///     results are joined in the order of the iterations.
///
/// @tparam Body has a type `result`, and
/// - `run(result&, i, j)`: runs the iterations from i to j - 1, which follow those in the result;
/// - `join(result&, result&&)`: appends a result to the one of the iterations before.
template<class Index, class Body>
class loop_part : public fork_frame {
    using count = std::make_unsigned_t<std::common_type_t<Index, int>>;

public:
    using result = typename Body::result;

    loop_part(whole_loop& whole, const Body& body, Index begin, Index end) noexcept
        : fork_frame(site)
        , whole_(whole)
        , body_(body)
        , next_(begin)
        , end_(end) {}

    /// Runs the iterations and waits for those that were given away. A region is open.
    REGATTA_APART void work(result& into) noexcept {
        fork_stack& stack = fork_stack::current();
        const fork_stop* const outer = stack.enter_scope(whole_);
        do {
            stack.push_splittable(*this);
            REGATTA_TRY {
                if (shares_early_) [[unlikely]] {
                    shares_early_ = false;
                    stack.share_early(expected_ns_);
                } else {
                    stack.poll_newest();
                }
                run_blocks(stack, into);
            }
            REGATTA_CATCH_ALL {
                whole_.fail();
            }
            next_ = end_; // Nothing is left to split.
            stack.pop_splittable(*this);
        } while (take_back(stack, into));
        stack.leave_scope(outer);
    }
    /// The same for a whole loop with which the region begins. A loop that is likely to be worth
    /// it gives about half away before it begins.
    void lead(result& into) noexcept {
        const count all = distance(next_, end_);
        if (all > 1) {
            expected_ns_ = forecast.expected_ns(static_cast<float>(all));
            shares_early_ = expected_ns_ >= fork_forecast::worth_sharing_ns;
            if (shares_early_ && whole_.grain == 1) {
                head_start_ =
                    static_cast<count>(static_cast<float>(all) * (hand_over_ns / 2 / expected_ns_));
            }
            // The clock costs more than a few short iterations: a look now and then. Of many, what
            // others leave may be few.
            timed_ = (all <= untimed && shares_early_) || fork_stack::current().regions() % 16 == 0;
        }
        work(into);
        if (timed_iterations_ != 0) {
            forecast.learn(timed_ns_, static_cast<float>(timed_iterations_));
        }
    }

private:
    struct piece : fork_frame {
        piece(loop_part& p, Index b, Index e) noexcept
            : fork_frame(piece_site)
            , whole(p.whole_)
            , body(p.body_)
            , begin(b)
            , end(e) {}
        whole_loop& whole;
        const Body& body;
        const Index begin;
        const Index end;
        result part{};
    };
    static constexpr unsigned most_pieces = 8;
    /// The time that a block aims at. Between blocks the loop answers idle workers.
    static constexpr std::int64_t block_ns = 2'000;
    /// With so few iterations left, each may be long: no two of them are one block.
    static constexpr count few = 8;
    /// So few iterations are all blocks of their own: the clock costs more than looks between them.
    static constexpr count untimed = 16;
    /// The first iteration of a thread takes longer than the forecast while its lines are fetched.
    static constexpr std::int64_t longest_probe_ns = 1'000;

    /// About the time until another core runs the first iteration of a piece, and its lines are
    /// there.
    static constexpr float hand_over_ns = 600;

    static count distance(Index from, Index to) noexcept {
        return static_cast<count>(static_cast<count>(to) - static_cast<count>(from));
    }
    static Index advance(Index at, count n) noexcept {
        return static_cast<Index>(static_cast<count>(static_cast<count>(at) + n));
    }

    /// Runs blocks that grow until one takes about `block_ns`. The first is one iteration: it may
    /// wait for the next, and it shows whether the forecast is of this work.
    REGATTA_INLINE void run_blocks(fork_stack& stack, result& into) {
        const bool clock = timed_ || distance(next_, end_) > untimed;
        bool probes = clock && block_ == 1 && is_fine();
        std::int64_t since = timed_ || probes ? std_atomics::now_ns() : 0;
        while (next_ != end_ && !whole_.over()) {
            const count rest = distance(next_, end_);
            const count n = rest <= few ? 1 : block_ < rest ? block_ : rest;
            const Index begin = next_;
            next_ = advance(begin, n); // First: nested forks may split what is left.
            body_.run(into, begin, advance(begin, n));
            stack.poll();
            if (clock && (timed_ || distance(next_, end_) > few)) {
                const std::int64_t now = std_atomics::now_ns();
                if (since == 0) {
                    block_ = block_ == 1 ? 4 : block_;
                } else {
                    const bool foreseen = probes && now - since <= longest_probe_ns;
                    block_ = foreseen ? foreseen_block(distance(next_, end_))
                                      : next_block(n, now - since);
                    probes = false;
                    timed_ns_ += now - since;
                    timed_iterations_ += n;
                }
                since = now;
            }
        }
    }
    /// Whether an iteration is likely to take less than a block.
    static bool is_fine() noexcept {
        return forecast.expected_ns(1) < static_cast<float>(block_ns);
    }
    /// The size of a block that is likely to take `block_ns`, a quarter of what is left at most:
    /// the next iterations may be of another kind than the first.
    static count foreseen_block(count rest) noexcept {
        const float fits = static_cast<float>(block_ns) / forecast.expected_ns(1);
        const count most = std::max(static_cast<count>(rest / 4), count{1});
        return fits < static_cast<float>(most) ? static_cast<count>(std::max(fits, 1.0F)) : most;
    }
    /// The size of the block after one of `n` iterations that took that long.
    static count next_block(count n, std::int64_t took) noexcept {
        constexpr auto largest = static_cast<count>(static_cast<count>(~count{0}) / 32);
        if (n > largest && took <= block_ns) {
            return n;
        }
        constexpr float most = 16;
        const float fits =
            took <= block_ns / 16 ? most : static_cast<float>(block_ns) / static_cast<float>(took);
        return std::max(static_cast<count>(static_cast<float>(n) * fits), count{1});
    }
    /// Joins the results of the pieces that others have run. @returns whether this part goes on
    /// with a piece that nobody took.
    REGATTA_APART bool take_back(fork_stack& stack, result& into) noexcept {
        while (pieces_ != 0) {
            piece& last = room_[--pieces_].get();
            const bool mine = stack.seat()->reclaim(last);
            if (!mine) {
                stack.await(last);
                // Once something has thrown, a result may be what it was moved from, and nobody
                // asks for it.
                if (!whole_.over()) {
                    REGATTA_TRY {
                        body_.join(into, std::move(last.part));
                    }
                    REGATTA_CATCH_ALL {
                        whole_.fail();
                    }
                }
            } else {
                next_ = last.begin;
                end_ = last.end;
                whole_.part_ended();
            }
            room_[pieces_].destroy();
            if (mine) {
                return true;
            }
        }
        return false;
    }

    static fork_frame* split(fork_frame& f, const fork_stop*& scope) noexcept {
        auto& self = static_cast<loop_part&>(f);
        scope = &self.whole_;
        const count rest = distance(self.next_, self.end_);
        const count kept = rest / 2 + std::min(self.head_start_, static_cast<count>(rest / 4));
        const auto given = static_cast<count>(rest - kept);
        if (given < self.whole_.grain || self.pieces_ == most_pieces || !self.whole_.admit()) {
            return nullptr;
        }
        self.head_start_ = 0;
        const Index middle = advance(self.next_, kept);
        auto& room = self.room_[self.pieces_++];
        room.emplace(self, middle, self.end_);
        self.end_ = middle;
        return &room.get();
    }
    static void run_piece(fork_frame& f) noexcept {
        auto& p = static_cast<piece&>(f);
        if (distance(p.begin, p.end) > untimed && is_fine()) {
            fork_stack::current().begin_fine_part();
        }
        loop_part(p.whole, p.body, p.begin, p.end).work(p.part);
        p.whole.part_ended();
    }
    static void run_nothing(fork_frame&) noexcept {}

    static constexpr fork_site site{&run_nothing, &split, &shared_pool_owner::team};
    static constexpr fork_site piece_site{&run_piece, nullptr, &shared_pool_owner::team};

    static inline constinit fork_forecast forecast;

    whole_loop& whole_;
    const Body& body_;
    float expected_ns_ = 0;     ///< How long the whole loop is likely to take.
    bool shares_early_ = false; ///< A part is given away before the first iteration.
    /// How many more iterations it keeps than half when it first gives some away: both end at once.
    count head_start_ = 0;
    bool timed_ = false; ///< The time of each block is taken, also near the end.
    count timed_iterations_ = 0;
    std::int64_t timed_ns_ = 0; ///< How long these took.
    Index next_;                ///< The first iteration that has not begun.
    Index end_;
    count block_ = 1;     ///< The size of the next block.
    unsigned pieces_ = 0; ///< How many are given away.
    raw_cell<piece> room_[most_pieces];
};

/// Runs a loop on a team. Throws the first exception of an iteration.
/// @returns whether all iterations ran. False also for a loop that was to end by its last one:
/// that has left out the loops within it.
template<class Index, class Body>
bool run_loop(fork_team& team, Index begin, Index end, const Body& body,
              typename Body::result& into, const fork_options& options) {
    fork_stack& stack = fork_stack::current();
    const fork_stack::region here(stack, team);
    whole_loop whole(options);
    loop_part<Index, Body> all(whole, body, begin, end);
    stack.begins() ? all.lead(into) : all.work(into);
    whole.rethrow();
    return !whole.over();
}

} // namespace regatta::detail
