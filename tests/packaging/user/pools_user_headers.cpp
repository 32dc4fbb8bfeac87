// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Compiled without REGATTA_COMPILED_POOLS: one program may have both kinds of files.
#include <regatta/pool/steady_pool.hpp>

#if !REGATTA_POOLS_DEFINITIONS
#error "this file is to be compiled from the headers alone"
#endif

int twice_in(regatta::steady_pool& pool, int number) {
    regatta::steady_pool other(1);
    return pool.submit([&] { return other.submit([=] { return 2 * number; }).get(); }).get();
}
