// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A bounded queue from many threads to one.

#include <regatta/sync/detail/ticket_ring.hpp>

#include <cstddef>
#include <cstdint>

namespace regatta {

/// A bounded first-in-first-out queue from any number of producers to one consumer.
///
/// Threads: `try_emplace`, `size`, `claimed` by any; `consume` by the one consumer. That role may
/// move to another thread by a hand-over that synchronises.
/// Blocks: never. A producer that is descheduled between claim and publication delays the elements
/// behind its own.
/// Order: an element is seen whole, after everything that its producer did before; each producer's
/// elements stay in order.
/// Failure: a full queue refuses.
/// Cost: one compare-and-swap to append, none to consume; one allocation at construction.
///
/// Source and invariants I1, I2, I3: as `basic_ticket_ring`.
template<class T, class Atomics>
class basic_mpsc_ring : public detail::basic_ticket_ring<T, Atomics> {
    using base = detail::basic_ticket_ring<T, Atomics>;

public:
    using base::base;
    /// Destroys the elements that were never consumed. No other thread may use the queue any more.
    ~basic_mpsc_ring() {
        consume(this->capacity(), [](T&) noexcept {});
    }

    /// Calls `use(element)` for up to `max` elements, in order, and destroys each.
    ///
    /// If `use` throws, the element counts as consumed. `use` must not consume from the same ring.
    /// @returns how many it consumed.
    template<class Use>
    std::size_t consume(std::size_t max, Use&& use) {
        std::size_t taken = 0;
        for (; taken != max; ++taken) {
            // relaxed: only the consumer writes it.
            const std::uint64_t position = this->head_.load(std::memory_order_relaxed);
            auto& at = this->slots_[this->index_of(position)];
            // acquire: partner is the producer's release of the turn; the element is there.
            if (at.turn.load(std::memory_order_acquire) != position + 1) {
                break;
            }
            releaser release{*this, at, position};
            use(at.element.get());
        }
        return taken;
    }

    /// Whether there is an element to consume; by the consumer.
    bool ready() const noexcept {
        // relaxed, both: a hint; consume() acquires.
        const std::uint64_t position = this->head_.load(std::memory_order_relaxed);
        return this->slots_[this->index_of(position)].turn.load(std::memory_order_relaxed) ==
               position + 1;
    }

private:
    struct releaser {
        basic_mpsc_ring& queue;
        typename base::slot& at;
        std::uint64_t position;
        ~releaser() {
            at.element.destroy();
            // release: partner is the acquire in size() and consumed(). Before the turn, so that no
            // producer claims the cell again while it still counts as full (I1).
            queue.head_.store(position + 1, std::memory_order_release);
            // release: partner is the acquire of the turn in try_emplace; the cell is empty.
            at.turn.store(position + queue.capacity(), std::memory_order_release);
        }
    };
};

/// The multi-producer single-consumer queue of real programs.
template<class T>
using mpsc_ring = basic_mpsc_ring<T, std_atomics>;

} // namespace regatta
