// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/worker_process.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <unistd.h>

namespace regatta::race {

worker_process::worker_process(std::string_view workload_name, int workload_descriptor,
                               int log_descriptor) {
    const workload_info* info = find_workload(workload_name);
    if (info == nullptr) {
        throw std::runtime_error("there is no workload '" + std::string(workload_name) + "'");
    }
    work_ = info->attach(workload_descriptor);
    memory_ = shared_memory::attach(log_descriptor, run_log_layout);
    if (memory_.size() < sizeof(run_log)) {
        throw std::runtime_error("the log of the race is too small");
    }
    log_ = reinterpret_cast<run_log*>(memory_.data());
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
    if (worker_log* mine = runner.log()) {
        mine->process = ::getpid();
    }
    runner.run_from_counter();
    return 0;
}

} // namespace regatta::race
