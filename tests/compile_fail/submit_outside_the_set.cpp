// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: neither one of the pool.s messages nor callable
#include <regatta/message/worker_pool.hpp>

struct tick {};
struct other {};

void use(regatta::worker_pool<tick>& pool) {
#ifdef EXPECT_OK
    pool.submit(tick{});
#else
    pool.submit(other{});
#endif
}
