// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the bounded rings with many producers have in common; `mpsc_ring` and `mpmc_ring` add how
/// elements go in and come out.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/detail/ring_capacity.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// A ring of cells and the counts of the positions that were claimed: by producers with one
/// compare-and-swap on the tail, once they know that the cell is free. So a full ring refuses at
/// once, and no position is claimed in vain.
///
/// The cell at position p (its index is p modulo the capacity) has the turn number p + 1 once it is
/// full. Each cell has its own cache line, because different cores write neighbouring cells.
///
/// Source: D. Vyukov, "Bounded MPMC queue", 2010.
///
/// I1: consumed <= claimed <= consumed + capacity, always.
/// I2: a cell is written only while it is free and read only in its full turn.
/// I3: each element comes out exactly once; the elements of one producer come out in the order they
///     went in.
template<class T, class Atomics>
class basic_ticket_ring {
public:
    /// @param capacity at least 1; rounded up to a power of two, at least 2. Throws
    /// `std::invalid_argument` for one that no memory can hold.
    explicit basic_ticket_ring(std::size_t capacity)
        : mask_(ring_capacity(capacity, 2, sizeof(slot)) - 1)
        , slots_(std::make_unique<slot[]>(mask_ + 1)) {
        for (std::size_t i = 0; i <= mask_; ++i) {
            // relaxed: the ring reaches other threads only by a hand-over that synchronises.
            slots_[i].turn.store(std::uint64_t{i}, std::memory_order_relaxed);
        }
    }
    basic_ticket_ring(const basic_ticket_ring&) = delete;
    basic_ticket_ring& operator=(const basic_ticket_ring&) = delete;

    std::size_t capacity() const noexcept { return mask_ + 1; }
    /// Of the cell at a position.
    std::size_t index_of(std::uint64_t position) const noexcept {
        return width_cast<std::size_t>(position) & mask_;
    }

    /// Whether the ring holds fewer than `limit` elements; always true unless `limit` is below the
    /// capacity.
    bool has_room_below(std::size_t limit) const noexcept {
        return limit >= capacity() || size() < limit;
    }
    /// Refuses every element from now on; any thread. An element whose position was claimed before
    /// is still accepted: the order of writes to the tail decides.
    void close() noexcept {
        // relaxed: decides which claims still succeed; publishes nothing.
        tail_.fetch_or(closed_bit, std::memory_order_relaxed);
    }
    bool closed() const noexcept {
        return (tail_.load(std::memory_order_relaxed) & closed_bit) != 0;
    }

    /// In a fork of the process: the elements belong to the other process and are left alone, not
    /// destroyed. After it nothing but the destructor may be called.
    void abandon() noexcept {
        // relaxed: no other thread of this process knows the ring.
        head_.store(claimed(), std::memory_order_relaxed);
    }

    /// How many positions producers have claimed so far; any thread.
    std::uint64_t claimed() const noexcept {
        // relaxed: coherence suffices; the value is never older than what the caller has already
        // seen.
        return tail_.load(std::memory_order_relaxed) & ~closed_bit;
    }
    /// How many positions consumers have claimed so far; any thread.
    std::uint64_t consumed() const noexcept {
        // acquire: partner is the consumers' release of head_; what they announced before it.
        return head_.load(std::memory_order_acquire);
    }
    /// About how many elements the ring holds; exact when no thread uses it.
    std::size_t size() const noexcept {
        // acquire: reads head before tail, or the difference could wrap below zero.
        const std::uint64_t head = head_.load(std::memory_order_acquire);
        return static_cast<std::size_t>((tail_.load(std::memory_order_relaxed) & ~closed_bit) -
                                        head);
    }

protected:
    ~basic_ticket_ring() = default;

    struct alignas(at_least_aligned<typename Atomics::template cell<T>, cache_line_size>) slot {
        /// Says whether the cell is full. Written by its producer, in `mpmc_ring` also by its
        /// consumer; read by all.
        typename Atomics::template atomic<std::uint64_t> turn;
        typename Atomics::template cell<T> element;
    };

    /// In the tail: refuses further claims. Positions use the other 63 bits, also on 32-bit
    /// machines, and never reach this one.
    static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 63;

    const std::size_t mask_;
    const std::unique_ptr<slot[]> slots_;
    /// Positions claimed by producers, and the closed bit. Written by producers and `close`; read
    /// by producers, `claimed`, `size`, `coming`.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> tail_{0};
    /// Positions claimed by consumers. Written by consumers, read by all.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> head_{0};
};

} // namespace regatta::detail
