// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the contract tests of the thread pools share: the pools, and ways to hold their workers.

#include "schemes/pool_list.hpp"
#include "support/door.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <string>
#include <system_error>
#include <utility>

namespace library_test {

using every_pool = regatta::race::every_pool::as<testing::Types>;
using bounded_pools = regatta::race::bounded_pools::as<testing::Types>;

/// The names of the pools in those of the tests.
struct pool_names {
    template<class Pool>
    static std::string GetName(int) {
        return std::string(regatta::race::pool_name<Pool>);
    }
};

/// Has a worker of the pool stand before the door; returns once it does.
template<class Pool>
void hold_worker(Pool& pool, door& d, int already = 0) {
    pool.execute([&d] { d.pass(); });
    d.await_inside(already + 1);
}

/// Whether the call throws a `std::system_error` that says that it would never end.
template<class Call>
bool would_deadlock(Call&& call) {
    try {
        std::forward<Call>(call)();
    } catch (const std::system_error& error) {
        return error.code() == std::errc::resource_deadlock_would_occur;
    }
    return false;
}

} // namespace library_test
