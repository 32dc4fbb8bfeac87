// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// An unbounded queue from many threads to many, whose elements are used where they lie.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/queue_segment.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/spinlock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace regatta::detail {

/// A first-in-first-out queue without a limit: a chain of segments of `SegmentSize` cells each.
///
/// A producer claims one or several cells of the last segment with one compare-and-swap, fills them
/// and publishes each; a consumer claims those that are published in the first segment with one
/// compare-and-swap and uses the elements in place. A segment whose cells have all been used is
/// filled again, so that a queue that stays short stays in the cache and calls the heap no more.
/// Only who goes from one segment to the next takes a lock.
///
/// An element may have `largest_room` bytes beside its cell, for what does not fit into it; a
/// segment gets them when one of its elements first asks.
///
/// Threads: any, for every member but the destructor. Blocks: only for that lock; a producer that
/// is descheduled between claim and publication holds back the elements behind its own, not the
/// other producers. Order: an element is seen whole, after all that its producer did before.
/// Failure: `std::bad_alloc`, before anything is claimed. Cost: one compare-and-swap to append, one
/// to claim; the memory of the longest time stays with the queue until it ends.
///
/// Source: the turn of a cell: D. Vyukov, "Bounded MPMC queue", 2010; a chain of such rings:
/// A. Morrison and Y. Afek, "Fast concurrent queues for x86 processors", 2013.
///
/// I1: a cell is written only by the producer that claimed it and used only by the consumer that
///     claimed it after its publication; each element is claimed once.
/// I2: a segment is filled anew only after each of its cells was finished and the chain left it.
/// I3: a position never comes back: the k-th segment of the chain has the positions 2kN … 2kN + N,
///     so that whoever still looks at an earlier life of a segment fails in its compare-and-swap.
/// I4: after `close` nothing is appended but by those who may append to a closed queue.
template<class T, class Atomics, std::size_t SegmentSize = 64>
class basic_segment_queue {
    static_assert(SegmentSize >= 2 && (SegmentSize & (SegmentSize - 1)) == 0);

    using segment = queue_segment<T, Atomics, SegmentSize, basic_segment_queue>;
    using slot = typename segment::slot;

public:
    static constexpr std::size_t largest_room = segment::largest_room;

    using cell = typename Atomics::template cell<T>;

    /// What `append` did.
    struct appended_run {
        std::size_t count; ///< How many elements it appended; 0 only if the queue is closed.
        std::size_t end;   ///< The index in its segment of the cell behind the last of them.
    };

    /// The elements that a consumer claimed at once: neighbours in one segment.
    class batch {
    public:
        std::uint32_t size() const noexcept { return count_; }
        T& operator[](std::uint32_t i) const noexcept {
            return at_->slots[first_ + i].element.get();
        }
        /// Ends the life of an element, which has been used.
        void destroy(std::uint32_t i) const noexcept { at_->slots[first_ + i].element.destroy(); }

    private:
        friend basic_segment_queue;
        segment* at_ = nullptr;
        std::uint32_t first_ = 0;
        std::uint32_t count_ = 0;
    };

    /// What a consumer has finished and not yet told: it tells once a segment, not once an element.
    /// One tally serves any number of queues of the type. Threads: its owner alone.
    class tally {
    public:
        tally() = default;
        tally(const tally&) = delete;
        tally& operator=(const tally&) = delete;
        ~tally() { flush(); }

        /// So many elements of the batch have been used and destroyed.
        void finish(const batch& of, std::uint32_t count) noexcept {
            if (at_ != of.at_) {
                flush();
                at_ = of.at_;
            }
            count_ += count;
        }
        /// Tells. To be called before its owner sleeps, and before the queue ends.
        void flush() noexcept {
            if (segment* const at = std::exchange(at_, nullptr)) {
                at->owner.finished(*at, std::exchange(count_, 0));
            }
        }

    private:
        segment* at_ = nullptr;
        std::uint32_t count_ = 0;
    };

    basic_segment_queue() {
        auto first = std::make_unique<segment>(*this);
        first->begin(0, false);
        // relaxed, both: the queue reaches other threads only by a hand-over that synchronises.
        head_segment_.store(first.get(), std::memory_order_relaxed);
        tail_segment_.store(first.release(), std::memory_order_relaxed);
    }
    basic_segment_queue(const basic_segment_queue&) = delete;
    basic_segment_queue& operator=(const basic_segment_queue&) = delete;

    /// Destroys what was never claimed. No other thread may use the queue any more.
    ~basic_segment_queue() {
        tally mine;
        for (batch rest = take(SegmentSize); rest.size() != 0; rest = take(SegmentSize)) {
            for (std::uint32_t i = 0; i < rest.size(); ++i) {
                rest.destroy(i);
            }
            mine.finish(rest, rest.size());
        }
        mine.flush();
        destroy_chain(head_segment_.load(std::memory_order_relaxed));
        destroy_chain(spare_);
    }

    /// Appends `T(args...)`. @returns false, with `args` untouched, if the queue is closed.
    template<class... Args>
    bool emplace(Args&&... args) {
        return append<false, 0>(1, [&](cell& c, std::size_t, void*) noexcept {
                   c.emplace(std::forward<Args>(args)...);
               }).count != 0;
    }

    /// Appends up to `count` elements side by side.
    ///
    /// @tparam EvenClosed whether a closed queue takes them, too.
    /// @tparam Room how many bytes each element needs beside its cell.
    /// @param fill called as `fill(cell, i, room)` for the i-th of them, in order; makes the
    /// element with `cell.emplace(...)` and must not throw. `room` is null without room.
    template<bool EvenClosed, std::size_t Room, class Fill>
    appended_run append(std::size_t count, Fill&& fill) {
        static_assert(Room <= largest_room);
        for (;;) {
            segment& s = last_segment();
            // relaxed: a guess that the compare-and-swap checks.
            std::uint64_t position = s.tail.load(std::memory_order_relaxed);
            if (!EvenClosed && (position & segment::closed_bit) != 0) {
                return {0, 0};
            }
            const std::size_t index = segment::index_of(position);
            if (index == SegmentSize) {
                extend(s);
                continue;
            }
            if constexpr (Room != 0) {
                s.provide_rooms(segment::room_class(Room));
            }
            const std::size_t claimed = std::min(count, SegmentSize - index);
            // acquire: partner is the release in begin(); what consumers did with the cells in the
            // segment's earlier life comes before. Other claims continue that release sequence.
            // seq_cst: partner is the load in coming().
            if (!s.tail.compare_exchange_weak(position, position + claimed,
                                              std::memory_order_seq_cst,
                                              std::memory_order_relaxed)) {
                continue;
            }
            for (std::size_t i = 0; i < claimed; ++i) {
                slot& at = s.slots[index + i];
                fill(at.element, i,
                     Room != 0 ? s.room_of(segment::room_class(Room), index + i) : nullptr);
                // release: partner is the acquire of the turn in take(); publishes the element.
                at.turn.store(segment::turn_of(position + i), std::memory_order_release);
            }
            s.expect_write(index + claimed);
            return {claimed, index + claimed};
        }
    }

    /// Claims up to `max` of the oldest elements; none if there are none.
    batch take(std::size_t max) noexcept {
        for (;;) {
            batch found;
            std::uint64_t position = look(max, found);
            // release: partner is the acquire in taken(): who sees the claim sees that the element
            // had been appended.
            if (found.count_ == 0 || found.at_->head.compare_exchange_weak(
                                         position, position + found.count_,
                                         std::memory_order_release, std::memory_order_relaxed)) {
                return found;
            }
        }
    }

    /// Whether there is something to claim. After a fence it is true of everything that was
    /// appended before the partner's fence and has not been claimed.
    bool ready() noexcept {
        batch found;
        look(1, found);
        return found.count_ != 0;
    }

    /// Whether something was appended, or is just being appended, that nobody has claimed; it may
    /// err on that side. It takes part in the order of all seq_cst operations as a load, and
    /// `append` as a read-modify-write.
    bool coming() const noexcept {
        // seq_cst, both: partners are the stores in append() and extend(). In this order: what is
        // claimed is never more than what was appended.
        const std::uint64_t all = segment::count_of(
            tail_segment_.load(std::memory_order_seq_cst)->tail.load(std::memory_order_seq_cst));
        return taken() < all;
    }

    /// Appends nothing any more but for those who may.
    void close() noexcept {
        const std::lock_guard lock(chain_);
        closed_ = true;
        // relaxed: decides who may still claim; it publishes nothing.
        tail_segment_.load(std::memory_order_relaxed)
            ->tail.fetch_or(segment::closed_bit, std::memory_order_relaxed);
    }

    /// How many elements have been appended so far, those included that are on their way.
    std::uint64_t appended() const noexcept {
        // relaxed: coherence suffices, it is never older than what the caller has already seen.
        return segment::count_of(last_segment().tail.load(std::memory_order_relaxed));
    }
    /// How many elements have been claimed by consumers so far.
    std::uint64_t taken() const noexcept {
        // acquire: partner is the release of the claim in take(); see there.
        return segment::count_of(first_segment().head.load(std::memory_order_acquire));
    }
    /// About how many elements wait; exact when nobody is at work.
    std::size_t size() const noexcept {
        const std::uint64_t before = taken();
        return static_cast<std::size_t>(appended() - before);
    }

private:
    segment& last_segment() const noexcept {
        // acquire: partner is the release in extend(); the segment is made. seq_cst: who claims a
        // cell after this has the segment before the claim in the order of all seq_cst operations.
        return *tail_segment_.load(std::memory_order_seq_cst);
    }
    segment& first_segment() const noexcept {
        // acquire: partner is the release in leave(); the segment is made, and so on.
        return *head_segment_.load(std::memory_order_acquire);
    }

    /// Finds up to `max` neighbours to claim. @returns the position of the first.
    std::uint64_t look(std::size_t max, batch& found) noexcept {
        for (;;) {
            segment& s = first_segment();
            // relaxed: a guess that the compare-and-swap checks.
            const std::uint64_t position = s.head.load(std::memory_order_relaxed);
            const std::size_t index = segment::index_of(position);
            std::size_t count = 0;
            const std::size_t most = std::min(max, SegmentSize - index);
            // acquire: partner is the release of the turn in append(); the element is there.
            while (count < most && s.slots[index + count].turn.load(std::memory_order_acquire) ==
                                       segment::turn_of(position + count)) {
                ++count;
            }
            if (count != 0) {
                // Only what the first segment holds comes first. relaxed: who has seen a turn of a
                // later life of the segment sees that the chain had left the earlier one.
                if (&s != head_segment_.load(std::memory_order_relaxed)) {
                    continue;
                }
                found.at_ = &s;
                found.first_ = static_cast<std::uint32_t>(index);
                found.count_ = static_cast<std::uint32_t>(count);
                return position;
            }
            if (index == SegmentSize && leave(s)) {
                continue;
            }
            // Empty, unless the segment was left meanwhile, perhaps to begin a new life.
            // relaxed, both: positions never come back, so that one that still stands was the first
            // when the turn was read.
            if (&s == head_segment_.load(std::memory_order_relaxed) &&
                position == s.head.load(std::memory_order_relaxed)) {
                return position;
            }
        }
    }

    /// Goes on to the segment after `s`, whose cells have all been claimed.
    /// @returns false if there is none.
    bool leave(segment& s) noexcept {
        {
            const std::lock_guard lock(chain_);
            // relaxed, all three: under the lock that they are written under; but the head, which
            // says no more than that the segment is in a later life now.
            segment* const next = s.next.load(std::memory_order_relaxed);
            if (&s != head_segment_.load(std::memory_order_relaxed) ||
                segment::index_of(s.head.load(std::memory_order_relaxed)) != SegmentSize) {
                return true;
            }
            if (next == nullptr) {
                return false;
            }
            // release: partner is the acquire in look().
            head_segment_.store(next, std::memory_order_release);
        }
        finished(s, 1);
        return true;
    }

    /// Counts cells that were finished; the last one makes the segment a spare.
    void finished(segment& s, std::uint32_t count) noexcept {
        // release: what this consumer did with its cells. acquire: what the others did with theirs.
        // Partners are each other.
        if (s.finished.fetch_add(count, std::memory_order_acq_rel) + count == SegmentSize + 1) {
            const std::lock_guard lock(chain_);
            // relaxed: under the lock.
            s.next.store(spare_, std::memory_order_relaxed);
            spare_ = &s;
        }
    }

    /// Adds a segment to the chain behind `s`, which is full, unless somebody else has.
    REGATTA_RARE void extend(segment& s) {
        std::unique_ptr<segment> fresh;
        for (;;) {
            {
                const std::lock_guard lock(chain_);
                // relaxed: written under this lock. The tail says no more than that the segment is
                // in a later life now.
                if (&s != tail_segment_.load(std::memory_order_relaxed) ||
                    segment::index_of(s.tail.load(std::memory_order_relaxed)) != SegmentSize) {
                    return;
                }
                segment* added = spare_;
                if (added != nullptr) {
                    spare_ = added->next.load(std::memory_order_relaxed);
                } else {
                    added = fresh.release();
                }
                if (added != nullptr) {
                    added->begin(++last_number_, closed_);
                    // relaxed: consumers follow it under the lock.
                    s.next.store(added, std::memory_order_relaxed);
                    // release: partner is the acquire in append(). seq_cst: as there; who
                    // must see the claim must see the segment.
                    tail_segment_.store(added, std::memory_order_seq_cst);
                    return;
                }
            }
            fresh = std::make_unique<segment>(*this);
        }
    }

    static void destroy_chain(segment* s) noexcept {
        while (s != nullptr) {
            delete std::exchange(s, s->next.load(std::memory_order_relaxed));
        }
    }

    /// Where producers append and consumers take. Written under the lock, read by all.
    alignas(destructive_alignment)
        typename Atomics::template atomic<segment*> tail_segment_{nullptr};
    alignas(destructive_alignment)
        typename Atomics::template atomic<segment*> head_segment_{nullptr};

    /// Held by whoever changes the chain, the spares or closes.
    alignas(destructive_alignment) basic_spinlock<Atomics> chain_;
    segment* spare_ = nullptr; ///< Segments to be filled again, linked by `next`.
    std::uint64_t last_number_ = 0;
    bool closed_ = false;
};

/// The segment queue of real programs.
template<class T, std::size_t SegmentSize = 64>
using segment_queue = basic_segment_queue<T, std_atomics, SegmentSize>;

} // namespace regatta::detail
