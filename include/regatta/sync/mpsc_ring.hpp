// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A bounded queue from many threads to one.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/cache_lines.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/sync/detail/ticket_ring.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

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
/// Producers know by the consumer's position which cells are free, and keep a common copy of it. So
/// a producer need not wait for the line of a cell to come back before it claims it. It asks for
/// the lines ahead of time, and finds them in the consumer's cache alone
/// (base/detail/cache_lines.hpp).
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

    /// Appends one element; any thread.
    /// @returns false, with `args` untouched, if the ring is full or closed.
    template<class... Args>
    bool try_emplace(Args&&... args) noexcept {
        static_assert(std::is_nothrow_constructible_v<T, Args...>);
        // relaxed: a guess that the compare-and-swap checks.
        std::uint64_t position = this->tail_.load(std::memory_order_relaxed);
        for (;;) {
            if ((position & base::closed_bit) != 0 || !is_free(position)) {
                return false;
            }
            // relaxed: is_free() has acquired the cell, and the turn publishes it.
            if (this->tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed,
                                                  std::memory_order_relaxed)) {
                expect_write(position);
                auto& at = this->slots_[this->index_of(position)];
                at.element.emplace(std::forward<Args>(args)...);
                // release: partner is the consumer's acquire of the turn; publishes the element.
                at.turn.store(position + 1, std::memory_order_release);
                return true;
            }
        }
    }
    /// The same, if the ring holds fewer than `limit` elements.
    template<class... Args>
    bool try_emplace_below(std::size_t limit, Args&&... args) noexcept {
        return this->has_room_below(limit) && try_emplace(std::forward<Args>(args)...);
    }

    /// Calls `use(element)` for up to `max` elements, in order, and destroys each: in a stream
    /// those that were there at the beginning, otherwise as long as there are any.
    ///
    /// If `use` throws, the element counts as consumed. `use` must not consume from the same ring.
    /// @returns how many it consumed.
    template<class Use>
    std::size_t consume(std::size_t max, Use&& use) {
        look();
        return consume_seen(max, use);
    }

    /// Consumer: looks how far `consume_seen` may go. In a stream, that is if it has consumed
    /// several elements since the last look, to where producers have claimed cells by now.
    /// Otherwise as far as there are elements: who waits for a single one needs no second line.
    void look() noexcept {
        // relaxed: only the consumer writes it.
        const std::uint64_t position = this->head_.load(std::memory_order_relaxed);
        seen_tail_ = position - looked_at_ > 1 ? this->claimed() : no_limit;
        looked_at_ = position;
    }
    /// As `consume`, but not beyond what the last `look` saw. To try the cell behind the newest
    /// element takes its line away from the producer that writes it.
    template<class Use>
    std::size_t consume_seen(std::size_t max, Use&& use) {
        // relaxed: only the consumer writes it.
        const std::uint64_t begin = this->head_.load(std::memory_order_relaxed);
        const std::uint64_t end = begin + std::min<std::uint64_t>(max, seen_tail_ - begin);
        const bool bounded = seen_tail_ != no_limit;
        if (bounded) {
            for (std::uint64_t next = begin; next != begin + std::min(end - begin, cells_ahead);
                 ++next) {
                expect_use(next);
            }
        }
        std::uint64_t position = begin;
        for (; position != end; ++position) {
            auto& at = this->slots_[this->index_of(position)];
            if (!bounded) {
                expect_use(position);
            } else if (end - position > cells_ahead) {
                expect_use(position + cells_ahead);
            }
            // acquire: partner is the producer's release of the turn; the element is there.
            if (at.turn.load(std::memory_order_acquire) != position + 1) {
                break;
            }
            const releaser release{*this, at, position};
            use(at.element.get());
        }
        return detail::width_cast<std::size_t>(position - begin);
    }

    /// Whether there is an element to consume; by the consumer. If so, the next `consume` finds it.
    bool ready() const noexcept {
        // relaxed: only the consumer writes it.
        const std::uint64_t position = this->head_.load(std::memory_order_relaxed);
        // acquire: partner is the producer's release of the turn; look() then sees its claim.
        return this->slots_[this->index_of(position)].turn.load(std::memory_order_acquire) ==
               position + 1;
    }

private:
    /// How many cells ahead each side asks for lines: as many as are under way at a time.
    static constexpr std::uint64_t cells_ahead =
        std::max<std::uint64_t>(8 * cache_line_size / sizeof(typename base::slot), 1);
    static constexpr std::uint64_t no_limit = ~std::uint64_t{0};

    struct releaser {
        basic_mpsc_ring& queue;
        typename base::slot& at;
        std::uint64_t position;
        ~releaser() {
            at.element.destroy();
            at.element.own_lines();
            // release: partner is the acquire in is_free(), size() and consumed(); the cell is
            // empty.
            queue.head_.store(position + 1, std::memory_order_release);
        }
    };

    /// Whether the cell at this position, if nobody has claimed that yet, is free. A position older
    /// than the consumer's counts as free: it was claimed.
    bool is_free(std::uint64_t position) noexcept {
        const auto full = static_cast<std::int64_t>(this->capacity());
        const auto ahead_of = [position](std::uint64_t head) {
            return static_cast<std::int64_t>(position - head);
        };
        // acquire: partner is the release below; passes on what another producer has acquired.
        const std::uint64_t seen = seen_head_.load(std::memory_order_acquire);
        if (ahead_of(seen) < full) [[likely]] {
            return true;
        }
        // acquire: partner is the release in releaser; the old element is gone.
        const std::uint64_t head = this->head_.load(std::memory_order_acquire);
        if (head != seen) { // Else those who find the ring full would write the line in turn.
            // release: partner is the acquire above. It may replace a newer one; that costs a look.
            seen_head_.store(head, std::memory_order_release);
        }
        return ahead_of(head) < full;
    }

    /// Asks for the lines of a later cell, the first ones of a large cell. They arrive while those
    /// before it are written: on x86 a compare-and-swap waits for all earlier stores, and so for
    /// their lines.
    REGATTA_INLINE void expect_write(std::uint64_t position) noexcept {
        detail::expect_lines(this->slots_[this->index_of(position + cells_ahead)]);
    }

    /// Consumer: asks for the lines of a cell, for writing: own_lines() then needs no request of
    /// its own.
    REGATTA_INLINE void expect_use(std::uint64_t position) const noexcept {
        detail::expect_lines(this->slots_[this->index_of(position)]);
    }

    /// The consumer's line: where it was at the last look, and how far it may go.
    alignas(destructive_alignment) std::uint64_t looked_at_ = 0;
    std::uint64_t seen_tail_ = no_limit;

    /// The producers' copy of head_; never ahead of it.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> seen_head_{0};
};

/// The multi-producer single-consumer queue of real programs.
template<class T>
using mpsc_ring = basic_mpsc_ring<T, std_atomics>;

} // namespace regatta
