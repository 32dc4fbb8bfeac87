// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// expect: a pointer means nothing in another process

#include <regatta/process/process_pool.hpp>

#include <span>

#if defined(EXPECT_OK)
using argument = std::span<int>;
#else
using argument = int*;
#endif

void fill(argument) {}

void run(regatta::process_pool& pool) {
    pool.submit<fill>(argument()).get();
}
