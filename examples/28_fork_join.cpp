// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Calls, loops and reductions that divide themselves among the workers of a pool.

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

/// A recursion without a cut-off: a fork that no worker takes is nearly a call.
long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [a, b] = regatta::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}

struct node {
    long value;
    std::unique_ptr<node> left;
    std::unique_ptr<node> right;
};

std::unique_ptr<node> tree_of(int depth) {
    return depth == 0 ? nullptr
                      : std::make_unique<node>(node{1, tree_of(depth - 1), tree_of(depth - 1)});
}

long sum_of(const node* n) {
    if (n == nullptr) {
        return 0;
    }
    const auto [left, right] = regatta::join([n] { return sum_of(n->left.get()); },
                                             [n] { return sum_of(n->right.get()); });
    return n->value + left + right;
}

/// Rows of a picture, and the columns of each.
long brightness(int width, int height) {
    std::vector<int> pixels(static_cast<std::size_t>(width * height));
    regatta::parallel_for(regatta::rows_columns{height, width}, [&](int y, int x) {
        pixels[static_cast<std::size_t>(y * width + x)] = x ^ y;
    });
    return regatta::parallel_reduce(pixels.begin(), pixels.end(), 0L);
}

int main() {
    bool right = fib(20) == 6765; // On the process-wide pool.

    regatta::balanced_pool pool;
    right = right &&
            regatta::join(
                pool, [] { return fib(15); }, [] { return fib(10); }) == std::make_pair(610L, 55L);
    right = right && pool.submit([] { return sum_of(tree_of(12).get()); }).get() == 4095;

    const int n = 100'000;
    std::vector<double> x(n, 2.0);
    std::vector<double> y(n, 1.0);
    regatta::parallel_for(pool, 0, n, [&](int i) { y[i] += 3.0 * x[i]; });
    const double dot = regatta::parallel_transform_reduce(pool, 0, n, 0.0, std::plus<>(),
                                                          [&](int i) { return x[i] * y[i]; },
                                                          {.deterministic = true});
    right = right && dot == 14.0 * n && brightness(64, 64) == 64 * 64 * 63 / 2;

    std::atomic<int> visited{0};
    regatta::task_scope scope(pool);
    for (int i = 0; i < 10; ++i) {
        scope.spawn([&] { ++visited; });
    }
    scope.wait();
    right = right && visited == 10;

    std::printf("%s\n", right ? "all as expected" : "not as expected");
    return right ? 0 : 1;
}
