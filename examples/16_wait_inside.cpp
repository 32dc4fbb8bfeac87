// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Tasks that submit tasks to their own pool and wait for them. All of it on one thread: with more
// it works just so.

#include <regatta/pool/balanced_pool.hpp>

#include <atomic>
#include <cstdio>
#include <latch>
#include <numeric>
#include <span>
#include <system_error>
#include <vector>

regatta::balanced_pool pool{{.threads = 1}};

/// Divide and conquer: each half may be a task, and whoever waits for a task that has not begun
/// runs it.
long long sum_of(std::span<const int> numbers) {
    if (numbers.size() <= 1000) {
        return std::accumulate(numbers.begin(), numbers.end(), 0LL);
    }
    const std::size_t half = numbers.size() / 2;
    auto left = pool.submit([=] { return sum_of(numbers.first(half)); });
    const long long right = sum_of(numbers.subspan(half));
    return left.get() + right;
}

/// Ten tasks, each of which submits the next and waits for it.
int levels_below(int level) {
    if (level == 0) {
        return 0;
    }
    return 1 + pool.submit([=] { return levels_below(level - 1); }).get();
}

/// A task that waits for the whole pool: it runs the others meanwhile, and does not wait for
/// itself.
bool wait_for_all_others() {
    std::atomic<int> done{0};
    auto parent = pool.submit([&] {
        for (int i = 0; i < 100; ++i) {
            pool.execute([&] { ++done; });
        }
        pool.wait();
        return done == 100;
    });
    return parent.get();
}

/// A wait that could never end is refused.
bool wait_for_itself() {
    regatta::future<bool> own;
    std::latch known(1);
    own = pool.submit([&] {
        known.wait();
        try {
            own.wait(); // for the task that this is
        } catch (const std::system_error& error) {
            std::printf("%s\n", error.what());
            return error.code() == std::errc::resource_deadlock_would_occur;
        }
        return false;
    });
    known.count_down();
    pool.wait();
    return own.get();
}

int main() {
    std::vector<int> numbers(100'000);
    std::iota(numbers.begin(), numbers.end(), 1);
    const long long sum = pool.submit([&] { return sum_of(numbers); }).get();
    const int depth = pool.submit([] { return levels_below(10); }).get();
    const bool right =
        sum == 5'000'050'000 && depth == 10 && wait_for_all_others() && wait_for_itself();
    std::printf("%s\n", right ? "all as expected" : "not as expected");
    return right ? 0 : 1;
}
