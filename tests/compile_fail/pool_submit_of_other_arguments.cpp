// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: the argument of submit is not callable with these arguments
#include <regatta/pool/steady_pool.hpp>

#include <functional>

void use(regatta::steady_pool& pool) {
    int n = 0;
#ifdef EXPECT_OK
    static_cast<void>(pool.submit([](int& i) { ++i; }, std::ref(n)));
#else
    static_cast<void>(pool.submit([](int& i) { ++i; }, n)); // It gets an rvalue.
#endif
}
