// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/message/worker_pool.hpp>

#include <cstdio>
#include <valarray>
#include <vector>

int main() {
    const std::vector<std::valarray<double>> rows(512, std::valarray<double>(0.5, 512));
    std::valarray<double> sums(512);
    regatta::worker_pool<std::size_t> pool; // a worker for each CPU that this program may use
    pool.on<std::size_t>([&](std::size_t row) { sums[row] = rows[row].sum(); });
    pool.start();
    for (std::size_t row = 0; row < 512; ++row)
        pool.submit(row);
    pool.drain(); // every row has been computed
    std::printf("the sum of all rows is %.0f\n", sums.sum());
    return sums.sum() == 512 * 256 ? 0 : 1;
}
