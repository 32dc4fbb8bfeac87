// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// An unbounded queue for many producers and many consumers, whose elements are used in place.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/queue_segment.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace regatta::detail {

/// An unbounded first-in-first-out queue: a chain of segments of `SegmentSize` cells each.
///
/// A producer claims one or more cells of the last segment with one compare-and-swap, fills them
/// and publishes each. A consumer claims published cells of the first segment with one
/// compare-and-swap and uses the elements in place. A segment whose cells have all been used is
/// filled again. So a queue that stays short stays in the cache and no longer calls the heap. Only
/// a thread that goes from one segment to the next takes a lock.
///
/// An element may have `queue_room::largest` bytes beside its cell, for data that does not fit into
/// it. A segment allocates them when one of its elements first needs them.
///
/// Threads: any, for every member except the destructor.
/// Blocks: only for that lock. A producer that is descheduled between claim and publication delays
/// the elements behind its own, but not the other producers.
/// Order: a consumer sees a whole element, and everything that its producer did before.
/// Failure: `std::bad_alloc`, before anything is claimed.
/// Cost: one compare-and-swap to append, one to claim. The memory of the greatest length stays with
/// the queue until its destruction.
/// Source: the turn of a cell: D. Vyukov, "Bounded MPMC queue", 2010; a chain of such rings: A.
/// Morrison and Y. Afek, "Fast concurrent queues for x86 processors", 2013.
///
/// I1: only the producer that claimed a cell writes it. Only the consumer that claimed it after its
///     publication uses it. Each element is claimed once.
/// I2: a segment is filled again only after each of its cells was finished and the chain left it.
/// I3: a position never recurs: the k-th segment of the chain has the positions 2kN … 2kN + N. So a
///     thread that still looks at an earlier life of a segment fails in its compare-and-swap.
/// I4: after `close`, only callers that may append to a closed queue append.
template<class T, class Atomics, std::size_t SegmentSize = 64>
class basic_segment_queue {
    static_assert(SegmentSize >= 2 && (SegmentSize & (SegmentSize - 1)) == 0);

    using segment = queue_segment<T, Atomics, SegmentSize, basic_segment_queue>;
    using slot = typename segment::slot;
    template<class, class>
    friend class basic_claimed_run;

public:
    using cell = typename Atomics::template cell<T>;

    /// The result of `append`.
    struct appended_run {
        std::size_t count; ///< The number of elements appended; 0 only if the queue is closed.
        std::size_t end;   ///< The index in the segment of the cell after the last one.
    };

    /// The elements that a consumer claimed at once: neighbours in one segment.
    class batch {
    public:
        std::uint32_t size() const noexcept { return count_; }
        T& operator[](std::uint32_t i) const noexcept {
            return at_->cells[first_ + i].element.get();
        }
        /// Destroys an element after its use.
        void destroy(std::uint32_t i) const noexcept { at_->cells[first_ + i].element.destroy(); }
        /// A batch of that element alone.
        batch only(std::uint32_t i) const noexcept { return {at_, first_ + i, 1}; }
        /// A batch of the elements after the first, which there is.
        batch others() const noexcept { return {at_, first_ + 1, count_ - 1}; }

        batch() = default;

    private:
        friend basic_segment_queue;
        template<class, class>
        friend class basic_claimed_run;
        batch(segment* at, std::uint32_t first, std::uint32_t count) noexcept
            : at_(at)
            , first_(first)
            , count_(count) {}

        segment* at_ = nullptr;
        std::uint32_t first_ = 0;
        std::uint32_t count_ = 0;
    };

    /// A consumer's count of finished elements. It reports once a segment, not once an element. One
    /// tally serves any number of queues of the type.
    /// Threads: its owner alone.
    class tally {
    public:
        tally() = default;
        tally(const tally&) = delete;
        tally& operator=(const tally&) = delete;
        ~tally() { flush(); }

        /// Counts `count` elements of the batch that have been used and destroyed.
        void finish(const batch& of, std::uint32_t count) noexcept {
            if (at_ != of.at_) {
                flush();
                at_ = of.at_;
            }
            count_ += count;
        }
        /// Reports the count. Required before the owner sleeps and before the queue is destroyed.
        void flush() noexcept {
            if (segment* const at = std::exchange(at_, nullptr)) {
                at->owner.finished(*at, std::exchange(count_, 0));
            }
        }

    private:
        segment* at_ = nullptr;
        std::uint32_t count_ = 0;
    };

    REGATTA_APART basic_segment_queue() {
        auto first = std::make_unique<segment>(*this);
        first->begin(0);
        first->open(0, false);
        // relaxed, both: the queue reaches other threads only by a hand-over that synchronises.
        head_segment_.store(first.get(), std::memory_order_relaxed);
        tail_segment_.store(first.release(), std::memory_order_relaxed);
    }
    basic_segment_queue(const basic_segment_queue&) = delete;
    basic_segment_queue& operator=(const basic_segment_queue&) = delete;

    /// Destroys the elements that were never claimed. No other thread may use the queue any more.
    REGATTA_APART ~basic_segment_queue() {
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
        return append(false, 1, 0, [&](cell& c, std::size_t, void*) noexcept {
                   c.emplace(std::forward<Args>(args)...);
               }).count != 0;
    }

    /// Appends up to `count` elements side by side.
    ///
    /// @param even_closed whether a closed queue also takes them.
    /// @param room the number of bytes that each element needs beside its cell.
    /// @param fill called in order as `fill(cell, i, room)` for the i-th element. Constructs the
    /// element with `cell.emplace(...)` and must not throw. Its last argument is null if `room` is
    /// 0.
    template<class Fill>
    REGATTA_INLINE appended_run append(bool even_closed, std::size_t count, queue_room room,
                                       Fill&& fill) {
        for (appended_run run{};;) {
            if (append_at_last(even_closed, count, room, fill, run)) {
                return run;
            }
        }
    }
    /// As `append(even_closed, 1, 0, fill)`, with its second attempts apart.
    template<class Fill>
    REGATTA_INLINE appended_run append_one(bool even_closed, Fill&& fill) {
        appended_run run{};
        if (append_at_last(even_closed, 1, 0, fill, run)) [[likely]] {
            return run;
        }
        return append_apart(even_closed, fill);
    }

    /// Sees to it that the next `count` elements, at most a segment's, are appended without a call
    /// of the heap, if no other thread appends. Failure: `std::bad_alloc`.
    void reserve(std::size_t count) {
        // relaxed: the caller is the one who appends.
        if (SegmentSize - segment::index_of(last_segment().tail.load(std::memory_order_relaxed)) >=
            count) {
            return;
        }
        {
            const std::lock_guard lock(chain_);
            if (spare_ != nullptr) {
                return;
            }
        }
        auto fresh = std::make_unique<segment>(*this);
        const std::lock_guard lock(chain_);
        // relaxed: under the lock.
        fresh->next.store(spare_, std::memory_order_relaxed);
        spare_ = fresh.release();
    }

    /// Claims up to `max` of the oldest elements. @returns an empty batch if there is none.
    batch take(std::size_t max) noexcept {
        for (batch found;;) {
            if (take_from_first(max, found)) {
                return found;
            }
        }
    }
    /// As `take(1)`, with its second attempts apart.
    REGATTA_INLINE batch take_one() noexcept {
        batch found;
        if (take_from_first(1, found)) [[likely]] {
            return found;
        }
        return take_apart();
    }

    /// Whether there is an element to claim. After a fence it sees every unclaimed element that was
    /// appended before the partner's fence.
    bool ready() noexcept {
        batch found;
        for (std::uint64_t position = 0; !look(1, found, position);) {
        }
        return found.count_ != 0;
    }

    /// Whether an unclaimed element was appended or is being appended; false positives are
    /// possible. In the order of all seq_cst operations it is a load, and `append` a
    /// read-modify-write.
    bool coming() const noexcept {
        // seq_cst, both: partners are the stores in append_at_last() and extend(). In this order:
        // the number claimed never exceeds the number appended.
        const std::uint64_t all = segment::count_of(
            tail_segment_.load(std::memory_order_seq_cst)->tail.load(std::memory_order_seq_cst));
        return taken() < all;
    }

    /// Refuses elements from now on, except from callers that may append to a closed queue.
    REGATTA_APART void close() noexcept {
        const std::lock_guard lock(chain_);
        closed_ = true;
        // relaxed: decides only which callers may still claim; publishes nothing.
        tail_segment_.load(std::memory_order_relaxed)
            ->tail.fetch_or(segment::closed_bit, std::memory_order_relaxed);
    }

    /// In a fork of the process: frees the lock, which a thread may hold that does not exist here.
    /// After it nothing but the destructor may be called.
    void abandon() noexcept { chain_.unlock(); }

    /// The number of elements appended so far, those included that are being appended.
    std::uint64_t appended() const noexcept {
        // relaxed: coherence suffices: the value is never older than one that the caller has seen.
        return segment::count_of(last_segment().tail.load(std::memory_order_relaxed));
    }
    /// The number of elements that consumers have claimed so far.
    std::uint64_t taken() const noexcept {
        for (;;) {
            segment& s = first_segment();
            // acquire: partners are the release of the claim in take_from_first(), which says what
            // it publishes, and that in begin().
            const std::uint64_t position = s.head.load(std::memory_order_acquire);
            // It may be the position of a later life, which begins far behind the first segment.
            // relaxed: a thread that has seen that sees that the chain had left the earlier one.
            if (&s == head_segment_.load(std::memory_order_relaxed)) {
                return segment::count_of(position);
            }
        }
    }
    /// The approximate number of waiting elements; exact while no thread uses the queue.
    std::size_t size() const noexcept {
        const std::uint64_t before = taken();
        return static_cast<std::size_t>(appended() - before);
    }

private:
    segment& last_segment() const noexcept {
        // acquire: partner is the release in extend(); publishes the segment. seq_cst: for a thread
        // that then claims a cell, this load precedes the claim in the order of all seq_cst
        // operations.
        return *tail_segment_.load(std::memory_order_seq_cst);
    }
    segment& first_segment() const noexcept {
        // acquire: partner is the release in leave(); publishes the segment.
        return *head_segment_.load(std::memory_order_acquire);
    }

    /// One attempt to append to the last segment, as `append` does. @returns true with the result
    /// in `run`; false if another thread has changed the queue meanwhile: try again.
    template<class Fill>
    REGATTA_INLINE bool append_at_last(bool even_closed, std::size_t count, queue_room room,
                                       Fill& fill, appended_run& run) {
        segment& s = last_segment();
        // relaxed: a guess that the compare-and-swap checks.
        std::uint64_t position = s.tail.load(std::memory_order_relaxed);
        if ((position & segment::closed_bit) != 0 && !even_closed) [[unlikely]] {
            return true;
        }
        const std::size_t index = segment::index_of(position);
        if (index == SegmentSize) [[unlikely]] {
            extend(s);
            return false;
        }
        auto* const rooms = s.provide_rooms(room);
        const std::size_t claimed = std::min(count, SegmentSize - index);
        // acquire: partner is the release in open(); what consumers did with the cells in the
        // segment's earlier life happens before. Other claims continue that release sequence.
        // seq_cst: partner is the load in coming().
        if (!s.tail.compare_exchange_weak(position, position + claimed, std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) {
            return false;
        }
        s.expect_write(index + claimed, claimed);
        for (std::size_t i = 0; i < claimed; ++i) {
            slot& at = s.cells[index + i];
            fill(at.element, i, segment::room_at(rooms, room, index + i));
            // release: partner is the acquire of the turn in look(); publishes the element.
            at.turn.store(segment::turn_of(position + i), std::memory_order_release);
        }
        run = {claimed, index + claimed};
        return true;
    }
    template<class Fill>
    REGATTA_APART appended_run append_apart(bool even_closed, Fill& fill) {
        return append(even_closed, 1, 0, fill);
    }

    /// One attempt to claim up to `max` elements of the first segment. @returns true with the
    /// claimed elements in `found`, which is empty if the queue is; false if another thread has
    /// changed the queue meanwhile: try again.
    REGATTA_INLINE bool take_from_first(std::size_t max, batch& found) noexcept {
        std::uint64_t position = 0;
        // release: partner is the acquire in taken(); publishes that the element had been appended.
        return look(max, found, position) &&
               (found.count_ == 0 || found.at_->head.compare_exchange_weak(
                                         position, position + found.count_,
                                         std::memory_order_release, std::memory_order_relaxed));
    }
    REGATTA_APART batch take_apart() noexcept { return take(1); }

    /// One look for up to `max` neighbours to claim. @param position set to that of the first.
    /// @returns as `take_from_first`, but nothing is claimed yet.
    REGATTA_INLINE bool look(std::size_t max, batch& found, std::uint64_t& position) noexcept {
        segment& s = first_segment();
        // relaxed: a guess that the compare-and-swap checks.
        position = s.head.load(std::memory_order_relaxed);
        const std::size_t index = segment::index_of(position);
        std::size_t count = 0;
        const std::size_t most = std::min(max, SegmentSize - index);
        // acquire: partner is the release of the turn in append_at_last(); the element is
        // constructed.
        while (count < most && s.cells[index + count].turn.load(std::memory_order_acquire) ==
                                   segment::turn_of(position + count)) {
            ++count;
        }
        found.at_ = &s;
        found.first_ = static_cast<std::uint32_t>(index);
        found.count_ = static_cast<std::uint32_t>(count);
        // Only the first segment holds the oldest elements. relaxed: a thread that has seen a turn
        // of a later life of the segment sees that the chain had left the earlier one.
        if (count == 0 && index == SegmentSize && leave(s)) {
            return false;
        }
        // If it is empty, unless the segment was left in between, perhaps to begin a new life.
        // relaxed: positions never recur, so an unchanged position was the first when the turn was
        // read.
        return &s == head_segment_.load(std::memory_order_relaxed) &&
               (count != 0 || position == s.head.load(std::memory_order_relaxed));
    }

    /// Advances to the segment after `s`, whose cells have all been claimed.
    /// @returns false if there is none.
    REGATTA_APART bool leave(segment& s) noexcept {
        // relaxed: a look without a lock. A producer adds the segment before it claims a cell
        // there. So what orders its element before the caller's look orders the pointer, too. In a
        // later life of `s` the caller begins again.
        if (s.next.load(std::memory_order_relaxed) == nullptr) {
            return false;
        }
        {
            const std::lock_guard lock(chain_);
            // relaxed, all three: the pointers are written under this lock. The head only shows
            // whether the segment is in a later life now.
            segment* const next = s.next.load(std::memory_order_relaxed);
            if (&s != head_segment_.load(std::memory_order_relaxed) ||
                segment::index_of(s.head.load(std::memory_order_relaxed)) != SegmentSize) {
                return true;
            }
            // The look may have been at an earlier life of `s`, in which another one followed.
            if (next == nullptr) [[unlikely]] {
                return false;
            }
            // release: partner is the acquire in look().
            head_segment_.store(next, std::memory_order_release);
        }
        finished(s, 1);
        return true;
    }

    /// Counts finished cells. The last one makes the segment a spare.
    REGATTA_APART void finished(segment& s, std::uint32_t count) noexcept {
        // release: publishes what this consumer did with its cells. acquire: what the others did
        // with theirs. They are each other's partners.
        if (s.finished.fetch_add(count, std::memory_order_acq_rel) + count == SegmentSize + 1) {
            const std::lock_guard lock(chain_);
            // relaxed: under the lock.
            s.next.store(spare_, std::memory_order_relaxed);
            spare_ = &s;
        }
    }

    /// Adds a segment to the chain behind the full segment `s`, unless another thread has done so.
    REGATTA_RARE void extend(segment& s);

    REGATTA_APART static void destroy_chain(segment* s) noexcept {
        while (s != nullptr) {
            delete std::exchange(s, s->next.load(std::memory_order_relaxed));
        }
    }

    /// The segment where producers append. Written under the lock, read by all.
    alignas(destructive_alignment)
        typename Atomics::template atomic<segment*> tail_segment_{nullptr};

    /// Held to change the chain or the spares, and to close.
    alignas(destructive_alignment) basic_adaptive_mutex<Atomics> chain_;
    segment* spare_ = nullptr; ///< Segments to fill again, linked by `next`.
    std::uint64_t last_number_ = 0;
    bool closed_ = false;

    /// The segment where consumers take. Written under the lock, read by all. Last: whoever has the
    /// queue as a member may put beside it what consumers read, too.
    alignas(destructive_alignment)
        typename Atomics::template atomic<segment*> head_segment_{nullptr};
};

template<class T, class Atomics, std::size_t SegmentSize>
void basic_segment_queue<T, Atomics, SegmentSize>::extend(segment& s) {
    std::unique_ptr<segment> fresh;
    for (;;) {
        {
            const std::lock_guard lock(chain_);
            // relaxed: written under this lock. The tail only shows whether the segment is in a
            // later life now.
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
                added->begin(++last_number_);
                // relaxed: consumers follow it under the lock.
                s.next.store(added, std::memory_order_relaxed);
                // release: partner is the acquire in append_at_last(). seq_cst: partner is the load
                // in coming(), as in append_at_last(). A thread that must see the claim must see
                // the segment.
                tail_segment_.store(added, std::memory_order_seq_cst);
                // After that: a producer that knows the segment from an earlier life may claim as
                // soon as it is open, and then appended() and coming() count its element.
                added->open(last_number_, closed_);
                return;
            }
        }
        fresh = std::make_unique<segment>(*this);
    }
}

/// The segment queue with the atomics of real programs.
template<class T, std::size_t SegmentSize = 64>
using segment_queue = basic_segment_queue<T, std_atomics, SegmentSize>;

} // namespace regatta::detail
