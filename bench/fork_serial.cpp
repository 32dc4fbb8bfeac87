// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// What forks are held against: the same on one thread, without any.

#include "fork_rows.hpp"

#include <numeric>

namespace regatta::bench {

namespace {

struct one_thread {
    explicit one_thread(unsigned) {}
    template<class F>
    auto run(F&& f) {
        return f();
    }
    template<class F>
    void loop(std::size_t n, F&& f) {
        for (std::size_t i = 0; i < n; ++i) {
            f(i);
        }
    }
};

[[gnu::noipa]] long fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
[[gnu::noinline]] std::int64_t sum(const fork_node& n) {
    return n.value + (n.left ? sum(*n.left) : 0) + (n.right ? sum(*n.right) : 0);
}

template<int Depth, std::size_t Times>
race::outcome tree(unsigned) {
    const auto root = make_fork_tree(Depth);
    std::int64_t all = 0;
    auto time = fork_timed(Times, [&] {
        for (std::size_t i = 0; i < Times; ++i) {
            all += sum(*root);
        }
    });
    return all == static_cast<std::int64_t>(Times) * ((1 << Depth) - 1)
               ? time
               : race::outcome::failed("a wrong sum");
}

} // namespace

fork_case serial_forks() {
    fork_case c{.name = "serial"};
    c.fib = [](unsigned) { return fork_timed(1'346'268, [] { static_cast<void>(fib(30)); }); };
    c.tree = tree<20, 1>;
    c.region = tree<10, 1000>;
    c.coarse = [](unsigned) {
        return fork_timed(1, [] {
            fork_busy(std::chrono::milliseconds(5));
            fork_busy(std::chrono::milliseconds(5));
        });
    };
    c.reduce = [](unsigned) {
        const std::vector<double> values(10'000'000, 1.0);
        return fork_timed(1, [&] {
            const volatile double all = std::accumulate(values.begin(), values.end(), 0.0);
            static_cast<void>(all);
        });
    };
    fork_loop_rows<one_thread>::fill(c);
    c.idle = nullptr;
    return c;
}

} // namespace regatta::bench
