// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Standard algorithms with a policy as the first argument, as `std::execution::par` is one.

#include <regatta/fork/detail/chunked_copy.hpp>
#include <regatta/fork/detail/on_pool.hpp>
#include <regatta/fork/parallel_algorithms.hpp>
#include <regatta/fork/parallel_for.hpp>
#include <regatta/fork/parallel_reduce.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace regatta {

/// Runs an algorithm on the workers of one pool. Made by `par.on(pool)`; the pool must outlive it.
template<detail::forks_on Pool>
class pool_policy {
public:
    explicit pool_policy(Pool& pool) noexcept : pool_(&pool) {}

    /// Calls `f` and returns its result. What it forks runs on the workers of the pool.
    template<class F>
    decltype(auto) run(F&& f) const {
        return detail::on_pool(*pool_, f);
    }

private:
    Pool* pool_;
};

/// Runs an algorithm where `join` forks: within a task on its pool, elsewhere on `shared_pool()`.
class parallel_policy {
public:
    /// The same on the workers of `pool`.
    template<detail::forks_on Pool>
    pool_policy<Pool> on(Pool& pool) const noexcept {
        return pool_policy<Pool>(pool);
    }

    /// Calls `f` and returns its result.
    template<class F>
    decltype(auto) run(F&& f) const {
        return std::forward<F>(f)();
    }
};

/// In place of `std::execution::par`: `regatta::sort(regatta::par, begin, end)`.
inline constexpr parallel_policy par{};

namespace detail {

template<class T>
inline constexpr bool is_policy = false;
template<>
inline constexpr bool is_policy<parallel_policy> = true;
template<class Pool>
inline constexpr bool is_policy<pool_policy<Pool>> = true;

/// Tells `init, op, map` from `second, init, op`: what is reduced may be an iterator, too.
template<class Op, class T>
concept reduction_of = std::invocable<Op&, T, T>;
template<class T, class Second>
concept no_reduction_of = !reduction_of<T, Second>;

} // namespace detail

/// What the algorithms below take as their first argument: `par` or `par.on(pool)`.
///
/// For each of them:
/// Threads: any. What it calls of the user's is called by several workers at once.
/// Blocks: until the result is there; the caller takes part.
/// Failure: passes on what a call of the user's throws, where `std::execution::par` would end the
///     program. All but `for_each` and the sorts throw `task_cancelled` if the loop or scope
///     around them ended early and left a part undone.
template<class T>
concept execution_policy = detail::is_policy<std::remove_cvref_t<T>>;

/// `f` of each element.
template<execution_policy Policy, std::forward_iterator Iterator, class F>
void for_each(const Policy& policy, Iterator first, Iterator last, F f) {
    policy.run([&] { regatta::parallel_for_each(first, last, std::ref(f)); });
}

/// `op` of each element, to `out`, which may be `first`. @returns the end of the output.
template<execution_policy Policy, std::random_access_iterator In, std::random_access_iterator Out,
         class Op>
Out transform(const Policy& policy, In first, In last, Out out, Op op) {
    using index = detail::loop_index<In>;
    policy.run([&] {
        detail::for_every_index(detail::loop_count<index>(last - first),
                                [&op, first, out](index i) { out[i] = std::invoke(op, first[i]); });
    });
    return detail::output_end(out, last - first);
}

/// `op` of each element and of that at the same place of a second range.
template<execution_policy Policy, std::random_access_iterator In,
         std::random_access_iterator Second, std::random_access_iterator Out, class Op>
Out transform(const Policy& policy, In first, In last, Second second, Out out, Op op) {
    using index = detail::loop_index<In>;
    policy.run([&] {
        detail::for_every_index(
            detail::loop_count<index>(last - first),
            [&op, first, second, out](index i) { out[i] = std::invoke(op, first[i], second[i]); });
    });
    return detail::output_end(out, last - first);
}

/// As `parallel_transform_reduce`: `init` and `map` of each element, summed up with `op`, which
/// must be associative and need not be commutative.
template<execution_policy Policy, std::random_access_iterator In, class T,
         detail::reduction_of<T> Op, class Map>
T transform_reduce(const Policy& policy, In first, In last, T init, Op op, Map map) {
    return policy.run([&] {
        return regatta::parallel_transform_reduce(
            first, last, std::move(init), std::ref(op),
            [&map](auto&& one)
                -> detail::value_unless_lvalue<std::invoke_result_t<Map&, decltype(one)>> {
                return std::invoke(map, std::forward<decltype(one)>(one));
            });
    });
}

/// The same with `map` of each two elements at the same place of the ranges.
template<execution_policy Policy, std::random_access_iterator In,
         std::random_access_iterator Second, detail::no_reduction_of<Second> T,
         class Op = std::plus<>, class Map = std::multiplies<>>
T transform_reduce(const Policy& policy, In first, In last, Second second, T init, Op op = {},
                   Map map = {}) {
    using index = detail::loop_index<In>;
    using mapped =
        std::invoke_result_t<Map&, std::iter_reference_t<In>, std::iter_reference_t<Second>>;
    return policy.run([&] {
        return regatta::parallel_transform_reduce(
            index{0}, detail::loop_count<index>(last - first), std::move(init), std::ref(op),
            [&map, first, second](index i) -> detail::value_unless_lvalue<mapped> {
                return std::invoke(map, first[i], second[i]);
            });
    });
}

/// As `parallel_reduce`: `init` and all elements, summed up with `op`.
template<execution_policy Policy, std::random_access_iterator In, class T, class Op = std::plus<>>
T reduce(const Policy& policy, In first, In last, T init, Op op = {}) {
    return policy.run(
        [&] { return regatta::parallel_reduce(first, last, std::move(init), std::ref(op)); });
}

/// The sum of all elements.
template<execution_policy Policy, std::random_access_iterator In>
std::iter_value_t<In> reduce(const Policy& policy, In first, In last) {
    return regatta::reduce(policy, first, last, std::iter_value_t<In>{});
}

/// How many elements `pred` holds for.
template<execution_policy Policy, std::random_access_iterator In, class Predicate>
std::iter_difference_t<In> count_if(const Policy& policy, In first, In last, Predicate pred) {
    using difference = std::iter_difference_t<In>;
    return regatta::transform_reduce(
        policy, first, last, difference{0}, std::plus<>{}, [&](auto&& one) -> difference {
            return std::invoke(pred, std::forward<decltype(one)>(one)) ? 1 : 0;
        });
}

/// As `parallel_sort`.
template<execution_policy Policy, std::random_access_iterator Iterator, class Compare = std::less<>>
void sort(const Policy& policy, Iterator first, Iterator last, Compare comp = {}) {
    policy.run([&] { regatta::parallel_sort(first, last, std::move(comp)); });
}

/// As `parallel_stable_sort`.
template<execution_policy Policy, std::random_access_iterator Iterator, class Compare = std::less<>>
void stable_sort(const Policy& policy, Iterator first, Iterator last, Compare comp = {}) {
    policy.run([&] { regatta::parallel_stable_sort(first, last, std::move(comp)); });
}

/// As `parallel_inclusive_scan`.
template<execution_policy Policy, std::random_access_iterator In, std::random_access_iterator Out,
         class... Rest>
Out inclusive_scan(const Policy& policy, In first, In last, Out out, Rest... rest) {
    policy.run([&] { regatta::parallel_inclusive_scan(first, last, out, std::move(rest)...); });
    return detail::output_end(out, last - first);
}

/// As `parallel_exclusive_scan`.
template<execution_policy Policy, std::random_access_iterator In, std::random_access_iterator Out,
         class T, class... Op>
Out exclusive_scan(const Policy& policy, In first, In last, Out out, T init, Op... op) {
    policy.run([&] {
        regatta::parallel_exclusive_scan(first, last, out, std::move(init), std::move(op)...);
    });
    return detail::output_end(out, last - first);
}

/// As `parallel_find_if`.
template<execution_policy Policy, std::random_access_iterator Iterator, class Predicate>
Iterator find_if(const Policy& policy, Iterator first, Iterator last, Predicate pred) {
    return policy.run([&] { return regatta::parallel_find_if(first, last, std::ref(pred)); });
}

/// Copies the elements for which `pred` holds to `out`, in their order. @returns the end of the
/// output.
/// Cost: tests each element once; a byte of memory an element.
template<execution_policy Policy, std::random_access_iterator In, std::random_access_iterator Out,
         class Predicate>
Out copy_if(const Policy& policy, In first, In last, Out out, Predicate pred) {
    return policy.run([&] {
        return detail::copy_matching(first, detail::loop_count<std::ptrdiff_t>(last - first), out,
                                     pred);
    });
}

} // namespace regatta
