// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A bounded queue from one thread to one other.

#include <regatta/base/cache_line.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/detail/ring_capacity.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace regatta {

/// A bounded first-in-first-out queue from one producer thread to one consumer thread.
///
/// Each side keeps its own copy of the other's position. It reads the shared position only when its
/// copy shows too little. The consumer gives room back once for many elements. So in a stream the
/// two cores exchange one cache line for many elements, not several for each.
///
/// Threads: `try_emplace`, `try_fill`, `free_slots` by the producer; `consume` by the consumer;
/// `size` by any. Either role may move to another thread if that hand-over synchronises.
/// Blocks: never.
/// Order: an element is seen whole, after everything that its producer did before.
/// Failure: a full ring refuses, an empty one consumes nothing.
/// Cost: no read-modify-write; one allocation at construction, none later.
/// Source: L. Lamport, "Specifying concurrent program modules", 1983; the cached positions:
/// J. Giacomoni et al., "FastForward for efficient pipeline parallelism", 2008, and P. Lee et al.,
/// "A lock-free, cache-efficient shared ring buffer for multi-core architectures", 2009.
///
/// I1: consumed <= published <= consumed + capacity, always.
/// I2: a cell is written only while it holds no element, and read only while it holds one.
/// I3: elements come out in the order in which they went in, each once.
template<class T, class Atomics>
class basic_spsc_ring {
public:
    /// @param capacity at least 1; rounded up to a power of two. Throws `std::invalid_argument` for
    /// one that no memory can hold.
    explicit basic_spsc_ring(std::size_t capacity)
        : mask_(detail::ring_capacity(capacity, 1, sizeof(cell)) - 1)
        , cells_(std::make_unique<cell[]>(mask_ + 1)) {}
    basic_spsc_ring(const basic_spsc_ring&) = delete;
    basic_spsc_ring& operator=(const basic_spsc_ring&) = delete;
    /// Destroys the elements that were never consumed. No other thread may use the ring any more.
    ~basic_spsc_ring() {
        // First those that the consumer had seen, then the rest.
        while (consume(capacity(), [](T&) noexcept {}) != 0) {
        }
    }

    std::size_t capacity() const noexcept { return mask_ + 1; }

    /// Producer: constructs one element at the end.
    /// @returns false, with the arguments untouched, if the ring is full.
    template<class... Args>
    bool try_emplace(Args&&... args) {
        // relaxed: only the producer writes it.
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        if (tail - seen_head_ > mask_ && refresh_head(tail) == 0) {
            return false;
        }
        cells_[tail & mask_].emplace(std::forward<Args>(args)...);
        // release: partner is the acquire in consume(); publishes the element.
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }

    /// Producer: constructs up to `count` elements at the end and publishes them together.
    ///
    /// Calls `construct(cell, i)` for i = 0, 1 …, which calls `cell.emplace(…)`. If `construct`
    /// throws, the elements before the failed one are published.
    /// @returns how many there was room for.
    template<class Construct>
    std::size_t try_fill(std::size_t count, Construct&& construct) {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        std::size_t room = capacity() - (tail - seen_head_);
        if (room < count) {
            room = refresh_head(tail);
        }
        publisher publish{*this, tail};
        for (const std::size_t end = tail + std::min(room, count); publish.next != end;
             ++publish.next) {
            construct(cells_[publish.next & mask_], publish.next - tail);
        }
        return publish.next - tail;
    }

    /// Producer: how many elements there is room for; exact if fewer than `enough`.
    std::size_t free_slots(std::size_t enough) noexcept {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        const std::size_t room = capacity() - (tail - seen_head_);
        return room >= enough ? room : refresh_head(tail);
    }

    /// Consumer: calls `use(element)` for up to `max` elements, in order, and destroys each.
    ///
    /// If `use` throws, the element counts as consumed. `use` must not consume from the same ring.
    /// @returns how many it consumed.
    template<class Use>
    std::size_t consume(std::size_t max, Use&& use) {
        // relaxed: only the consumer writes it.
        const std::size_t head = head_.load(std::memory_order_relaxed);
        if (seen_tail_ - head < max) {
            // acquire: partner is the release in try_emplace and try_fill.
            seen_tail_ = tail_.load(std::memory_order_acquire);
        }
        const std::size_t end = head + std::min(seen_tail_ - head, max);
        releaser release{*this, head};
        while (release.next != end) {
            {
                cell& next = cells_[release.next & mask_];
                const destroyer destroy{next};
                ++release.next;
                use(next.get());
            } // Destroyed here, before the producer may get the cell.
            if ((release.next & (release_interval - 1)) == 0) {
                release.now();
            }
        }
        return end - head;
    }

    /// Consumer: whether there is an element to consume.
    bool ready() const noexcept {
        // relaxed: a hint; consume() acquires.
        return tail_.load(std::memory_order_relaxed) != head_.load(std::memory_order_relaxed);
    }

    /// How many elements were ever published; any thread.
    std::size_t published() const noexcept {
        // relaxed: only a number; coherence keeps it from decreasing.
        return tail_.load(std::memory_order_relaxed);
    }
    /// How many elements were ever consumed; any thread. If read first, it never exceeds
    /// `published`.
    std::size_t consumed() const noexcept {
        // acquire: partner is the consumer's release of head_, which follows its acquire of tail_.
        return head_.load(std::memory_order_acquire);
    }

    /// About how many elements the ring holds; exact when neither side is at work.
    std::size_t size() const noexcept {
        // acquire: head must not be newer than tail, or the difference could wrap below zero.
        // Partner is the consumer's release of head_, which follows its acquire of tail_.
        const std::size_t head = head_.load(std::memory_order_acquire);
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        return tail - head;
    }

private:
    using cell = typename Atomics::template cell<T>;
    using position = typename Atomics::template atomic<std::size_t>;

    /// The consumer gives room back at least once per this many elements. So a producer can
    /// continue while a long batch is consumed.
    static constexpr std::size_t release_interval = 64;

    struct publisher {
        basic_spsc_ring& ring;
        std::size_t next;
        // release: as in try_emplace.
        ~publisher() { ring.tail_.store(next, std::memory_order_release); }
    };
    struct releaser {
        basic_spsc_ring& ring;
        std::size_t next;
        // release: partner is the acquire in refresh_head(); the cells are empty again.
        void now() noexcept { ring.head_.store(next, std::memory_order_release); }
        ~releaser() { now(); }
    };
    struct destroyer {
        cell& done;
        ~destroyer() { done.destroy(); }
    };

    /// Producer: reads the consumer's position again. @returns how many cells are free.
    std::size_t refresh_head(std::size_t tail) noexcept {
        // acquire: partner is the release in releaser; the cells' old elements are gone.
        seen_head_ = head_.load(std::memory_order_acquire);
        return capacity() - (tail - seen_head_);
    }

    const std::size_t mask_;
    const std::unique_ptr<cell[]> cells_;

    /// The producer's line. Elements ever published; written by the producer, read by both.
    alignas(destructive_alignment) position tail_{0};
    std::size_t seen_head_ = 0; ///< The producer's copy of head_; never ahead of it.

    /// The consumer's line. Elements ever consumed; written by the consumer, read by both.
    alignas(destructive_alignment) position head_{0};
    std::size_t seen_tail_ = 0; ///< The consumer's copy of tail_; never ahead of it.
};

/// The single-producer single-consumer ring of real programs.
template<class T>
using spsc_ring = basic_spsc_ring<T, std_atomics>;

} // namespace regatta
