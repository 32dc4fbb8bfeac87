// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Partitions a range: without branches, by swaps, and in parallel.

#include <regatta/fork/detail/small_sort.hpp>
#include <regatta/fork/join.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace regatta::detail {

/// Moves the elements for which `pred` holds to the front. @returns the first of the others.
///
/// Failure: where `pred` throws, the elements are permuted, and none is lost.
template<class Iterator, class Predicate>
Iterator partition_serial(Iterator first, Iterator last, Predicate pred) {
    return std::partition(first, last, pred);
}

/// The same without a branch. One element is out of its place, so that each step moves two others
/// and swaps none. Source: L. Bergdoll and O. Peters, "Branchless Lomuto partitioning", 2023.
template<class T, class Predicate>
requires copied_while_sorted<T> T* partition_serial(T* first, T* last, Predicate pred) {
    if (first == last) {
        return first;
    }
    T* next = first; // Where the next element for which `pred` holds goes.
    sort_hole<T> hole(first);
    const auto step = [&](T* read) {
        const T value = *read;
        *hole.place = *next;
        *next = value;
        hole.place = read;
        next += static_cast<bool>(pred(value));
    };
    T* read = first + 1;
    for (; last - read >= 4; read += 4) {
        step(read), step(read + 1), step(read + 2), step(read + 3);
    }
    for (; read != last; ++read) {
        step(read);
    }
    *hole.place = *next;
    hole.place = next;
    return next + static_cast<bool>(pred(hole.value));
}

/// Partitions chunks in parallel, then swaps what lies on the wrong side of the common boundary.
template<class Iterator, class Predicate>
class chunked_partition {
    using difference = std::iter_difference_t<Iterator>;

public:
    /// Of so few elements the forks would be a part of the cost that can be measured.
    static constexpr difference smallest = difference{1} << 17;

    chunked_partition(Iterator first, Iterator last, Predicate pred)
        : first_(first)
        , count_(last - first)
        , pred_(pred) {}

    Iterator operator()() {
        partition_chunks(0, chunks);
        difference holding = 0;
        for (int i = 0; i < chunks; ++i) {
            holding += holds_until_[i] - begin_of(i);
        }
        swap_across(holding);
        return first_ + holding;
    }

private:
    static constexpr int chunks = 16;

    /// Elements of one side of a chunk that lie on the other side of the boundary.
    struct misplaced {
        difference begin;
        difference end;
    };

    difference begin_of(int chunk) const { return count_ / chunks * chunk; }
    difference end_of(int chunk) const {
        return chunk + 1 == chunks ? count_ : begin_of(chunk + 1);
    }

    void partition_chunks(int begin, int end) {
        if (end - begin == 1) {
            const Iterator boundary =
                partition_serial(first_ + begin_of(begin), first_ + end_of(begin), pred_);
            holds_until_[begin] = boundary - first_;
            return;
        }
        const int mid = begin + (end - begin) / 2;
        regatta::join([this, begin, mid] { partition_chunks(begin, mid); },
                      [this, mid, end] { partition_chunks(mid, end); });
    }

    void swap_across(difference boundary) {
        misplaced left[chunks];
        misplaced right[chunks];
        int lefts = 0;
        int rights = 0;
        for (int i = 0; i < chunks; ++i) {
            const difference holds_until = holds_until_[i];
            if (holds_until < std::min(end_of(i), boundary)) {
                left[lefts++] = {holds_until, std::min(end_of(i), boundary)};
            }
            if (std::max(begin_of(i), boundary) < holds_until) {
                right[rights++] = {std::max(begin_of(i), boundary), holds_until};
            }
        }
        difference total = 0;
        for (int i = 0; i < lefts; ++i) {
            total += left[i].end - left[i].begin;
        }
        if (total != 0) { // Otherwise both lists are empty, and nothing is to be found in them.
            swap_part(left, right, 0, total);
        }
    }

    /// Swaps the misplaced elements of these numbers, counted from either list's first.
    void swap_part(const misplaced* left, const misplaced* right, difference begin,
                   difference end) {
        if (end - begin > smallest / chunks) {
            const difference mid = begin + (end - begin) / 2;
            regatta::join([=, this] { swap_part(left, right, begin, mid); },
                          [=, this] { swap_part(left, right, mid, end); });
            return;
        }
        difference left_at = begin;
        difference right_at = begin;
        const misplaced* from = find(left, left_at);
        const misplaced* to = find(right, right_at);
        for (difference rest = end - begin; rest > 0;) {
            const Iterator a = first_ + (from->begin + left_at);
            const Iterator b = first_ + (to->begin + right_at);
            const difference run =
                std::min({rest, from->end - from->begin - left_at, to->end - to->begin - right_at});
            std::swap_ranges(a, a + run, b);
            rest -= run;
            left_at += run;
            right_at += run;
            if (left_at == from->end - from->begin) {
                ++from;
                left_at = 0;
            }
            if (right_at == to->end - to->begin) {
                ++to;
                right_at = 0;
            }
        }
    }

    /// The entry that element number `at` lies in; `at` becomes its place there.
    static const misplaced* find(const misplaced* entry, difference& at) {
        for (; at >= entry->end - entry->begin; ++entry) {
            at -= entry->end - entry->begin;
        }
        return entry;
    }

    Iterator first_;
    difference count_;
    Predicate pred_;
    difference holds_until_[chunks]; ///< Of each chunk, where the elements that hold end.
};

} // namespace regatta::detail
