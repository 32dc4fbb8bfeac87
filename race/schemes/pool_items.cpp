// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/pool_items.hpp"

#include "schemes/run_log.hpp"
#include "schemes/worker_process.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace regatta::race {
namespace {

/// This worker's part in the race, from its first task to its end.
struct participation {
    explicit participation(const workload_title& workload)
        : process(workload.text, pool_workload_descriptor, pool_log_descriptor)
        , runner(process.work(), process.log()) {
        process.introduce(runner.log());
    }

    worker_process process;
    item_runner runner;
};

participation& take_part(const workload_title& workload) {
    static participation mine(workload);
    return mine;
}

} // namespace

void run_pool_item(const process_task& task, std::span<const std::byte>, std::span<std::byte>,
                   workload_title workload) {
    take_part(workload).runner(task.index);
}

void run_offered_item(std::uint64_t item, workload_title workload) {
    take_part(workload).runner(static_cast<std::size_t>(item));
}

void meet_pool_worker(const process_task& task, std::span<const std::byte>, std::span<std::byte>,
                      workload_title workload, std::span<std::uint32_t> arrived,
                      std::uint32_t count) {
    using clock = std::chrono::steady_clock;
    take_part(workload).process.warm_up(task.index);
    // Relaxed: only the number counts.
    const std::atomic_ref<std::uint32_t> so_far(arrived[0]);
    so_far.fetch_add(1, std::memory_order_relaxed);
    const auto until = clock::now() + std::chrono::seconds(5);
    while (so_far.load(std::memory_order_relaxed) < count && clock::now() < until) {
        std::this_thread::yield();
    }
}

} // namespace regatta::race
