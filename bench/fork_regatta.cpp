// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Forks of this library on a balanced_pool of as many threads, one of which is the caller.

#include "fork_rows.hpp"

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

namespace regatta::bench {

namespace {

struct on_pool {
    explicit on_pool(unsigned threads) : pool(threads) {}
    template<class F>
    void loop(std::size_t n, F&& f) {
        parallel_for(pool, std::size_t{0}, n, f);
    }
    template<class F, class G>
    void both(F&& f, G&& g) {
        join(pool, f, g);
    }
    balanced_pool pool;
};

long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}
std::int64_t sum(const fork_node& n) {
    const auto [a, b] = join([&n] { return n.left ? sum(*n.left) : 0; },
                             [&n] { return n.right ? sum(*n.right) : 0; });
    return n.value + a + b;
}

} // namespace

fork_case regatta_forks() {
    fork_case c{.name = "regatta"};
    c.fib = [](unsigned threads) {
        balanced_pool pool(threads);
        return pool.submit([] { return fork_fib(34, fib); }).get();
    };
    c.region = [](unsigned threads) {
        balanced_pool pool(threads);
        return fork_region([&pool](const fork_node& root) {
            const auto [a, b] = join(
                pool, [&root] { return sum(*root.left); }, [&root] { return sum(*root.right); });
            return root.value + a + b;
        });
    };
    c.tree = [](unsigned threads) {
        balanced_pool pool(threads);
        return pool.submit([] { return fork_tree(sum); }).get();
    };
    fork_call_rows<on_pool>::fill(c);
    fork_loop_rows<on_pool>::fill(c);
    return c;
}

fork_case regatta_forks_in_task() {
    fork_case c{.name = "regatta, in a task"};
    c.region = [](unsigned threads) {
        balanced_pool pool(threads);
        return pool.submit([] { return fork_region(sum); }).get();
    };
    return c;
}

} // namespace regatta::bench
