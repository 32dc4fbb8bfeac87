// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// What forks are held against: the same on one thread, and two threads, one of which spins or
/// sleeps until there is something to do.

#include "fork_rows.hpp"

#include <regatta/base/cache_line.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <atomic>
#include <functional>

namespace regatta::bench {

namespace {

struct one_thread {
    explicit one_thread(unsigned) {}
    template<class F>
    void loop(std::size_t n, F&& f) {
        for (std::size_t i = 0; i < n; ++i) {
            f(i);
        }
    }
    template<class F, class G>
    void both(F&& f, G&& g) {
        f();
        g();
    }
};

/// A call for each call: the compiler may not see what it returns, so that none becomes a loop.
[[gnu::noipa]] long fib(int n) {
    if (n < 2) {
        return n;
    }
    long a = fib(n - 1);
    __asm__ volatile("" : "+r"(a));
    long b = fib(n - 2);
    __asm__ volatile("" : "+r"(b));
    return a + b;
}
/// What the compiler makes of it when it may: half of the calls are a loop.
[[gnu::noipa]] long fib_as_a_loop(int n) {
    return n < 2 ? n : fib_as_a_loop(n - 1) + fib_as_a_loop(n - 2);
}
[[gnu::noipa]] std::int64_t sum(const fork_node& n) {
    std::int64_t a = n.left ? sum(*n.left) : 0;
    __asm__ volatile("" : "+r"(a));
    std::int64_t b = n.right ? sum(*n.right) : 0;
    __asm__ volatile("" : "+r"(b));
    return n.value + a + b;
}
[[gnu::noipa]] std::int64_t sum_as_a_loop(const fork_node& n) {
    return n.value + (n.left ? sum_as_a_loop(*n.left) : 0) +
           (n.right ? sum_as_a_loop(*n.right) : 0);
}

/// The calling thread and one that helps it. That one spins for its half, or sleeps until the futex
/// that announces it wakes it.
template<bool Sleeps>
class two_halves {
public:
    explicit two_halves(unsigned) {}
    two_halves(const two_halves&) = delete;
    two_halves& operator=(const two_halves&) = delete;
    ~two_halves() {
        half_ = nullptr;
        begin();
        helper_.join();
    }

    template<class F, class G>
    void both(F&& f, G&& g) {
        half_ = std::ref(g);
        const std::uint32_t now = begin();
        f();
        while (done_->load(std::memory_order_acquire) != now) {
        }
    }
    template<class F>
    void loop(std::size_t n, F&& f) {
        const auto part = [&f](std::size_t i, std::size_t end) {
            for (; i != end; ++i) {
                f(i);
            }
        };
        both([&] { part(0, n / 2); }, [&] { part(n / 2, n); });
    }

private:
    /// @returns the number of the half.
    std::uint32_t begin() {
        // Release: the helper sees the half, and what came before.
        const std::uint32_t now = done_->load(std::memory_order_relaxed) + 1;
        begun_->store(now, std::memory_order_release);
        if constexpr (Sleeps) {
            std_atomics::wake(*begun_, 1);
        }
        return now;
    }
    void help() {
        for (std::uint32_t next = 1;; ++next) {
            while (begun_->load(std::memory_order_acquire) != next) {
                if constexpr (Sleeps) {
                    std_atomics::wait(*begun_, next - 1, nullptr);
                }
            }
            if (half_ == nullptr) {
                return;
            }
            half_();
            // Release: the other one sees what the half did.
            done_->store(next, std::memory_order_release);
        }
    }

    /// Halves that have begun. Written by the caller, read by the helper.
    padded<std::atomic<std::uint32_t>> begun_{};
    /// Halves that have ended. Written by the helper, read by the caller.
    padded<std::atomic<std::uint32_t>> done_{};
    std::function<void()> half_;
    std::thread helper_{[this] { help(); }};
};

/// The least of several times, each short: nobody else was there.
double iteration_ns() {
    std::vector<std::uint64_t> p(20'000, 1);
    one_thread alone(1);
    double least = 0;
    for (int i = 0; i < 100; ++i) {
        const double ns = fork_timed(p.size(), [&] {
                              alone.loop(p.size(), [&p](std::size_t j) { p[j] = fork_work(p[j]); });
                          }).ns;
        least = i == 0 ? ns : std::min(least, ns);
    }
    return least;
}

} // namespace

std::size_t fork_iterations(std::chrono::microseconds time) {
    static const double ns = iteration_ns();
    return static_cast<std::size_t>(static_cast<double>(time.count()) * 1000 / ns);
}

fork_case serial_forks() {
    fork_case c{.name = "serial"};
    c.fib = [](unsigned) { return fork_fib(34, fib); };
    c.region = [](unsigned) { return fork_region(sum); };
    c.tree = [](unsigned) { return fork_tree(sum); };
    c.graph = [](unsigned) {
        fork_grid grid;
        return grid.time([&grid] {
            for (std::size_t i = 0; i < fork_grid::size; ++i) {
                grid.work(i);
            }
        });
    };
    c.frame = [](unsigned) {
        fork_layers layers;
        return layers.time([&layers] {
            for (std::size_t i = 0; i < fork_layers::size; ++i) {
                layers.work(i);
            }
        });
    };
    fork_call_rows<one_thread>::fill(c);
    fork_loop_rows<one_thread>::fill(c);
    c.idle = nullptr;
    c.paused_cpu = nullptr;
    return c;
}

fork_case serial_loops() {
    fork_case c{.name = "serial, half of the calls a loop"};
    c.fib = [](unsigned) { return fork_fib(34, fib_as_a_loop); };
    c.region = [](unsigned) { return fork_region(sum_as_a_loop); };
    c.tree = [](unsigned) { return fork_tree(sum_as_a_loop); };
    return c;
}

fork_case spinning_halves() {
    fork_case c{.name = "two spinning threads"};
    fork_call_rows<two_halves<false>>::fill(c);
    fork_loop_rows<two_halves<false>>::fill(c);
    c.uneven = nullptr;
    return c;
}

fork_case woken_half() {
    using rows = fork_loop_rows<two_halves<true>>;
    fork_case c{.name = "two threads, one woken"};
    c.paused_14us = rows::paused<14>;
    c.paused_62us = rows::paused<62>;
    c.paused_250us = rows::paused<250>;
    return c;
}

} // namespace regatta::bench
