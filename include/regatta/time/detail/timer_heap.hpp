// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A heap of points in time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace regatta::detail {

/// A 4-ary heap of points in time that tracks the position of each member, so that any member can
/// be erased. Members are small numbers chosen by the caller. Members due at the same time come out
/// in insertion order.
///
/// Threads: as a plain value.
/// Failure: only `make_room` can fail.
/// Cost: `push`, `pop` and `erase` take O(log n). With four children per member it has half the
/// levels of a binary heap, and the children of one member are adjacent in memory.
/// Source: J. W. J. Williams 1964; D. B. Johnson 1975 for more than two children.
///
/// I1: no member is due before its parent.
/// I2: positions_[m] is the position of member m, or `nowhere`.
class timer_heap {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using member = std::uint32_t;

    bool empty() const noexcept { return entries_.empty(); }
    std::size_t size() const noexcept { return entries_.size(); }
    bool contains(member m) const noexcept {
        return m < positions_.size() && positions_[m] != nowhere;
    }

    /// Allocates space for the members 0 … `count` - 1. If it throws `std::bad_alloc`, nothing has
    /// changed.
    void make_room(std::size_t count) {
        if (count > entries_.capacity()) {
            entries_.reserve(count > 2 * entries_.capacity() ? count : 2 * entries_.capacity());
        }
        if (count > positions_.size()) {
            positions_.resize(count, nowhere);
        }
    }

    /// Inserts a member that is not in the heap and for which `make_room` was called.
    void push(member m, time_point due) noexcept {
        entries_.push_back({due, ++pushed_, m});
        rise(entries_.size() - 1, entries_.back());
    }

    /// The member that is due first, and its time. The heap must not be empty.
    member first() const noexcept { return entries_.front().which; }
    time_point first_due() const noexcept { return entries_.front().due; }

    /// Removes and returns the first member.
    member pop() noexcept {
        const member m = first();
        erase(m);
        return m;
    }

    /// Removes a member that is in the heap.
    void erase(member m) noexcept {
        const std::size_t at = positions_[m];
        positions_[m] = nowhere;
        const entry last = entries_.back();
        entries_.pop_back();
        if (at == entries_.size()) {
            return; // the removed entry was the last
        }
        if (at != 0 && last.before(entries_[parent(at)])) {
            rise(at, last);
        } else {
            sink(at, last);
        }
    }

private:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t arity = 4;

    struct entry {
        time_point due;
        std::uint64_t order; ///< The number of `push` calls up to this entry.
        member which;

        bool before(const entry& other) const noexcept {
            return due != other.due ? due < other.due : order < other.order;
        }
    };

    static std::size_t parent(std::size_t at) noexcept { return (at - 1) / arity; }

    void put(std::size_t at, const entry& e) noexcept {
        entries_[at] = e;
        positions_[e.which] = static_cast<std::uint32_t>(at);
    }

    /// Puts `e` at `at` or as far above as it belongs. By value: the entry's own place is written.
    void rise(std::size_t at, entry e) noexcept {
        while (at != 0 && e.before(entries_[parent(at)])) {
            put(at, entries_[parent(at)]);
            at = parent(at);
        }
        put(at, e);
    }

    /// Puts `e` at `at` or as far below as it belongs.
    void sink(std::size_t at, entry e) noexcept {
        for (;;) {
            const std::size_t begin = arity * at + 1;
            if (begin >= entries_.size()) {
                break;
            }
            const std::size_t end =
                begin + arity < entries_.size() ? begin + arity : entries_.size();
            std::size_t least = begin;
            for (std::size_t child = begin + 1; child < end; ++child) {
                if (entries_[child].before(entries_[least])) {
                    least = child;
                }
            }
            if (!entries_[least].before(e)) {
                break;
            }
            put(at, entries_[least]);
            at = least;
        }
        put(at, e);
    }

    std::vector<entry> entries_;
    std::vector<std::uint32_t> positions_;
    std::uint64_t pushed_ = 0;
};

} // namespace regatta::detail
