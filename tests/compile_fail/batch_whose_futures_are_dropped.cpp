// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: nodiscard
#include <regatta/pool/steady_pool.hpp>

#include <vector>

#pragma GCC diagnostic error "-Wunused-result"

void use(regatta::steady_pool& pool, std::vector<void (*)()>& callables) {
#ifdef EXPECT_OK
    pool.execute_batch(callables);
#else
    pool.submit_batch(callables); // Also discards what they throw.
#endif
}
