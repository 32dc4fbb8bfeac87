// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// expect: a process pool runs functions, by their name

#include <regatta/process/process_pool.hpp>

int twice(int x) {
    return 2 * x;
}

void run(regatta::process_pool& pool) {
#if defined(EXPECT_OK)
    pool.map<twice>(pool.allocate_input<int>(1), pool.allocate<int>(1)).get();
#else
    pool.map<[](int x) { return 2 * x; }>(pool.allocate_input<int>(1), pool.allocate<int>(1)).get();
#endif
}
