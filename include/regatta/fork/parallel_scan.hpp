// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Prefix sums in parallel.

#include <regatta/fork/detail/chunked_scan.hpp>
#include <regatta/fork/detail/on_pool.hpp>

#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace regatta {

/// Writes to `out` the sums of [first, first + 1), [first, first + 2) …, as `std::inclusive_scan`.
/// `out` may be `first`. @returns the end of the output.
///
/// Threads: any. `op` is called by several workers at once.
/// Blocks: until all sums are written; the caller takes part.
/// Order: `op` must be associative, and need not be commutative.
/// Failure: passes on what `op` throws; the output is then incomplete. `std::bad_alloc`.
/// Cost: one pass over what the caller scans itself, two over what other workers do. One
///     allocation; none up to 16 elements.
template<std::random_access_iterator In, std::random_access_iterator Out, class Op = std::plus<>>
Out parallel_inclusive_scan(In first, In last, Out out, Op op = {}) {
    using value = std::iter_value_t<In>;
    detail::chunked_scan<true, In, Out, value, Op>(first, last - first, out, std::nullopt, op)();
    return out + (last - first);
}

/// The same, each sum with `init` as its first operand.
template<std::random_access_iterator In, std::random_access_iterator Out, class Op, class T>
Out parallel_inclusive_scan(In first, In last, Out out, Op op, T init) {
    detail::chunked_scan<true, In, Out, T, Op>(first, last - first, out, std::move(init), op)();
    return out + (last - first);
}

/// Writes to `out` `init`, and the sums of `init` and [first, first + 1), [first, first + 2) …
/// without the last, as `std::exclusive_scan`. Otherwise as `parallel_inclusive_scan`.
template<std::random_access_iterator In, std::random_access_iterator Out, class T,
         class Op = std::plus<>>
Out parallel_exclusive_scan(In first, In last, Out out, T init, Op op = {}) {
    detail::chunked_scan<false, In, Out, T, Op>(first, last - first, out, std::move(init), op)();
    return out + (last - first);
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator In, std::random_access_iterator Out,
         class... Rest>
Out parallel_inclusive_scan(Pool& pool, In first, In last, Out out, Rest... rest) {
    detail::on_pool(pool, [&] { parallel_inclusive_scan(first, last, out, std::move(rest)...); });
    return out + (last - first);
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator In, std::random_access_iterator Out,
         class T, class... Op>
Out parallel_exclusive_scan(Pool& pool, In first, In last, Out out, T init, Op... op) {
    detail::on_pool(pool, [&] {
        parallel_exclusive_scan(first, last, out, std::move(init), std::move(op)...);
    });
    return out + (last - first);
}

} // namespace regatta
