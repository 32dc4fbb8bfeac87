// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// The time from submit to handled of a tiny message in the worker pool, beside oneTBB's
/// task_arena::enqueue and Boost.Asio's post: one outside producer, two workers.

#include "bench.hpp"

#include <regatta/message/worker_pool.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace {

using namespace regatta;

constexpr unsigned workers = 2;
constexpr std::uint32_t tasks = 200'000;

/// Time a task of submitting all and waiting until the last has been handled.
template<class Submit, class Wait>
race::outcome timed(Submit&& submit, Wait&& wait) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < tasks; ++i) {
        submit(i);
    }
    wait();
    const auto end = std::chrono::steady_clock::now();
    return {std::chrono::duration<double, std::nano>(end - begin).count() / tasks};
}

race::outcome by_worker_pool() {
    struct row {
        std::uint32_t index;
    };
    // The same counter as the peers' tasks have, though the pool could give each worker its own.
    std::atomic<std::uint32_t> done{0};
    worker_pool<row> pool{{.threads = workers, .capacity = 4096}};
    pool.on<row>([&](row&) { done.fetch_add(1, std::memory_order_relaxed); });
    pool.start();
    return timed([&](std::uint32_t i) { pool.submit(row{i}); }, [&] { pool.drain(); });
}

race::outcome by_tbb() {
    // The arena's second slot is the producer's, who only waits.
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers + 1);
    tbb::task_arena arena(static_cast<int>(workers) + 1, 1);
    arena.initialize();
    std::atomic<std::uint32_t> done{0};
    return timed(
        [&](std::uint32_t) {
            arena.enqueue([&] { done.fetch_add(1, std::memory_order_release); });
        },
        [&] {
            while (done.load(std::memory_order_acquire) != tasks) {
                std::this_thread::yield();
            }
        });
}

race::outcome by_asio() {
    boost::asio::thread_pool pool(workers);
    std::atomic<std::uint32_t> done{0};
    return timed(
        [&](std::uint32_t) {
            boost::asio::post(pool, [&] { done.fetch_add(1, std::memory_order_relaxed); });
        },
        [&] { pool.join(); });
}

} // namespace

int main(int argc, char** argv) {
    bench::bench_run run(bench::parse_options(argc, argv, 25));
    run.measure(
        "submit to handled, one producer, two workers: time a task", "ns",
        {{"worker_pool", by_worker_pool},
         {"oneTBB task_arena::enqueue", by_tbb},
         {"Boost.Asio thread_pool post", by_asio}},
        {{"submit to handled", "worker_pool", "oneTBB task_arena::enqueue", 0.5},
         {"submit to handled, Asio", "worker_pool", "Boost.Asio thread_pool post", std::nullopt}});
    return run.finish("worker_pool");
}
