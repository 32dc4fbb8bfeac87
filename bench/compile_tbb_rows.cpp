// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// examples/01_first_program.cpp on oneTBB: what the bench compile holds that program against.

#include <oneapi/tbb/task_group.h>

#include <cstdio>
#include <valarray>
#include <vector>

int main() {
    const std::vector<std::valarray<double>> rows(512, std::valarray<double>(0.5, 512));
    std::valarray<double> sums(512);
    tbb::task_group group; // on a worker for each CPU
    for (std::size_t row = 0; row < 512; ++row)
        group.run([&, row] { sums[row] = rows[row].sum(); });
    group.wait(); // every row has been computed
    std::printf("the sum of all rows is %.0f\n", sums.sum());
    return sums.sum() == 512 * 256 ? 0 : 1;
}
