// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the contract tests of the thread pools share: the pools, and ways to hold their workers.

#include "schemes/pool_list.hpp"
#include "support/door.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

namespace library_test {

/// One kind of pool, as the parameter of a test. All are a `thread_pool`: so a test is compiled
/// once, and not once a kind.
struct pool_kind {
    std::string_view name;
    std::shared_ptr<regatta::thread_pool> (*with_options)(regatta::pool_options options);
    std::shared_ptr<regatta::thread_pool> (*with_threads)(unsigned threads);
    std::shared_ptr<regatta::thread_pool> (*by_default)();

    friend void PrintTo(const pool_kind& kind, std::ostream* out) { *out << kind.name; }
};

/// A pool of any kind. `auto [pool] = make_pool(4);` makes `pool` a reference to it; the pool ends
/// where the name ends.
class made_pool {
public:
    explicit made_pool(std::shared_ptr<regatta::thread_pool> pool) noexcept
        : pool_(std::move(pool)) {}

    template<std::size_t>
    regatta::thread_pool& get() const noexcept {
        return *pool_;
    }

private:
    std::shared_ptr<regatta::thread_pool> pool_;
};

/// A test that runs once with each of some kinds of pools.
class pool_test : public testing::TestWithParam<pool_kind> {
protected:
    pool_test() { kind_ = GetParam(); }

    static made_pool make_pool() { return made_pool(kind_.by_default()); }
    static made_pool make_pool(unsigned threads) { return made_pool(kind_.with_threads(threads)); }
    static made_pool make_pool(regatta::pool_options options) {
        return made_pool(kind_.with_options(std::move(options)));
    }
    /// Whether the pools of this run are of that kind.
    template<class Pool>
    static bool makes() noexcept {
        return kind_.name == regatta::race::pool_name<Pool>;
    }

private:
    static inline pool_kind kind_{}; ///< Of the test that runs.
};

/// The kinds of pools in a list, as the parameters of tests.
template<class... Pools>
auto kinds_of(regatta::race::pool_list<Pools...>) {
    return testing::Values(pool_kind{
        regatta::race::pool_name<Pools>,
        [](regatta::pool_options options) -> std::shared_ptr<regatta::thread_pool> {
            return std::make_shared<Pools>(std::move(options));
        },
        [](unsigned threads) -> std::shared_ptr<regatta::thread_pool> {
            return std::make_shared<Pools>(threads);
        },
        []() -> std::shared_ptr<regatta::thread_pool> { return std::make_shared<Pools>(); }}...);
}
inline auto every_pool() {
    return kinds_of(regatta::race::every_pool());
}
inline auto bounded_pools() {
    return kinds_of(regatta::race::bounded_pools());
}

/// The name of a test's pool in that of the test.
inline std::string pool_name(const testing::TestParamInfo<pool_kind>& test) {
    return std::string(test.param.name);
}

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

template<>
struct std::tuple_size<library_test::made_pool> : std::integral_constant<std::size_t, 1> {};
template<>
struct std::tuple_element<0, library_test::made_pool> {
    using type = regatta::thread_pool;
};
