// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: submit_batch takes a range of callables
#include <regatta/message/worker_pool.hpp>

#include <vector>

struct tick {};

void use(regatta::worker_pool<tick>& pool) {
#ifdef EXPECT_OK
    pool.submit_batch(std::vector<void (*)()>());
#else
    pool.submit_batch(std::vector<tick>());
#endif
}
