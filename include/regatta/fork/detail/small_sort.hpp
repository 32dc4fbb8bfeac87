// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sorts a few elements that copying makes no difference to, without a branch that depends on them.

#include <cstddef>
#include <memory>
#include <type_traits>

namespace regatta::detail {

/// Whether elements may be copied to and fro while they are sorted: then the kernels select values
/// instead of branching on comparisons, which a processor cannot predict.
template<class T>
inline constexpr bool copied_while_sorted =
    std::is_trivially_copyable_v<T>&& std::is_trivially_copy_constructible_v<T>&&
        std::is_trivially_copy_assignable_v<T>&& std::is_trivially_destructible_v<T> &&
    sizeof(T) <= 4 * sizeof(void*);

/// An element that was taken out of its place, and goes back when the scope ends: also where a
/// comparison throws, so that no element is lost.
template<class T>
struct sort_hole {
    T* place;
    T value;

    explicit sort_hole(T* from) : place(from), value(*from) {}
    sort_hole(const sort_hole&) = delete;
    sort_hole& operator=(const sort_hole&) = delete;
    ~sort_hole() { *place = value; }
};

/// Sorting of up to `largest` elements. Failure: where a comparison throws, the elements are
/// permuted, and none is lost.
template<class T, class Compare>
class small_sort {
public:
    static constexpr std::ptrdiff_t largest = 31;

    explicit small_sort(Compare& comp) : comp_(comp) {}

    void operator()(T* first, std::ptrdiff_t count) {
        if (count < network) {
            insert_from(first, 1, count);
        } else if (count < 2 * network) {
            sort_first_eight(first, count);
        } else {
            const std::ptrdiff_t half = count / 2;
            sort_first_eight(first, half);
            sort_first_eight(first + half, count - half);
            merge_halves(first, half, count);
        }
    }

private:
    static constexpr std::ptrdiff_t network = 8;

    void sort_first_eight(T* a, std::ptrdiff_t count) {
        order(a[0], a[2]), order(a[1], a[3]), order(a[4], a[6]), order(a[5], a[7]);
        order(a[0], a[4]), order(a[1], a[5]), order(a[2], a[6]), order(a[3], a[7]);
        order(a[0], a[1]), order(a[2], a[3]), order(a[4], a[5]), order(a[6], a[7]);
        order(a[2], a[4]), order(a[3], a[5]);
        order(a[1], a[4]), order(a[3], a[6]);
        order(a[1], a[2]), order(a[3], a[4]), order(a[5], a[6]);
        insert_from(a, network, count);
    }

    void order(T& a, T& b) {
        const T x = a;
        const T y = b;
        const bool swap = static_cast<bool>(comp_(y, x));
        a = swap ? y : x;
        b = swap ? x : y;
    }

    /// The elements before `sorted` are sorted; inserts those from there on.
    void insert_from(T* a, std::ptrdiff_t sorted, std::ptrdiff_t count) {
        for (; sorted < count; ++sorted) {
            if (comp_(a[sorted], a[sorted - 1])) {
                sort_hole<T> hole(a + sorted);
                do {
                    *hole.place = hole.place[-1];
                    --hole.place;
                } while (hole.place != a && comp_(hole.value, hole.place[-1]));
            }
        }
    }

    /// Merges from both ends at once: half the count of steps, and no step tests for an end.
    void merge_halves(T* a, std::ptrdiff_t half, std::ptrdiff_t count) {
        alignas(T) std::byte room[sizeof(T) * largest];
        T* const merged = reinterpret_cast<T*>(room);
        const T* left = a;
        const T* right = a + half;
        const T* left_back = right - 1;
        const T* right_back = a + count - 1;
        T* front = merged;
        T* back = merged + count - 1;
        for (std::ptrdiff_t step = 0; step < count / 2; ++step) {
            const bool from_right = static_cast<bool>(comp_(*right, *left));
            std::construct_at(front++, from_right ? *right : *left);
            right += from_right;
            left += !from_right;
            const bool from_left = static_cast<bool>(comp_(*right_back, *left_back));
            std::construct_at(back--, from_left ? *left_back : *right_back);
            left_back -= from_left;
            right_back -= !from_left;
        }
        if (count % 2 != 0) {
            std::construct_at(front, left <= left_back ? *left : *right);
        }
        for (std::ptrdiff_t i = 0; i < count; ++i) {
            a[i] = merged[i];
        }
    }

    Compare& comp_;
};

} // namespace regatta::detail
