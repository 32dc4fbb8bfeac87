// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The iterations of a loop that one thread runs, whatever they do.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_region.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace regatta::detail {

/// What all parts of one loop share.
struct whole_loop : fork_stop {
    /// @param least how many iterations a part that is given away has at least.
    /// @param most how many threads work for the loop at most; 0: no limit.
    whole_loop(const std::stop_token& stop, std::size_t least, unsigned most) noexcept
        : fork_stop(fork_stack::current().scope(), stop)
        , grain(least != 0 ? least : 1)
        , workers(most) {}

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

/// Iterations of a loop that are still to be run by a thread.
template<class Count>
struct loop_stretch {
    Count size() const noexcept { return end - next; }
    /// Whether nothing is left to be run.
    bool over() const noexcept { return next == end || whole.over(); }

    whole_loop& whole;
    Count next; ///< The first that has not begun.
    Count end;
};

/// What the iterations of a loop do, and its results. `loop_part` calls it by this table, once for
/// many iterations. So its code is compiled once, and not for each loop of a program.
template<class Count>
struct loop_kind {
    /// Runs the iterations from i to j - 1, counted from the loop's first. They follow those that
    /// are in the result.
    void (*run)(const void* body, void* into, Count i, Count j);
    /// Runs all that are left, one by one; after each it shares what is left if it is asked to.
    void (*run_each)(const void* body, void* into, loop_stretch<Count>& left, fork_stack& stack);
    /// Makes the result of no iteration; null for a loop without results.
    void (*make)(void* room) noexcept;
    /// Appends a result to that of the iterations before.
    void (*join)(const void* body, void* into, void* more);
    void (*destroy)(void* result) noexcept;
    std::size_t result_size;
    /// How the pieces are run that were given away.
    fork_site piece;
    fork_forecast* forecast;
};

/// The iterations of a loop that one thread runs, and their result.
///
/// Threads: its own; a piece may be taken by another one.
///
/// I1: every iteration belongs to one part or piece, until it has been run or skipped.
/// I2: the pieces that a part has given away follow its own iterations, the newest piece first. So
///     results are joined in the order of the iterations.
///
/// @tparam Count an unsigned integer.
template<class Count>
class loop_part : public fork_frame {
public:
    using kind_type = loop_kind<Count>;
    static constexpr unsigned most_pieces = 8;

    /// Runs a loop of `count` iterations on a team. Throws the first exception of an iteration.
    /// @param rooms for the results of `most_pieces` pieces.
    /// @returns whether all iterations ran. False also for a loop that was to end by its last one:
    /// that has left out the loops within it.
    static bool run(fork_team& team, const kind_type& of, const void* body, void* rooms,
                    Count count, void* into, const std::stop_token& stop, std::size_t grain,
                    unsigned workers);
    /// Does the work of a piece. @param rooms as above.
    static void run_piece(fork_frame& f, void* rooms) noexcept;
    /// The same for a loop without results.
    static void run_bare_piece(fork_frame& f) noexcept { run_piece(f, nullptr); }

private:
    struct piece : fork_frame {
        piece(loop_part& p, Count b, Count e, void* r) noexcept
            : fork_frame(p.kind_.piece)
            , whole(p.left_.whole)
            , of(p.kind_)
            , body(p.body_)
            , begin(b)
            , end(e)
            , result(r) {}
        whole_loop& whole;
        const kind_type& of;
        const void* const body;
        const Count begin;
        const Count end;
        void* const result;
    };

    /// The time that a block aims at. Between blocks the loop answers idle workers, and looks at
    /// the clock: with 2 µs that and the end of a block cost 4 % of short iterations, with 4 µs 1
    /// %.
    static constexpr std::int64_t block_ns = 4'000;
    /// With so few iterations left, each may be long: no two of them are one block.
    static constexpr Count few = 8;
    /// So few iterations are all blocks of their own: the clock costs more than looks between them.
    static constexpr Count untimed = 16;
    /// The first iteration of a thread takes longer than the forecast while its lines are fetched.
    static constexpr std::int64_t longest_probe_ns = 1'000;

    /// About the time until another core runs the first iteration of a piece, and its lines are
    /// there.
    static constexpr float hand_over_ns = 600;

    loop_part(whole_loop& whole, const kind_type& of, const void* body, void* rooms, Count begin,
              Count end) noexcept
        : fork_frame(site)
        , kind_(of)
        , body_(body)
        , rooms_(static_cast<std::byte*>(rooms))
        , left_{whole, begin, end} {}

    void work(void* into) noexcept;
    void lead(void* into) noexcept;
    void run_blocks(fork_stack& stack, void* into);
    bool take_back(fork_stack& stack, void* into) noexcept;
    static fork_frame* split(fork_frame& f, bool last, const fork_stop*& scope) noexcept;
    static void run_nothing(fork_frame&) noexcept {}

    /// Whether an iteration is likely to take less than a block.
    bool is_fine() const noexcept {
        return kind_.forecast->expected_ns(1) < static_cast<float>(block_ns);
    }
    /// The size of a block that is likely to take `block_ns`, a quarter of what is left at most:
    /// the next iterations may be of another kind than the first.
    Count foreseen_block(Count rest) const noexcept {
        const float fits = static_cast<float>(block_ns) / kind_.forecast->expected_ns(1);
        const Count most = std::max(static_cast<Count>(rest / 4), Count{1});
        return fits < static_cast<float>(most) ? static_cast<Count>(std::max(fits, 1.0F)) : most;
    }
    /// The size of the block after one of `n` iterations that took that long.
    static Count next_block(Count n, std::int64_t took) noexcept {
        constexpr auto largest = static_cast<Count>(static_cast<Count>(~Count{0}) / 32);
        if (n > largest && took <= block_ns) {
            return n;
        }
        constexpr float most = 16;
        const float fits =
            took <= block_ns / 16 ? most : static_cast<float>(block_ns) / static_cast<float>(took);
        return std::max(static_cast<Count>(static_cast<float>(n) * fits), Count{1});
    }

    static constexpr fork_site site{&run_nothing, &split, nullptr}; // A region is open.

    const kind_type& kind_;
    const void* const body_;
    std::byte* const rooms_;    ///< For the results of the pieces.
    float expected_ns_ = 0;     ///< How long the whole loop is likely to take.
    bool shares_early_ = false; ///< A part is given away before the first iteration.
    /// How many more iterations it keeps than half when it first gives some away: both end at once.
    Count head_start_ = 0;
    bool timed_ = false; ///< The time of each block is taken, also near the end.
    Count timed_iterations_ = 0;
    std::int64_t timed_ns_ = 0; ///< How long these took.
    loop_stretch<Count> left_;
    Count block_ = 1;     ///< The size of the next block.
    unsigned pieces_ = 0; ///< How many are given away.
    raw_cell<piece> room_[most_pieces];
};

template<class Count>
REGATTA_APART bool loop_part<Count>::run(fork_team& team, const kind_type& of, const void* body,
                                         void* rooms, Count count, void* into,
                                         const std::stop_token& stop, std::size_t grain,
                                         unsigned workers) {
    fork_stack& stack = fork_stack::current();
    const fork_stack::region here(stack, team);
    whole_loop whole(stop, grain, workers);
    loop_part all(whole, of, body, rooms, 0, count);
    stack.begins() ? all.lead(into) : all.work(into);
    whole.rethrow();
    return !whole.over();
}

/// Runs the iterations and waits for those that were given away. A region is open.
template<class Count>
REGATTA_APART void loop_part<Count>::work(void* into) noexcept {
    fork_stack& stack = fork_stack::current();
    const fork_stop* const outer = stack.enter_scope(left_.whole);
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
            left_.whole.fail();
        }
        left_.next = left_.end; // Nothing is left to split.
        stack.pop_splittable(*this);
    } while (pieces_ != 0 && take_back(stack, into));
    stack.leave_scope(outer);
}

/// The same for a whole loop with which the region begins. A loop that is likely to be worth
/// it gives about half away before it begins.
template<class Count>
REGATTA_INLINE void loop_part<Count>::lead(void* into) noexcept {
    const Count all = left_.size();
    if (all > 1) {
        expected_ns_ = kind_.forecast->expected_ns(static_cast<float>(all));
        shares_early_ = expected_ns_ >= fork_forecast::worth_sharing_ns;
        if (shares_early_ && left_.whole.grain == 1) {
            head_start_ =
                static_cast<Count>(static_cast<float>(all) * (hand_over_ns / 2 / expected_ns_));
        }
        // The clock costs more than a few short iterations: a look now and then. Of many, what
        // others leave may be few.
        timed_ = (all <= untimed && shares_early_) || fork_stack::current().regions() % 16 == 0;
    }
    work(into);
    if (timed_iterations_ != 0) {
        kind_.forecast->learn(timed_ns_, static_cast<float>(timed_iterations_));
    }
}

/// Runs blocks that grow until one takes about `block_ns`. The first is one iteration: it may
/// wait for the next, and it shows whether the forecast is of this work.
template<class Count>
REGATTA_INLINE void loop_part<Count>::run_blocks(fork_stack& stack, void* into) {
    const bool clock = timed_ || left_.size() > untimed;
    bool probes = clock && block_ == 1 && is_fine();
    std::int64_t since = timed_ || probes ? std_atomics::now_ns() : 0;
    while (!left_.over()) {
        const Count rest = left_.size();
        if (!clock || (rest <= few && !timed_)) {
            kind_.run_each(body_, into, left_, stack);
            break;
        }
        const Count n = rest <= few ? 1 : block_ < rest ? block_ : rest;
        const Count begin = left_.next;
        left_.next = begin + n; // First: nested forks may split what is left.
        kind_.run(body_, into, begin, begin + n);
        stack.poll();
        if (timed_ || left_.size() > few) {
            const std::int64_t now = std_atomics::now_ns();
            if (since == 0) {
                block_ = block_ == 1 ? 4 : block_;
            } else {
                const bool foreseen = probes && now - since <= longest_probe_ns;
                block_ = foreseen ? foreseen_block(left_.size()) : next_block(n, now - since);
                probes = false;
                timed_ns_ += now - since;
                timed_iterations_ += n;
            }
            since = now;
        }
    }
}

/// Joins the results of the pieces that others have run. @returns whether this part goes on
/// with a piece that nobody took.
template<class Count>
REGATTA_APART bool loop_part<Count>::take_back(fork_stack& stack, void* into) noexcept {
    while (pieces_ != 0) {
        piece& last = room_[--pieces_].get();
        const bool mine = stack.seat()->reclaim(last);
        if (!mine) {
            stack.await(last);
            // Once something has thrown, a result may be what it was moved from, and nobody
            // asks for it.
            if (kind_.join != nullptr && !left_.whole.over()) {
                REGATTA_TRY {
                    kind_.join(body_, into, last.result);
                }
                REGATTA_CATCH_ALL {
                    left_.whole.fail();
                }
            }
        } else {
            left_.next = last.begin;
            left_.end = last.end;
            left_.whole.part_ended();
        }
        if (kind_.destroy != nullptr) {
            kind_.destroy(last.result);
        }
        room_[pieces_].destroy();
        if (mine) {
            return true;
        }
    }
    return false;
}

template<class Count>
fork_frame* loop_part<Count>::split(fork_frame& f, bool last, const fork_stop*& scope) noexcept {
    auto& self = static_cast<loop_part&>(f);
    scope = &self.left_.whole;
    const Count rest = self.left_.size();
    // The last piece takes all that is left: an iteration that blocks may wait for any other one.
    const Count kept = last || self.pieces_ + 1 == most_pieces
                           ? Count{0}
                           : static_cast<Count>(rest / 2 + std::min(self.head_start_,
                                                                    static_cast<Count>(rest / 4)));
    const Count given = rest - kept;
    if (given < self.left_.whole.grain || self.pieces_ == most_pieces ||
        !self.left_.whole.admit()) {
        return nullptr;
    }
    self.head_start_ = 0;
    const Count middle = self.left_.next + kept;
    void* result = nullptr;
    if (self.kind_.make != nullptr) {
        result = self.rooms_ + self.pieces_ * self.kind_.result_size;
        self.kind_.make(result);
    }
    auto& room = self.room_[self.pieces_++];
    room.emplace(self, middle, self.left_.end, result);
    self.left_.end = middle;
    return &room.get();
}

template<class Count>
REGATTA_APART void loop_part<Count>::run_piece(fork_frame& f, void* rooms) noexcept {
    auto& p = static_cast<piece&>(f);
    loop_part part(p.whole, p.of, p.body, rooms, p.begin, p.end);
    if (p.end - p.begin > untimed && part.is_fine()) {
        fork_stack::current().begin_fine_part();
    }
    part.work(p.result);
    p.whole.part_ended();
}

#if REGATTA_POOLS_LIBRARY
REGATTA_POOLS_TEMPLATE class REGATTA_POOLS_EXPORT loop_part<std::uint64_t>;
#endif

} // namespace regatta::detail
