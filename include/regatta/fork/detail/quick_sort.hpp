// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Quicksort whose halves are forked.

#include <regatta/fork/detail/keep_exception.hpp>
#include <regatta/fork/detail/partition.hpp>
#include <regatta/fork/detail/small_sort.hpp>
#include <regatta/fork/join.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Sorts a range. Pointers to elements that are copied while sorted get the branchless kernels; for
/// all others, swaps, and `std::sort` on short ranges.
///
/// Failure: passes on what a comparison or a move throws. Then the elements are permuted; of those
/// that are not copied while sorted, some may be left moved-from, as by `std::sort`.
/// Cost: O(n log n) comparisons in the worst case. After log2 n partitions that were bad, a range
/// is sorted as a heap. Source of that bound: O. Peters, "Pattern-defeating quicksort", 2021.
template<class Iterator, class Compare>
class quick_sort {
    using value = std::iter_value_t<Iterator>;
    using difference = std::iter_difference_t<Iterator>;
    static constexpr bool branchless =
        std::is_pointer_v<Iterator> && copied_while_sorted<std::iter_value_t<Iterator>>;
    /// Ranges up to this length are left to the serial kernel.
    static constexpr difference short_range = branchless ? 31 : 128;
    /// Ranges up to this length are not forked.
    static constexpr difference forked_range = 512;
    /// From this length on, the median of nine elements estimates the range's median.
    static constexpr difference ninther_range = 128;

public:
    quick_sort(Iterator first, Iterator last, Compare& comp)
        : first_(first)
        , last_(last)
        , comp_(comp) {}

    void operator()() {
        const difference count = last_ - first_;
        if (count < 2 || one_run()) {
            return;
        }
        sort(first_, last_, static_cast<int>(std::bit_width(static_cast<std::size_t>(count))),
             true);
    }

private:
    /// Whether the range was sorted, or is now, since it was strictly descending.
    bool one_run() {
        if (comp_(first_[1], first_[0])) {
            const bool descends =
                std::adjacent_find(first_ + 1, last_, [this](const auto& a, const auto& b) {
                    return !static_cast<bool>(comp_(b, a));
                }) == last_;
            if (descends) {
                std::reverse(first_, last_);
            }
            return descends;
        }
        return std::is_sorted(first_, last_, std::ref(comp_));
    }

    /// @param bad_allowed how many bad partitions may follow.
    /// @param leftmost whether nothing lies before the range. Otherwise the element before it is
    ///        not greater than any in it.
    void sort(Iterator first, Iterator last, int bad_allowed, bool leftmost) {
        for (difference count = last - first; count > short_range; count = last - first) {
            if (bad_allowed == 0) {
                keep_exception(comp_, [&](auto comp) {
                    std::make_heap(first, last, comp);
                    std::sort_heap(first, last, comp);
                });
                return;
            }
            pivot_to_front(first, last);
            if (!leftmost && !comp_(first[-1], first[0])) {
                first = skip_equal(first, last);
                continue;
            }
            const Iterator pivot = partition(first, last);
            if (std::min(pivot - first, last - pivot - 1) < count / 8) {
                --bad_allowed;
                break_patterns(first, pivot);
                break_patterns(pivot + 1, last);
            }
            if (count > forked_range) {
                regatta::join([&] { sort(first, pivot, bad_allowed, leftmost); },
                              [&] { sort(pivot + 1, last, bad_allowed, false); });
                return;
            }
            sort(first, pivot, bad_allowed, leftmost);
            first = pivot + 1;
            leftmost = false;
        }
        if constexpr (branchless) {
            small_sort<value, Compare>{comp_}(first, last - first);
        } else {
            std::sort(first, last, std::ref(comp_));
        }
    }

    /// The range begins with its pivot. @returns where the pivot is afterwards.
    Iterator partition(Iterator first, Iterator last) {
        Iterator pivot;
        if constexpr (branchless) {
            pivot = divide(first + 1, last, last - first, [pivot = *first, this](const value& one) {
                return static_cast<bool>(comp_(one, pivot));
            });
        } else {
            pivot = divide(first + 1, last, last - first, [first, this](const auto& one) {
                return static_cast<bool>(comp_(one, *first));
            });
        }
        --pivot;
        std::iter_swap(first, pivot);
        return pivot;
    }

    /// No element is less than the pivot, with which the range begins. @returns the first that is
    /// greater.
    Iterator skip_equal(Iterator first, Iterator last) {
        if constexpr (branchless) {
            return divide(first + 1, last, last - first, [pivot = *first, this](const value& one) {
                return !static_cast<bool>(comp_(pivot, one));
            });
        } else {
            return divide(first + 1, last, last - first, [first, this](const auto& one) {
                return !static_cast<bool>(comp_(*first, one));
            });
        }
    }

    /// In parallel while the range is so large a part of all that other workers may be idle.
    template<class Predicate>
    Iterator divide(Iterator first, Iterator last, difference count, Predicate pred) {
        using chunked = chunked_partition<Iterator, Predicate>;
        if (count >= chunked::smallest && count > (last_ - first_) / 8) {
            return chunked(first, last, pred)();
        }
        return partition_serial(first, last, pred);
    }

    void pivot_to_front(Iterator first, Iterator last) {
        const difference step = (last - first) / 8;
        const Iterator mid = first + (last - first) / 2;
        Iterator pivot = mid;
        if (last - first < ninther_range) {
            pivot = median(first + step, mid, last - 1 - step);
        } else {
            pivot = median(median(first, first + step, first + 2 * step),
                           median(mid - step, mid, mid + step),
                           median(last - 1 - 2 * step, last - 1 - step, last - 1));
        }
        std::iter_swap(first, pivot);
    }

    Iterator median(Iterator a, Iterator b, Iterator c) {
        if (comp_(*b, *a)) {
            std::swap(a, b);
        }
        if (comp_(*c, *b)) {
            return comp_(*c, *a) ? a : c;
        }
        return b;
    }

    /// Swaps a few elements, so that an input which made the last pivot a bad one does not do the
    /// same to the next.
    static void break_patterns(Iterator first, Iterator last) {
        const difference count = last - first;
        if (count > short_range) {
            const difference quarter = count / 4;
            for (difference i = 0; i < 3; ++i) {
                std::iter_swap(first + i, first + (quarter + i));
                std::iter_swap(last - 1 - i, last - 1 - (quarter + i));
            }
        }
    }

    Iterator first_;
    Iterator last_;
    Compare& comp_;
};

} // namespace regatta::detail
