// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The thread pools of this library: the one list that contract tests, stress tests and the bench
/// of the pools go through. It needs nothing else of the race.

#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <string_view>

namespace regatta::race {

/// Types of pools.
template<class... Pools>
struct pool_list {
    /// Calls `f.operator()<Pool>()` for each, in their order.
    template<class F>
    static void for_each(F f) {
        (f.template operator()<Pools>(), ...);
    }
};

using every_pool = pool_list<steady_pool, balanced_pool, dynamic_pool>;
/// Those whose queues may be given a bound (`pool_options::capacity`).
using bounded_pools = pool_list<steady_pool, balanced_pool>;

/// The name of a pool's scheme. Its class is called so with "_pool" behind it.
template<class Pool>
inline constexpr std::string_view pool_name{};
template<>
inline constexpr std::string_view pool_name<steady_pool> = "steady";
template<>
inline constexpr std::string_view pool_name<balanced_pool> = "balanced";
template<>
inline constexpr std::string_view pool_name<dynamic_pool> = "dynamic";

} // namespace regatta::race
