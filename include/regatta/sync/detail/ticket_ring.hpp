// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The producers' half of the bounded rings with many producers; `mpsc_ring` and `mpmc_ring` add
/// the consumers' half.

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

/// A ring of cells. The turn number of a cell says which operation is next.
///
/// The cell at position p (its index is p modulo the capacity) goes through the turns
///   p              free: the producer that claims position p may write
///   p + 1          full: the consumer that claims position p may read
///   p + capacity   free again, for the next round.
/// A producer first sees that the cell is free, then claims its position with one compare-and-swap
/// on the tail. So a full ring refuses at once, and no position is claimed in vain. Each cell has
/// its own cache line, because different cores write neighbouring cells.
///
/// Source: D. Vyukov, "Bounded MPMC queue", 2010.
///
/// I1: consumed <= claimed <= consumed + capacity, always.
/// I2: a cell is written only in its free turn and read only in its full turn.
/// I3: each element comes out exactly once; the elements of one producer come out in the order they
///     went in.
template<class T, class Atomics>
class basic_ticket_ring {
    static_assert(std::is_nothrow_move_constructible_v<T>,
                  "an element is moved between claim and publication, where nothing may throw");

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

    /// Appends one element; any thread.
    /// @returns false, with `args` untouched, if the ring is full or closed.
    template<class... Args>
    bool try_emplace(Args&&... args) noexcept {
        static_assert(std::is_nothrow_constructible_v<T, Args...>);
        return try_place(
            [&](auto& cell, std::uint64_t) noexcept { cell.emplace(std::forward<Args>(args)...); });
    }
    /// The same, if the ring holds fewer than `limit` elements.
    template<class... Args>
    bool try_emplace_below(std::size_t limit, Args&&... args) noexcept {
        return has_room_below(limit) && try_emplace(std::forward<Args>(args)...);
    }
    /// Whether the ring holds fewer than `limit` elements; always true unless `limit` is below the
    /// capacity.
    bool has_room_below(std::size_t limit) const noexcept {
        return limit >= capacity() || size() < limit;
    }
    /// Appends the element that `make(cell, position)` constructs in the cell; `make` must not
    /// throw.
    /// @returns false, without a call of `make`, if the ring is full or closed.
    template<class Make>
    bool try_place(Make&& make) noexcept {
        // relaxed: a guess that the compare-and-swap checks.
        std::uint64_t position = tail_.load(std::memory_order_relaxed);
        for (;;) {
            if ((position & closed_bit) != 0) {
                return false;
            }
            slot& at = slots_[index_of(position)];
            // acquire: partner is the release with which a consumer freed the cell. The old element
            // is gone before the new one is written.
            const std::uint64_t turn = at.turn.load(std::memory_order_acquire);
            const auto ahead = static_cast<std::int64_t>(turn - position);
            if (ahead == 0) {
                // seq_cst: partner is the load in coming(). A consumer announces its sleep, then
                // calls coming(). It sees this claim, or this producer sees the announcement.
                if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_seq_cst,
                                                std::memory_order_relaxed)) {
                    make(at.element, position);
                    // release: partner is the consumer's acquire of the turn; publishes the
                    // element.
                    at.turn.store(position + 1, std::memory_order_release);
                    return true;
                }
            } else if (ahead < 0) {
                return false; // Still full from the round before.
            } else {
                position = tail_.load(std::memory_order_relaxed); // Another producer claimed it.
            }
        }
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
        /// Says which operation is next. Written alternately by the producer and the consumer of
        /// the cell; read by all.
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
