// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// expect: a string_view is a pointer, which means nothing in another process

#include <regatta/process/process_pool.hpp>

#include <array>
#include <string_view>

#if defined(EXPECT_OK)
using argument = std::array<char, 20>;
#else
using argument = std::string_view;
#endif

void print(argument) {}

void run(regatta::process_pool& pool) {
    pool.submit<print>(argument()).get();
}
