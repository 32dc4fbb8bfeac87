// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The recipes for thread pools of docs/guide/cookbook.md.

#include <regatta/core/executor.hpp>
#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

using namespace std::chrono_literals;

int length_of(const std::string& text) {
    return static_cast<int>(text.size());
}

bool results(regatta::steady_pool& pool) {
    // One by one, with arguments.
    regatta::future<int> one = pool.submit(length_of, "regatta");

    // Many at once, in order.
    std::vector<std::function<int()>> questions;
    for (int i = 0; i < 100; ++i) {
        questions.push_back([i] { return i * i; });
    }
    const std::vector<int> answers = pool.submit_batch(questions).get();
    const int length = one.get();
    std::printf("results: %d letters, %zu answers, the last is %d\n", length, answers.size(),
                answers.back());
    return length == 7 && answers[99] == 9801;
}

/// A loop in blocks, one a task. Throws what the first block threw that did, after all have ended.
/// Where the pool refuses a block, those before it may still run.
template<regatta::executor Pool, class Body>
void for_each_block(Pool& pool, std::size_t count, std::size_t blocks, Body body) {
    regatta::future_group<void> all;
    for (std::size_t b = 0; b < blocks; ++b) {
        all.push(pool.submit(body, count * b / blocks, count * (b + 1) / blocks));
    }
    all.get();
}

bool loop_in_blocks(regatta::steady_pool& pool) {
    std::vector<double> values(100'000, 1.0);
    for_each_block(pool, values.size(), 8, [&values](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            values[i] *= 2;
        }
    });
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::printf("a loop in 8 blocks: the sum is %.0f\n", sum);
    return sum == 200'000;
}

bool deadline() {
    std::stop_source limit; // before those who use it
    regatta::steady_pool pool{{.threads = 2}};

    auto search = pool.submit(limit.get_token(), [](std::stop_token stop) {
        long tried = 0;
        while (!stop.stop_requested()) { // without end, but for the limit
            ++tried;
        }
        return tried;
    });
    if (!search.wait_for(20ms)) {
        search.cancel();      // if it has not begun
        limit.request_stop(); // if it has
    }
    long tried = 0;
    try {
        tried = search.get();
    } catch (const regatta::task_cancelled&) { // it had not begun
    }
    std::printf("a deadline: the search %s\n",
                limit.stop_requested() ? "was stopped in time" : "ended by itself");
    return tried >= 0 && limit.stop_requested();
}

bool stop_a_pool() {
    std::stop_source stopping;
    std::atomic<int> done{0};
    regatta::balanced_pool pool{{.threads = 2}};
    for (int i = 0; i < 10'000; ++i) {
        pool.execute(stopping.get_token(), [&] { ++done; });
    }
    stopping.request_stop(); // tasks that have not begun are not run; others can be submitted
    pool.execute([&] { ++done; });
    pool.close(); // runs what was not called off; stop(stop_mode::discard) would run nothing more

    const auto total = pool.stats();
    std::printf("stop a pool: %llu submitted, %llu neither run nor cancelled\n",
                static_cast<unsigned long long>(total.submitted),
                static_cast<unsigned long long>(total.submitted - total.run - total.cancelled));
    return total.submitted == 10'001 && total.run == static_cast<unsigned>(done) &&
           total.run + total.cancelled == total.submitted;
}

bool instead_of_async(regatta::steady_pool& pool) {
    // auto length = std::async(std::launch::async, length_of, "regatta");
    auto length = pool.submit(length_of, "regatta");
    return length.get() == 7;
}

int main() {
    regatta::steady_pool pool{{.threads = 2}};
    const bool right = results(pool) && loop_in_blocks(pool) && deadline() && stop_a_pool() &&
                       instead_of_async(pool);
    std::printf("%s\n", right ? "all recipes work" : "a recipe does not work");
    return right ? 0 : 1;
}
