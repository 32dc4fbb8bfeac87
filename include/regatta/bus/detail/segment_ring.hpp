// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A bounded queue from one thread to one other that uses no more memory than its backlog needs.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/cache_lines.hpp>
#include <regatta/bus/detail/lowest_free.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// A bounded first-in-first-out queue from one producer thread to one consumer thread. Each element
/// has a small tag beside it.
///
/// The cells form segments of about 4 KB. At the end of a segment the producer goes on in the
/// lowest one that the consumer has left. So a stream with a short backlog stays in the same two or
/// three segments and in the first-level caches of both cores, whatever the capacity. A longer
/// backlog takes more segments. They fall out of use when it shrinks.
///
/// An append makes few stores: the element, the position that publishes it, and the producer's own
/// copy of it. A core carries its stores out in order. While one of them waits for a cache line,
/// those behind it fill the store queue, and then the producer waits, too. So a tag is stored only
/// if it differs from the one that the cell had before, which leaves the lines of the tags shared.
/// The copy is worth its store: the producer never reads the line that the consumer polls, and the
/// copy, written first, announces the attempt.
///
/// Threads: `try_emplace`, `try_fill`, `free_slots`, `has_room_below`, `look_closely` by the
/// producer; `consume`, `look`, `ready`, `expect_next` by the consumer; the others by any. Either
/// role may move to another thread if that hand-over synchronises.
/// Blocks: never.
/// Order: an element is seen whole, with its tag, after everything that its producer did before.
/// Failure: a full ring refuses, an empty one consumes nothing.
/// Cost: no read-modify-write; all memory at construction: the capacity and one segment.
/// Source: as `basic_spsc_ring`; the reuse of segments: M. Aldinucci et al., "An efficient
/// unbounded lock-free queue for multi-core systems", 2012.
///
/// I1: consumed <= published <= consumed + capacity, always.
/// I2: a cell is written only while it holds no element, and read only while it holds one; its tag
///     is that of its element.
/// I3: elements come out in the order in which they went in, each once.
/// I4: the producer enters a segment only when the consumer has left it, or has never been there;
///     when there is room, such a segment exists.
template<class T, class Tag, class Atomics>
class basic_segment_ring {
    static_assert(std::is_trivially_destructible_v<T>,
                  "only the owner of the ring knows by the tag how an element is destroyed");

public:
    /// The length of a segment by default: 4 KB of elements, but at most a quarter of the capacity.
    static constexpr std::size_t segment_for(std::size_t capacity) noexcept {
        constexpr std::size_t bytes = 4096;
        constexpr std::size_t most = std::bit_floor(std::max<std::size_t>(bytes / sizeof(T), 4));
        return std::clamp<std::size_t>(std::bit_ceil(std::max<std::size_t>(capacity, 1)) / 4, 1,
                                       most);
    }

    /// @param capacity at least 1; rounded up to a power of two.
    explicit basic_segment_ring(std::size_t capacity)
        : basic_segment_ring(capacity, segment_for(capacity)) {}
    /// @param segment elements in a segment: a power of two, at most the rounded capacity.
    basic_segment_ring(std::size_t capacity, std::size_t segment)
        : capacity_(std::bit_ceil(std::max<std::size_t>(capacity, 1)))
        , mask_(segment - 1)
        , shift_(static_cast<unsigned>(std::countr_zero(segment)))
        , entries_(std::bit_ceil(segments()))
        , cells_(make_cells(segments() * segment))
        , tags_(std::make_unique<tag_cell[]>(segments() * segment))
        , order_(std::make_unique<entry[]>(entries_))
        , free_(segments()) {
        for (std::size_t i = 0; i < segments() * segment; ++i) {
            // relaxed: the ring reaches other threads only by a hand-over that synchronises.
            tags_[i].store(Tag{}, std::memory_order_relaxed);
        }
    }
    basic_segment_ring(const basic_segment_ring&) = delete;
    basic_segment_ring& operator=(const basic_segment_ring&) = delete;
    /// Drops the elements that were never consumed, as they are. No other thread may use the ring
    /// any more.
    ~basic_segment_ring() = default;

    std::size_t capacity() const noexcept { return capacity_; }

    /// Producer: constructs one element at the end.
    /// @returns false, with the arguments untouched, if the ring is full.
    template<class... Args>
    bool try_emplace(Tag tag, Args&&... args) noexcept {
        return try_emplace_if([]() noexcept { return true; }, tag, std::forward<Args>(args)...);
    }
    /// Producer: the same, if `admit()` says so, once `publishing` tells of the attempt.
    /// Inlined: an element that was just put together in memory cannot be read from there as a
    /// whole before all earlier stores are carried out.
    template<class Admit, class... Args>
    REGATTA_INLINE bool try_emplace_if(Admit&& admit, Tag tag, Args&&... args) noexcept {
        static_assert(std::is_nothrow_constructible_v<T, Args...>);
        // relaxed: only the producer writes it.
        const std::size_t tail = next_.load(std::memory_order_relaxed);
        if (tail == writable_ && !extend(tail)) [[unlikely]] {
            return false;
        }
        const std::size_t at = write_ + (tail & mask_);
        expect_write(at);
        // relaxed, both: `admit` orders the first with what it asks; the second publishes nothing.
        next_.store(tail + 1, std::memory_order_relaxed);
        if (!admit()) [[unlikely]] {
            next_.store(tail, std::memory_order_relaxed);
            return false;
        }
        cells_[at].emplace(std::forward<Args>(args)...);
        set_tag(at, tag);
        // release: partner is the acquire in look(); publishes the element, its tag and the segment
        // in which they lie.
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }

    /// Producer: whether the ring holds fewer than `limit` elements, as far as it knows of room.
    bool has_room_below(std::size_t limit) noexcept {
        if (limit >= capacity_) {
            return true; // As far as this limit goes.
        }
        const std::size_t room = capacity_ - limit + 1;
        return free_slots(room) >= room;
    }

    /// Producer: constructs up to `count` elements at the end and publishes them at once.
    ///
    /// `construct(cell, i)` is called for i = 0, 1 … and calls `cell.emplace(…)`. If it throws, the
    /// elements before the one at fault are published.
    /// @returns how many there was room for.
    template<class Construct>
    std::size_t try_fill(std::size_t count, Tag tag, Construct&& construct) {
        return try_fill_if([]() noexcept { return true; }, count, tag, construct);
    }
    /// Producer: the same, if `admit()` says so, once `publishing` tells of the attempt.
    template<class Admit, class Construct>
    std::size_t try_fill_if(Admit&& admit, std::size_t count, Tag tag, Construct&& construct) {
        const std::size_t tail = next_.load(std::memory_order_relaxed);
        // relaxed: as in try_emplace_if.
        next_.store(tail + 1, std::memory_order_relaxed);
        publisher publish{*this, tail};
        if (!admit()) {
            return 0;
        }
        for (std::size_t done = 0; done != count;) {
            if (publish.next == writable_ && !extend(publish.next)) {
                break;
            }
            const std::size_t end = done + std::min(count - done, writable_ - publish.next);
            for (std::size_t at = write_ + (publish.next & mask_); done != end; ++at) {
                expect_write(at);
                construct(cells_[at], done);
                set_tag(at, tag);
                ++publish.next;
                ++done;
            }
        }
        return publish.next - tail;
    }

    /// Consumer: whether the producer is in an attempt to publish that it announced before. Once
    /// this was false, its earlier attempts are over, and the next `look` sees what they published.
    bool publishing() const noexcept {
        // relaxed, both: the caller's fence orders the first; what the second sees, or newer, the
        // next look() acquires.
        return next_.load(std::memory_order_relaxed) != tail_.load(std::memory_order_relaxed);
    }

    /// Producer: how many elements there is room for, as far as the consumer has told; may be fewer
    /// than that if it is at least `enough`.
    std::size_t free_slots(std::size_t enough) noexcept {
        const std::size_t tail = next_.load(std::memory_order_relaxed);
        const std::size_t room = capacity_ - (tail - seen_head_);
        return room >= enough ? room : refresh_head(tail);
    }

    /// Producer: learns of every free cell, also of those that the consumer has not told of yet
    /// because it is within a batch. It takes a line that the consumer writes at each element, so
    /// it is for a producer that has found no room for long.
    void look_closely() noexcept {
        // acquire: partner is the release in destroyer; the cells' old elements are gone.
        seen_head_ = done_.load(std::memory_order_acquire);
    }

    /// Consumer: calls `use(element, tag)` for up to `max` elements, in order.
    ///
    /// If `use` throws, the element counts as consumed.
    /// @returns how many it consumed.
    template<class Use>
    std::size_t consume(std::size_t max, Use&& use) {
        look();
        return consume_seen(max, use);
    }

    /// Consumer: looks how many elements there are, for `consume_seen`.
    void look() noexcept {
        // acquire: partner is the release of try_emplace_if and try_fill_if; see there.
        seen_tail_ = tail_.load(std::memory_order_acquire);
    }

    /// Consumer: whether there are elements left that the last `look` saw.
    bool seen() const noexcept {
        // relaxed: only the consumer writes it.
        return seen_tail_ != done_.load(std::memory_order_relaxed);
    }
    /// Consumer: as `consume`, of those elements that were there at the last `look`. To take also
    /// those that came in since would bring the consumer to the very line that the producer writes.
    template<class Use>
    std::size_t consume_seen(std::size_t max, Use&& use) {
        // relaxed: only the consumer writes it.
        const std::size_t head = done_.load(std::memory_order_relaxed);
        const std::size_t end = head + std::min(seen_tail_ - head, max);
        if (end == head) {
            return 0; // Without a store, so that the next look begins sooner.
        }
        const releaser release{*this};
        for (std::size_t next = head; next != end;) {
            const std::size_t offset = next & mask_;
            if (offset == 0) {
                // relaxed, both: the acquire of tail_ has made the first visible; the second is the
                // consumer's own.
                read_.store(order_[entry_of(next)].load(std::memory_order_relaxed) * segment(),
                            std::memory_order_relaxed);
            }
            // Up to the end, that of the segment, or the next time that it gives room back.
            const std::size_t stop = next + std::min({end - next, segment() - offset,
                                                      release_interval - next % release_interval});
            // One index for the position, the cell and the tag: of three that run along, not all
            // stay in registers. The difference wraps.
            const std::size_t shift = read_.load(std::memory_order_relaxed) + offset - next;
            cell* const cells = cells_.get();
            const tag_cell* const tags = tags_.get();
            const std::size_t soon = next + std::min(stop - next, cells_ahead);
            for (std::size_t at = next; at != soon; ++at) {
                expect_use(shift + at);
            }
            while (next != stop) {
                const std::size_t at = shift + next++;
                if (stop - next >= cells_ahead) {
                    expect_use(at + cells_ahead);
                }
                const destroyer destroy{*this, at, next};
                use(cells[at].get(), tags[at].load(std::memory_order_relaxed));
            } // destroyed here, before the producer may get the cell
            release.now();
        }
        return end - head;
    }

    /// Consumer: whether there is something to consume.
    bool ready() const noexcept {
        // relaxed: only a hint; consume() acquires.
        return tail_.load(std::memory_order_relaxed) != done_.load(std::memory_order_relaxed);
    }

    /// Consumer: brings the lines of the next element near while the ring is empty, so that the
    /// element and the position that publishes it travel at the same time. Of a large element the
    /// first and the last. A hint, which a thread that only takes itself for the consumer may give,
    /// too.
    void expect_next() const noexcept {
        // relaxed, both: the consumer's own values.
        const std::size_t offset = done_.load(std::memory_order_relaxed) & mask_;
        if (offset != 0) {
            const cell* const next = &cells_[read_.load(std::memory_order_relaxed) + offset];
            REGATTA_PREFETCH(next);
            REGATTA_PREFETCH(reinterpret_cast<const char*>(next + 1) - 1);
        }
    }

    /// How many elements were ever published; any thread.
    std::size_t published() const noexcept {
        // relaxed: a number; coherence keeps it from going back.
        return tail_.load(std::memory_order_relaxed);
    }
    /// How many elements were ever consumed; any thread. If read first, it is never more than
    /// `published`.
    std::size_t consumed() const noexcept {
        // acquire: partner is the consumer's release of done_, which follows its acquire of tail_.
        return done_.load(std::memory_order_acquire);
    }
    /// About how many elements it holds; exact when neither side is at work.
    std::size_t size() const noexcept {
        // acquire: done must not be newer than tail, or the difference could wrap below zero;
        // partner is the consumer's release of done, which comes after its acquire of tail.
        const std::size_t done = done_.load(std::memory_order_acquire);
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        return tail - done;
    }
    /// Producer: how many segments have been in use at least once.
    std::size_t segments_used() const noexcept { return free_.used(); }

private:
    using cell = typename Atomics::template cell<T>;
    using position = typename Atomics::template atomic<std::size_t>;
    using tag_cell = typename Atomics::template atomic<Tag>;
    using entry = typename Atomics::template atomic<std::uint32_t>;

    /// The consumer tells of room at least every so many elements, so that a producer can go on
    /// while a long batch is consumed.
    static constexpr std::size_t release_interval = 64;
    /// How far ahead the producer asks for the lines of its cells: four lines.
    static constexpr std::size_t cells_ahead =
        std::max<std::size_t>(4 * cache_line_size / sizeof(cell), 1);

    struct publisher {
        basic_segment_ring& ring;
        std::size_t next;
        ~publisher() {
            // release: as in try_emplace_if. Before next_, which ends the attempt.
            ring.tail_.store(next, std::memory_order_release);
            ring.next_.store(next, std::memory_order_relaxed);
        }
    };
    struct releaser {
        basic_segment_ring& ring;
        void now() const noexcept {
            // relaxed: only the consumer writes it.
            const std::size_t done = ring.done_.load(std::memory_order_relaxed);
            // release: partner is the acquire in refresh_head(); says that the cells are empty
            // again, and the segments behind them left.
            ring.head_.store(done, std::memory_order_release);
        }
        ~releaser() { now(); }
    };
    struct destroyer {
        basic_segment_ring& ring;
        const std::size_t at;
        const std::size_t next;
        ~destroyer() {
            cell& done = ring.cells_[at];
            done.destroy();
            // Of several elements in a line the last one does: beside an earlier one the producer
            // may be at work.
            if (ends_line(at)) {
                done.own_lines();
            }
            // release: partner is the acquire in look_closely(); the cell is empty.
            ring.done_.store(next, std::memory_order_release);
        }
    };

    /// Cells begin at a cache line: elements of whole lines share none with their neighbours.
    static constexpr std::align_val_t cells_alignment{std::max(cache_line_size, alignof(cell))};
    struct cells_end {
        std::size_t count;
        void operator()(cell* cells) const noexcept {
            std::destroy_n(cells, count);
            ::operator delete(static_cast<void*>(cells), cells_alignment);
        }
    };
    static std::unique_ptr<cell[], cells_end> make_cells(std::size_t count) {
        void* const at = ::operator new(count * sizeof(cell), cells_alignment);
        auto* const cells = static_cast<cell*>(at);
        static_assert(std::is_nothrow_default_constructible_v<cell>);
        std::uninitialized_default_construct_n(cells, count);
        return {cells, cells_end{count}};
    }

    std::size_t segment() const noexcept { return mask_ + 1; }
    /// One more than the capacity fills: the consumer may be at the end of one segment while the
    /// producer is at the beginning of another (I4).
    std::size_t segments() const noexcept { return (capacity_ >> shift_) + 1; }
    /// Where `order_` says which segment the element at this position lies in.
    std::size_t entry_of(std::size_t at) const noexcept { return (at >> shift_) & (entries_ - 1); }

    /// Whether this cell is the first, or the last, of those that lie in some line. Of a cell that
    /// is as long as a line both hold.
    static bool begins_line(std::size_t at) noexcept {
        return at * sizeof(cell) % cache_line_size < sizeof(cell);
    }
    static bool ends_line(std::size_t at) noexcept { return begins_line(at + 1); }

    REGATTA_INLINE void set_tag(std::size_t at, Tag tag) noexcept {
        // relaxed, both: the producer owns the cell, and the position publishes its tag.
        if (tags_[at].load(std::memory_order_relaxed) != tag) {
            tags_[at].store(tag, std::memory_order_relaxed);
        }
    }

    /// Producer: asks for the lines that it writes some elements later, each once, the first ones
    /// of a large element. They arrive while the producer writes those before, and no store has to
    /// wait for them.
    REGATTA_INLINE void expect_write(std::size_t at) noexcept {
        if (begins_line(at) && (at & mask_) + cells_ahead <= mask_) {
            expect_lines(cells_[at + cells_ahead]);
        }
    }
    /// Consumer: asks for the lines of an element that is published.
    REGATTA_INLINE void expect_use(std::size_t at) const noexcept {
        if (begins_line(at)) {
            // To write: own_lines() then needs no request of its own.
            expect_lines(cells_[at]);
        }
    }

    /// Producer: reads the consumer's position anew. @returns how many cells are free.
    std::size_t refresh_head(std::size_t tail) noexcept {
        // acquire: partner is the release in releaser; the cells' old elements are gone.
        const std::size_t head = head_.load(std::memory_order_acquire);
        if (head - seen_head_ <= capacity_) { // Not back behind what look_closely() has seen.
            seen_head_ = head;
        }
        return capacity_ - (tail - seen_head_);
    }

    /// Producer, at the end of what it may write: looks how far it may go on.
    /// @returns false if the ring is full.
    REGATTA_RARE bool extend(std::size_t tail) noexcept {
        const std::size_t room = refresh_head(tail);
        if (room == 0) {
            return false;
        }
        if (tail == end_) {
            enter_segment();
        }
        writable_ = tail + std::min(room, end_ - tail);
        return true;
    }

    void enter_segment() noexcept {
        for (; seen_head_ - left_ >= segment(); left_ += segment()) {
            // relaxed: only the producer writes it.
            free_.give(order_[entry_of(left_)].load(std::memory_order_relaxed));
        }
        const std::size_t next = free_.take();
        // relaxed: the release of tail_ publishes it. Its place is free: the segments between left_
        // and end_ are fewer than the entries.
        order_[entry_of(end_)].store(static_cast<std::uint32_t>(next), std::memory_order_relaxed);
        write_ = next * segment();
        constexpr std::size_t step = std::max<std::size_t>(cache_line_size / sizeof(cell), 1);
        for (std::size_t i = 0; i < std::min(cells_ahead, segment()); i += step) {
            REGATTA_PREFETCH_WRITE(&cells_[write_ + i]);
        }
        end_ += segment();
    }

    const std::size_t capacity_;
    const std::size_t mask_; ///< One less than the elements in a segment.
    const unsigned shift_;   ///< The logarithm of the elements in a segment.
    const std::size_t entries_;
    const std::unique_ptr<cell[], cells_end> cells_;
    /// The tags of the elements in the cells. Written by the producer, read by both.
    const std::unique_ptr<tag_cell[]> tags_;
    /// Which segment follows which, in a circle. Written by the producer, read by both.
    const std::unique_ptr<entry[]> order_;

    /// How many elements were ever published; written by the producer, read by the consumer and by
    /// observers.
    alignas(destructive_alignment) position tail_{0};

    /// The producer's line. The same as tail_, but during an attempt to publish, when it is another
    /// number; written by the producer, read by it and by `publishing`.
    alignas(destructive_alignment) position next_{0};
    std::size_t writable_ = 0;  ///< The position up to which it may write without a look.
    std::size_t write_ = 0;     ///< The first cell of its segment.
    std::size_t seen_head_ = 0; ///< Its copy of head_ or done_; never ahead of done_.
    std::size_t end_ = 0;       ///< The position at which its segment ends.
    std::size_t left_ = 0;      ///< Segments before this position were given to `free_`.
    lowest_free free_;

    /// How many elements were ever consumed, as far as the consumer has told; written by it, read
    /// by the producer.
    alignas(destructive_alignment) position head_{0};

    /// The consumer's line. How many elements were ever consumed; written by the consumer at each,
    /// read by it, by observers, and by a producer that has found no room for long.
    alignas(destructive_alignment) position done_{0};
    std::size_t seen_tail_ = 0; ///< The consumer's copy of tail_; never ahead of it.
    position read_{0};          ///< The first cell of the consumer's segment.
};

/// The ring of real programs.
template<class T, class Tag>
using segment_ring = basic_segment_ring<T, Tag, std_atomics>;

} // namespace regatta::detail
