// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A segment of a `segment_queue`: its cells, and the positions of producers and consumers.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/cache_lines.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace regatta::detail {

/// What an element needs beside its cell: a room of 1, 2 or 4 lines, so that small ones lie close
/// together, or none.
class queue_room {
public:
    static constexpr std::size_t largest = 4 * cache_line_size;
    static constexpr unsigned sizes = 3;

    /// @param bytes at most `largest`.
    constexpr queue_room(std::size_t bytes) noexcept
        : size_(bytes == 0
                    ? 0
                    : static_cast<std::uint32_t>(std::bit_width((bytes - 1) / cache_line_size)))
        , any_(bytes != 0) {}

    constexpr bool any() const noexcept { return any_; }
    /// The logarithm of its lines: less than `sizes`.
    constexpr std::uint32_t size() const noexcept { return size_; }

private:
    std::uint32_t size_;
    bool any_;
};

/// `Size` cells for elements of type `T`, each with a turn and optionally a room beside it.
///
/// A segment has several lives, each with its own number. So a position names a cell in one life.
/// Threads: as `basic_segment_queue`, whose part it is.
/// Order: likewise.
template<class T, class Atomics, std::size_t Size, class Queue>
struct queue_segment {
    /// Bit in the tail of a segment: the queue is closed. Positions never reach it.
    static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 63;
    /// Positions of a segment. Positions from Size on are never claimed; they show that a segment
    /// is used up.
    static constexpr std::uint64_t stride = 2 * Size;
    /// The distance at which a producer prefetches cells.
    static constexpr std::size_t slots_ahead = 4;

    static std::size_t index_of(std::uint64_t position) noexcept {
        return width_cast<std::size_t>(position & (stride - 1));
    }
    static std::uint64_t turn_of(std::uint64_t position) noexcept {
        return (position & ~closed_bit) + 1;
    }
    static std::uint64_t count_of(std::uint64_t position) noexcept {
        position &= ~closed_bit;
        return position / stride * Size + index_of(position);
    }

    struct alignas(cache_line_size) slot {
        /// Position + 1 of the last element that was published here. Written by producers, read by
        /// consumers.
        typename Atomics::template atomic<std::uint64_t> turn{0};
        typename Atomics::template cell<T> element;
    };

    struct alignas(cache_line_size) line {
        std::byte bytes[cache_line_size];
    };

    explicit queue_segment(Queue& q) noexcept : owner(q) {}
    queue_segment(const queue_segment&) = delete;
    queue_segment& operator=(const queue_segment&) = delete;
    ~queue_segment() {
        for (auto& room : rooms) {
            delete[] room.load(std::memory_order_relaxed);
        }
    }

    /// Makes this segment number `number` of the chain. No cell can be claimed yet: its tail is
    /// where that of the segment before it ends.
    ///
    /// It takes the cells away from the consumers' caches, all at once, and the rooms that were in
    /// use in its life before. Otherwise each claim would wait for the lines that the task before
    /// it wrote: half of the time of an `execute` between two cores.
    void begin(std::uint64_t number) noexcept {
        for (slot& at : cells) {
            at.element.own_lines();
        }
        // relaxed, both: a hint; a producer that is late may set a bit once more.
        const std::uint32_t used = rooms_used.load(std::memory_order_relaxed);
        rooms_used.store(0, std::memory_order_relaxed);
        for (unsigned size = 0; used >> size != 0; ++size) {
            // acquire: as in provide_rooms().
            line* const at = rooms[size].load(std::memory_order_acquire);
            if (at != nullptr && (used >> size & 1) != 0) {
                std::for_each(at, at + (Size << size), [](line& one) { own_lines(one); });
            }
        }
        // relaxed, all but one: partner is the acquire of the thread that claims a cell.
        next.store(nullptr, std::memory_order_relaxed);
        finished.store(0, std::memory_order_relaxed);
        // release: partner is the acquire in taken(); publishes that the chain had left the
        // segment.
        head.store(number * stride, std::memory_order_release);
        tail.store(number * stride - Size, std::memory_order_relaxed);
    }
    /// Lets producers claim its cells. The chain has it: what is claimed counts at once.
    void open(std::uint64_t number, bool closed) noexcept {
        // release: partner is the acquire of the claim in append_at_last().
        tail.store((number * stride) | (closed ? closed_bit : 0), std::memory_order_release);
    }

    /// The rooms of that size, one for each cell; null if the element needs no room. The first call
    /// allocates them. Failure: `std::bad_alloc`.
    line* provide_rooms(queue_room room) {
        if (!room.any()) {
            return nullptr;
        }
        auto& place = rooms[room.size()];
        // acquire: partner is the release in make_rooms(); publishes the memory.
        line* present = place.load(std::memory_order_acquire);
        if (present == nullptr) [[unlikely]] {
            present = make_rooms(place, room);
        }
        // relaxed, both: a hint, which another producer's may replace.
        const std::uint32_t bit = std::uint32_t{1} << room.size();
        const std::uint32_t used = rooms_used.load(std::memory_order_relaxed);
        if ((used & bit) == 0) {
            rooms_used.store(used | bit, std::memory_order_relaxed);
        }
        return present;
    }
    /// The room of a cell. @param beside what `provide_rooms` returned for `room`.
    static void* room_at(line* beside, queue_room room, std::size_t index) noexcept {
        return room.any() ? beside + (index << room.size()) : nullptr;
    }

    /// Prefetches the cells that the next claims will write: as many as the one that ended before
    /// `index` had. For reading, since `begin` has taken them: to own them again so early made
    /// tasks of a `dynamic_pool` slower.
    void expect_write(std::size_t index, std::size_t count) noexcept {
        constexpr std::size_t most = 16;
        index += slots_ahead;
        for (std::size_t left = std::min(count, most); left != 0 && index < Size; --left, ++index) {
            REGATTA_PREFETCH(&cells[index]);
        }
    }

    /// The next position that a producer claims, and the closed bit. Written and read by producers,
    /// read by `appended`.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> tail{0};
    /// The next segment in the chain, or null. Written under the lock, read by consumers.
    typename Atomics::template atomic<queue_segment*> next{nullptr};
    /// The rooms beside the cells, or null. Written by the first producer that needs them.
    typename Atomics::template atomic<line*> rooms[queue_room::sizes]{nullptr, nullptr, nullptr};
    /// A bit for each size of rooms that an element needed in this life. Written and read by
    /// producers and by `begin`.
    typename Atomics::template atomic<std::uint32_t> rooms_used{0};
    /// The next position that a consumer claims. Written and read by consumers.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> head{0};
    /// The number of cells finished in this life, plus one when the chain has left the segment.
    /// Written and read by consumers.
    typename Atomics::template atomic<std::uint32_t> finished{0};
    Queue& owner; ///< Read by consumers.
    alignas(destructive_alignment) slot cells[Size];

private:
    REGATTA_RARE static line* make_rooms(typename Atomics::template atomic<line*>& place,
                                         queue_room room) {
        auto fresh = std::make_unique_for_overwrite<line[]>(Size << room.size());
        line* present = nullptr;
        // release: partner is the acquire in provide_rooms(). acquire: those of another thread.
        return place.compare_exchange_strong(present, fresh.get(), std::memory_order_release,
                                             std::memory_order_acquire)
                   ? fresh.release()
                   : present;
    }
};

} // namespace regatta::detail
