// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Forks of this library on a balanced_pool of as many threads.

#include "fork_rows.hpp"

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

namespace regatta::bench {

namespace {

struct on_pool {
    explicit on_pool(unsigned threads) : pool(threads) {}
    template<class F>
    auto run(F&& f) {
        return f();
    }
    template<class F>
    void loop(std::size_t n, F&& f) {
        parallel_for(pool, std::size_t{0}, n, f);
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
std::int64_t sum(const fork_node* n) {
    if (n == nullptr) {
        return 0;
    }
    const auto [a, b] =
        join([n] { return sum(n->left.get()); }, [n] { return sum(n->right.get()); });
    return n->value + a + b;
}

template<int Depth, std::size_t Times>
race::outcome tree(unsigned threads) {
    const auto root = make_fork_tree(Depth);
    balanced_pool pool(threads);
    std::int64_t all = 0;
    return pool
        .submit([&] {
            const auto time = fork_timed(Times, [&] {
                for (std::size_t i = 0; i < Times; ++i) {
                    all += sum(root.get());
                }
            });
            return all == static_cast<std::int64_t>(Times) * ((1 << Depth) - 1)
                       ? time
                       : race::outcome::failed("a wrong sum");
        })
        .get();
}

} // namespace

fork_case regatta_forks() {
    fork_case c{.name = "regatta"};
    c.fib = [](unsigned threads) {
        balanced_pool pool(threads);
        return pool.submit([] { return fork_timed(1'346'268, [] { static_cast<void>(fib(30)); }); })
            .get();
    };
    c.tree = tree<20, 1>;
    c.region = tree<10, 1000>;
    c.coarse = [](unsigned threads) {
        balanced_pool pool(threads);
        const auto half = [] { fork_busy(std::chrono::milliseconds(5)); };
        join(pool, half, half);
        return fork_timed(1, [&] { join(pool, half, half); });
    };
    c.reduce = [](unsigned threads) {
        const std::vector<double> values(10'000'000, 1.0);
        balanced_pool pool(threads);
        return fork_timed(1, [&] {
            const volatile double all = parallel_reduce(pool, values.begin(), values.end(), 0.0);
            static_cast<void>(all);
        });
    };
    fork_loop_rows<on_pool>::fill(c);
    return c;
}

} // namespace regatta::bench
