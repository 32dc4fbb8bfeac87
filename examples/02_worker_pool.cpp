// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A worker pool with two types of message: numbers of the workers, priorities, pause and resume,
// a place where exceptions go, and tasks between the messages.

#include <regatta/base/cache_line.hpp>
#include <regatta/message/worker_pool.hpp>

#include <atomic>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

struct square {
    long number;
};
struct order {
    std::string text;
};

/// What one worker adds up: padded, so that no two workers write one cache line.
using tally = regatta::padded<long>;

int main() {
    constexpr unsigned workers = 2;
    std::vector<tally> sums(workers);
    std::atomic<int> complaints{0};

    regatta::worker_pool<square, order> pool{{.threads = workers,
                                              .capacity = 64,
                                              .name = "squares",
                                              .on_error = [&](std::exception_ptr error) {
                                                  try {
                                                      std::rethrow_exception(error);
                                                  } catch (const std::exception& e) {
                                                      std::printf("refused: %s\n", e.what());
                                                      ++complaints;
                                                  }
                                              }}};
    // A worker calls its handlers one after the other: what has its number needs no lock.
    pool.on<square>(
        [&](const square& s, unsigned worker) { *sums[worker] += s.number * s.number; });
    pool.on<order>([](order& o) { throw std::runtime_error("no handling of '" + o.text + "'"); });
    pool.start();

    for (long i = 1; i <= 1000; ++i) {
        pool.submit(square{i}); // waits while 64 messages wait
    }
    pool.submit(order{"tea"});
    pool.drain(); // all of these have been handled, their handlers have ended

    long sum = 0;
    for (const tally& t : sums) {
        sum += *t;
    }

    // What is no message of the pool is a task.
    pool.execute([] { throw std::runtime_error("a task, too"); }); // goes to on_error
    auto product = pool.submit([](int a, int b) { return a * b; }, 6, 7);
    pool.wait(); // nothing waits or runs any more
    const int answer = product.get();

    pool.pause(); // the workers take nothing; messages are still accepted
    std::size_t low = 0;
    std::size_t medium = 0;
    while (pool.try_submit(square{0}, regatta::admission_class::low)) {
        ++low; // up to 60 % of 64
    }
    while (pool.try_submit(square{0}, regatta::admission_class::medium)) {
        ++medium; // up to 80 %
    }
    const auto paused = pool.stats();
    std::printf("%zu of low priority, then %zu of medium: %zu wait\n", low, medium, paused.queued);
    pool.resume();
    pool.close(); // handles what was accepted, then ends the workers

    const auto total = pool.stats();
    std::printf("sum %ld; %llu accepted, %llu handled, %llu refused, %llu threw\n", sum,
                static_cast<unsigned long long>(total.submitted),
                static_cast<unsigned long long>(total.handled),
                static_cast<unsigned long long>(total.refused),
                static_cast<unsigned long long>(total.errors));
    const bool right = sum == 333'833'500 && low == 38 && medium == 13 && paused.queued == 51 &&
                       total.submitted == 1001 + 51 + 2 && total.handled == total.submitted &&
                       total.refused == 2 && total.errors == 2 && complaints == 2 && answer == 42 &&
                       !pool.try_submit(square{1});
    return right ? 0 : 1;
}
