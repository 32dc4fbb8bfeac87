// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// expect: copied as bytes: they must be trivially copyable

#include <regatta/process/process_pool.hpp>

#include <array>
#include <string>

#if defined(EXPECT_OK)
using argument = std::array<char, 20>;
#else
using argument = std::string;
#endif

void print(argument) {}

void run(regatta::process_pool& pool) {
    pool.submit<print>(argument()).get();
}
