// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/worker_process.hpp"

#include "workloads/loaded.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <unistd.h>

namespace regatta::race {
namespace {

/// Before `main`: after the loader, with the other initialisers.
const std::int64_t program_began_ns = detail::monotonic_ns();

/// Of how many items, spread over all, a warm worker has touched the memory.
constexpr std::size_t touching_items = 32;

} // namespace

worker_process::worker_process(std::string_view workload_name, int workload_descriptor,
                               int log_descriptor) {
    const workload_info* const info = find_workload(workload_name);
    work_ =
        info != nullptr ? info->attach(workload_descriptor) : attach_loaded(workload_descriptor);
    memory_ = shared_memory::attach(log_descriptor, run_log_layout);
    if (memory_.size() < sizeof(run_log)) {
        throw std::runtime_error("the log of the race is too small");
    }
    log_ = &log_in(memory_);
    mapped_ns_ = detail::monotonic_ns();
}

void worker_process::introduce(worker_log* mine) const noexcept {
    if (mine != nullptr) {
        mine->process = ::getpid();
        mine->started_ns = program_began_ns;
        mine->mapped_ns = mapped_ns_;
    }
}

void worker_process::warm_up(std::size_t worker) noexcept {
    using clock = std::chrono::steady_clock;
    work_->reset();
    const auto long_enough = clock::now() + std::chrono::milliseconds(5);
    std::size_t touched = 0;
    do {
        work_->run((worker + touched * work_->items() / touching_items) % work_->items());
    } while (++touched < touching_items && clock::now() < long_enough);
}

int run_worker(int (*body)(worker_process&, const std::vector<std::string>&),
               std::string_view workload_name, const std::vector<std::string>& arguments) noexcept {
    std::signal(SIGINT, SIG_IGN);
    try {
        worker_process process(workload_name);
        return body(process, arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "regatta: worker %d: %s\n", static_cast<int>(::getpid()),
                     error.what());
        return 1;
    }
}

int processes_worker(worker_process& process, const std::vector<std::string>&) {
    item_runner runner(process.work(), process.log());
    process.introduce(runner.log());
    runner.run_from_counter();
    return 0;
}

} // namespace regatta::race
