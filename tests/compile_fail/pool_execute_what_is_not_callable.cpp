// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: the argument of execute is not callable with these arguments
#include <regatta/pool/steady_pool.hpp>

struct called_as_lvalue {
    void operator()() & {}
};

void use(regatta::steady_pool& pool) {
    pool.execute(called_as_lvalue());
#ifdef EXPECT_OK
    pool.execute([](int) {}, 1);
#else
    pool.execute([](int) {});
#endif
}
