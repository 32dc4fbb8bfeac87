// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include <regatta/pool.hpp>
#include <regatta/process/subprocess.hpp>

#include <cstdio>

int main() {
    regatta::steady_pool pool(2);
    const int product = pool.submit([](int a, int b) { return a * b; }, 6, 7).get();
    regatta::subprocess child = regatta::spawn({.program = "true"});
    std::printf("%d, and true %s\n", product, child.wait().describe().c_str());
    return product == 42 ? 0 : 1;
}
