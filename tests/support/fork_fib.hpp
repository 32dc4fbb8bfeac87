// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

#include <regatta/fork/join.hpp>

namespace library_test {

/// The Fibonacci number, by a fork for each call.
inline long fork_fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [a, b] =
        regatta::join([n] { return fork_fib(n - 1); }, [n] { return fork_fib(n - 2); });
    return a + b;
}

} // namespace library_test
