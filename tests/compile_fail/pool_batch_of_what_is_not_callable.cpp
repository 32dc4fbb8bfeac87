// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: callable_job
#include <regatta/pool/steady_pool.hpp>

#include <vector>

void use(regatta::steady_pool& pool) {
#ifdef EXPECT_OK
    pool.execute_batch(std::vector<void (*)()>());
#else
    pool.execute_batch(std::vector<void (*)(int)>());
#endif
}
