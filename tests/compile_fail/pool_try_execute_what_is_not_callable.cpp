// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: callable_job
#include <regatta/pool/steady_pool.hpp>

void use(regatta::steady_pool& pool) {
#ifdef EXPECT_OK
    static_cast<void>(pool.try_execute([] {}));
#else
    static_cast<void>(pool.try_execute([](int) {}));
#endif
}
