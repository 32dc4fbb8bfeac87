// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A bounded queue from many threads to many.

#include <regatta/sync/detail/ticket_ring.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace regatta {

/// A bounded first-in-first-out queue from any number of producers to any number of consumers.
///
/// A consumer moves an element out before it uses it, so a slow consumer holds no cell.
///
/// Threads: any, for every member.
/// Blocks: never. A thread that is descheduled between its claim and the end of its move delays the
/// threads that need the same cell.
/// Order: an element is seen whole, after everything that its producer did before.
/// Failure: a full ring refuses, an empty one gives nothing.
/// Cost: one compare-and-swap on each side; one allocation at construction.
///
/// The turn number of a cell says which operation is next: p means free for the producer that
/// claims position p, p + 1 full for its consumer, and p + capacity free again, for the next round.
///
/// Source and invariants I1, I2, I3: as `basic_ticket_ring`.
template<class T, class Atomics>
class basic_mpmc_ring : public detail::basic_ticket_ring<T, Atomics> {
    using base = detail::basic_ticket_ring<T, Atomics>;
    static_assert(std::is_nothrow_move_constructible_v<T>,
                  "an element is moved out of its claimed cell, where nothing may throw");

public:
    using base::base;
    /// Destroys the elements that were never taken. No other thread may use the ring any more.
    ~basic_mpmc_ring() {
        while (try_use([](std::uint64_t) noexcept {}, [](T&) noexcept {})) {
        }
    }

    /// Appends one element; any thread.
    /// @returns false, with `args` untouched, if the ring is full or closed.
    template<class... Args>
    bool try_emplace(Args&&... args) noexcept {
        static_assert(std::is_nothrow_constructible_v<T, Args...>);
        return try_place(
            [&](auto& cell, std::uint64_t) noexcept { cell.emplace(std::forward<Args>(args)...); });
    }
    /// Appends the element that `make(cell, position)` constructs in the cell; `make` must not
    /// throw.
    /// @returns false, without a call of `make`, if the ring is full or closed.
    template<class Make>
    bool try_place(Make&& make) noexcept {
        // relaxed: a guess that the compare-and-swap checks.
        std::uint64_t position = this->tail_.load(std::memory_order_relaxed);
        for (;;) {
            if ((position & base::closed_bit) != 0) {
                return false;
            }
            auto& at = this->slots_[this->index_of(position)];
            // acquire: partner is the release with which a consumer freed the cell. The old element
            // is gone before the new one is written.
            const std::uint64_t turn = at.turn.load(std::memory_order_acquire);
            const auto ahead = static_cast<std::int64_t>(turn - position);
            if (ahead == 0) {
                // seq_cst: partner is the load in coming(). A consumer announces its sleep, then
                // calls coming(). It sees this claim, or this producer sees the announcement.
                if (this->tail_.compare_exchange_weak(position, position + 1,
                                                      std::memory_order_seq_cst,
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
                position =
                    this->tail_.load(std::memory_order_relaxed); // Another producer claimed it.
            }
        }
    }

    /// Takes the oldest element; nothing if the ring is empty.
    std::optional<T> try_take() noexcept {
        std::optional<T> taken;
        try_use([](std::uint64_t) noexcept {},
                [&](T& element) noexcept { taken.emplace(std::move(element)); });
        return taken;
    }
    /// Takes the oldest element and calls `use(element)` once its cell is free again. First it
    /// calls `at_position(position)`, while no producer can claim that position again. Neither may
    /// throw. @returns whether there was an element.
    template<class At, class Use>
    bool try_use(At&& at_position, Use&& use) noexcept {
        // relaxed: a guess that the compare-and-swap checks.
        std::uint64_t position = this->head_.load(std::memory_order_relaxed);
        for (;;) {
            auto& at = this->slots_[this->index_of(position)];
            // acquire: partner is the producer's release of the turn; the element is there.
            const std::uint64_t turn = at.turn.load(std::memory_order_acquire);
            const auto ahead = static_cast<std::int64_t>(turn - (position + 1));
            if (ahead == 0) {
                // release: partner is the acquire in consumed(). A thread that sees the position
                // taken also sees what this thread announced before (that it is at work).
                if (this->head_.compare_exchange_weak(position, position + 1,
                                                      std::memory_order_release,
                                                      std::memory_order_relaxed)) {
                    T taken(std::move(at.element.get()));
                    at.element.destroy();
                    at_position(position);
                    // release: partner is the acquire of the turn in try_place; the cell is
                    // empty.
                    at.turn.store(position + this->capacity(), std::memory_order_release);
                    use(taken);
                    return true;
                }
            } else if (ahead < 0) {
                return false;
            } else {
                position = this->head_.load(std::memory_order_relaxed);
            }
        }
    }

    /// Whether there seems to be an element to take.
    bool ready() const noexcept {
        // relaxed, both: a hint; the consumer then calls try_take(), which acquires.
        const std::uint64_t position = this->head_.load(std::memory_order_relaxed);
        const auto turn =
            this->slots_[this->index_of(position)].turn.load(std::memory_order_relaxed);
        // A larger turn: another consumer took the element, so look again.
        return static_cast<std::int64_t>(turn - (position + 1)) >= 0;
    }
    /// The same, also for an element that is just being appended. For a consumer that has announced
    /// its sleep by a seq_cst operation.
    bool coming() const noexcept {
        // relaxed: an older value makes the answer true more often, never less.
        const std::uint64_t position = this->head_.load(std::memory_order_relaxed);
        // seq_cst: partner is the compare-and-swap in try_place().
        return (this->tail_.load(std::memory_order_seq_cst) & ~base::closed_bit) != position;
    }
};

/// The multi-producer multi-consumer ring of real programs.
template<class T>
using mpmc_ring = basic_mpmc_ring<T, std_atomics>;

} // namespace regatta
