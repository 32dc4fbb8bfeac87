// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A segment of a `segment_queue`: its cells, and the positions of producers and consumers.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace regatta::detail {

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

    /// Rooms beside a cell come in three sizes, so that small ones lie close together.
    static constexpr std::size_t largest_room = 4 * cache_line_size;
    static constexpr unsigned room_classes = 3;
    struct alignas(cache_line_size) line {
        std::byte bytes[cache_line_size];
    };
    /// The class of a size: 0, 1 or 2 for up to 1, 2 or 4 lines.
    static constexpr unsigned room_class(std::size_t bytes) noexcept {
        return static_cast<unsigned>(std::bit_width((bytes - 1) / cache_line_size));
    }

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
    /// It takes the cells away from the consumers' caches, all at once. Otherwise each claim would
    /// wait for the one line that the task before it wrote: half of the time of an `execute`
    /// between two cores.
    void begin(std::uint64_t number) noexcept {
        for (slot& at : cells) {
            at.element.own_lines();
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
        // release: partner is the acquire of the claim in append().
        tail.store((number * stride) | (closed ? closed_bit : 0), std::memory_order_release);
    }

    /// The room beside a cell. This thread must have called `provide_rooms`.
    void* room_of(unsigned size_class, std::size_t index) noexcept {
        // relaxed: provide_rooms() has acquired it.
        return rooms[size_class].load(std::memory_order_relaxed) + (index << size_class);
    }
    /// Allocates the rooms of a class, unless they are there.
    /// Failure: `std::bad_alloc`.
    void provide_rooms(unsigned size_class) {
        auto& room = rooms[size_class];
        // acquire: partner is the release below; publishes the memory.
        line* present = room.load(std::memory_order_acquire);
        if (present != nullptr) [[likely]] {
            return;
        }
        auto fresh = std::make_unique_for_overwrite<line[]>(Size << size_class);
        while (present == nullptr) {
            // release: partner is the acquire above.
            if (room.compare_exchange_weak(present, fresh.get(), std::memory_order_release,
                                           std::memory_order_relaxed)) {
                fresh.release();
                return;
            }
        }
    }

    /// Prefetches what the next claims will write: as many cells, and the rooms beside them, as the
    /// one that ended before `index` had. Otherwise a claim would wait for them: a compare-and-swap
    /// is not executed before earlier writes are. The cells for reading, which were taken by
    /// `begin`: to own them again so early made tasks of a `dynamic_pool` slower. The rooms for
    /// writing: nobody looks at them before their cells are published.
    /// @param room the bytes beside each.
    void expect_write(std::size_t index, std::size_t count, std::size_t room) noexcept {
        constexpr std::size_t most = 16;
        index += slots_ahead;
        for (std::size_t left = std::min(count, most); left != 0 && index < Size; --left, ++index) {
            REGATTA_PREFETCH(&cells[index]);
            if (room != 0) {
                const auto* const at = static_cast<const line*>(room_of(room_class(room), index));
                for (std::size_t i = 0; i < (room + cache_line_size - 1) / cache_line_size; ++i) {
                    REGATTA_PREFETCH_WRITE(at + i);
                }
            }
        }
    }

    /// The next position that a producer claims, and the closed bit. Written and read by producers,
    /// read by `appended`.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> tail{0};
    /// The next segment in the chain, or null. Written under the lock, read by consumers.
    typename Atomics::template atomic<queue_segment*> next{nullptr};
    /// The rooms beside the cells, or null. Written by the first producer that needs them.
    typename Atomics::template atomic<line*> rooms[room_classes]{nullptr, nullptr, nullptr};
    /// The next position that a consumer claims. Written and read by consumers.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> head{0};
    /// The number of cells finished in this life, plus one when the chain has left the segment.
    /// Written and read by consumers.
    typename Atomics::template atomic<std::uint32_t> finished{0};
    Queue& owner; ///< Read by consumers.
    alignas(destructive_alignment) slot cells[Size];
};

} // namespace regatta::detail
