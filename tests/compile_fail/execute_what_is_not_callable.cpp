// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: not callable with these arguments
#include <regatta/message/worker_pool.hpp>

struct tick {};

void use(regatta::worker_pool<tick>& pool) {
#ifdef EXPECT_OK
    pool.execute([](int) {}, 1);
#else
    pool.execute(tick{});
#endif
}
