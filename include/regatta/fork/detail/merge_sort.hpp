// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Merge sort whose halves are forked, and whose merges are.

#include <regatta/base/config.hpp>
#include <regatta/fork/detail/fork_loop.hpp>
#include <regatta/fork/detail/small_sort.hpp>
#include <regatta/fork/join.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Sorts a range and keeps the order of equal elements.
///
/// Each level of the recursion merges to the other of range and buffer. A comparison that throws
/// ends all further comparing, and the merges become moves, so that each element comes back to the
/// range exactly once.
///
/// I1: after `sort(begin, end, depth, to_buffer)` all elements of that part lie where it says,
///     whatever was thrown.
template<class Iterator, class Compare>
class merge_sort {
    using value = std::iter_value_t<Iterator>;
    using difference = std::iter_difference_t<Iterator>;
    /// Up to this length a part is sorted by insertion.
    static constexpr difference short_range = 24;
    /// Parts and merges up to this length are not forked.
    static constexpr difference forked_range = 1024;

public:
    using reference = std::iter_reference_t<Iterator>;
    using moved = decltype(std::move(*std::declval<Iterator&>()));
    /// Whether a move cannot fail in the middle: otherwise an element might be lost. What
    /// dereferencing returns may stand for several objects, and copy them.
    static constexpr bool possible = std::is_nothrow_move_constructible_v<value> &&
                                     std::is_nothrow_move_assignable_v<value> &&
                                     std::is_nothrow_constructible_v<value, moved> &&
                                     std::is_nothrow_assignable_v<value&, moved> &&
                                     std::is_nothrow_assignable_v<reference, value> &&
                                     std::is_nothrow_assignable_v<reference, moved>;

    merge_sort(Iterator first, Iterator last, Compare& comp)
        : range_(first)
        , count_(last - first)
        , comp_(comp) {}
    merge_sort(const merge_sort&) = delete;
    merge_sort& operator=(const merge_sort&) = delete;
    ~merge_sort() {
        if (buffer_ != nullptr) {
            if (built_) {
                std::destroy_n(buffer_, count_);
            }
            ::operator delete (buffer_, std::align_val_t{alignof(value)});
        }
    }

    /// @returns false where there is no memory: nothing was done.
    /// Failure: passes on the first exception that a comparison threw.
    bool operator()() {
        int depth = 0; // Even, so that the elements end up in the range.
        for (difference part = count_; part > short_range; part = (part + 3) / 4) {
            depth += 2;
        }
        if (depth != 0) {
            buffer_ = static_cast<value*>(
                ::operator new (sizeof(value) * static_cast<std::size_t>(count_),
                                std::align_val_t{alignof(value)}, std::nothrow));
            if (buffer_ == nullptr) {
                return false;
            }
        }
        // In an open region no fork throws: none leaves elements behind in the buffer.
        std::optional<fork_stack::region> forks;
        if (count_ > forked_range) {
            forks.emplace(fork_stack::current(), fork_loop_home());
        }
        sort(0, count_, depth, false);
        built_ = depth != 0;
#if REGATTA_EXCEPTIONS
        if (error_) {
            std::rethrow_exception(std::move(error_));
        }
#endif
        return true;
    }

private:
    void sort(difference begin, difference end, int depth, bool to_buffer) noexcept {
        if (depth == 0) {
            guarded([&] { insertion_sort(range_ + begin, range_ + end); });
            return;
        }
        const difference mid = begin + (end - begin) / 2;
        const auto left = [&] { sort(begin, mid, depth - 1, !to_buffer); };
        const auto right = [&] { sort(mid, end, depth - 1, !to_buffer); };
        if (end - begin > forked_range) {
            regatta::join(left, right);
        } else {
            left();
            right();
        }
        if (!to_buffer) {
            merge<false>(buffer_ + begin, buffer_ + mid, buffer_ + mid, buffer_ + end,
                         range_ + begin);
        } else if (depth == 1) { // The first elements here: there is nothing to assign to.
            merge<true>(range_ + begin, range_ + mid, range_ + mid, range_ + end, buffer_ + begin);
        } else {
            merge<false>(range_ + begin, range_ + mid, range_ + mid, range_ + end, buffer_ + begin);
        }
    }

    /// Merges [a, a_end) with the elements that follow them in order, [b, b_end).
    template<bool Construct, class From, class To>
    void merge(From a, From a_end, From b, From b_end, To to) noexcept {
        const difference count = (a_end - a) + (b_end - b);
        if (count > 2 * forked_range && !failed()) {
            From a_mid = a + (a_end - a) / 2;
            From b_mid = b + (b_end - b) / 2;
            const bool found = guarded([&] {
                if (a_end - a >= b_end - b) {
                    b_mid = std::lower_bound(b, b_end, *a_mid, std::ref(comp_));
                } else {
                    a_mid = std::upper_bound(a, a_end, *b_mid, std::ref(comp_));
                }
            });
            if (found) {
                const To to_mid = to + ((a_mid - a) + (b_mid - b));
                regatta::join([&] { merge<Construct>(a, a_mid, b, b_mid, to); },
                              [&] { merge<Construct>(a_mid, a_end, b_mid, b_end, to_mid); });
                return;
            }
        }
        guarded([&] {
            while (a != a_end && b != b_end) {
                if constexpr (copied_while_sorted<value>) {
                    const bool second = static_cast<bool>(comp_(*b, *a));
                    put<Construct>(to++, second ? *b : *a);
                    b += second;
                    a += !second;
                } else if (comp_(*b, *a)) {
                    put<Construct>(to++, std::move(*b++));
                } else {
                    put<Construct>(to++, std::move(*a++));
                }
            }
        });
        for (; a != a_end; ++a) {
            put<Construct>(to++, std::move(*a));
        }
        for (; b != b_end; ++b) {
            put<Construct>(to++, std::move(*b));
        }
    }

    template<bool Construct, class To, class Element>
    static void put(To to, Element&& element) noexcept {
        if constexpr (Construct) {
            std::construct_at(std::to_address(to), std::forward<Element>(element));
        } else {
            *to = std::forward<Element>(element);
        }
    }

    void insertion_sort(Iterator first, Iterator last) {
        for (Iterator next = first; next != last; ++next) {
            if (next == first || !comp_(*next, next[-1])) {
                continue;
            }
            /// Puts the element back where its place was when the comparison threw.
            struct hole {
                Iterator place;
                value element;
                ~hole() { *place = std::move(element); }
            } hole{next, std::move(*next)};
            do {
                *hole.place = std::move(hole.place[-1]);
                --hole.place;
            } while (hole.place != first && comp_(hole.element, hole.place[-1]));
        }
    }

    /// Runs `compare` unless a comparison has thrown already. @returns whether it ran to its end.
    template<class Step>
    bool guarded(Step compare) noexcept {
        if (failed()) {
            return false;
        }
        REGATTA_TRY {
            compare();
            return true;
        }
        REGATTA_CATCH_ALL {
            if (!failed_.exchange(true, std::memory_order_relaxed)) {
                error_ = std::current_exception();
            }
            return false;
        }
    }

    bool failed() const noexcept {
        return failed_.load(std::memory_order_relaxed);
    }

    Iterator range_;
    difference count_;
    Compare& comp_;
    value* buffer_ = nullptr;
    bool built_ = false; ///< Whether the buffer's elements were constructed.
    /// Whether a comparison threw. Written by the workers that sort, read by them. Relaxed: what it
    /// decides is right either way, and `error_` is read after their join.
    std::atomic<bool> failed_{false};
    std::exception_ptr error_; ///< Written by the worker that set `failed_`.
};

} // namespace regatta::detail
