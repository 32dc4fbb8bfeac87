// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include <regatta/pool.hpp>
#if defined(__linux__)
#include <regatta/process/subprocess.hpp>
#endif

#include <cstdio>

int main() {
    regatta::steady_pool pool(2);
    const int product = pool.submit([](int a, int b) { return a * b; }, 6, 7).get();
    std::printf("%d\n", product);
#if defined(__linux__)
    regatta::subprocess child = regatta::spawn({.program = "true"});
    std::printf("true %s\n", child.wait().describe().c_str());
#endif
    return product == 42 ? 0 : 1;
}
