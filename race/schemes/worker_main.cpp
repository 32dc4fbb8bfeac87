// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"
#include "schemes/worker_process.hpp"

#include <regatta/process/process_pool.hpp>

#include <cstdio>

namespace regatta::race {

std::optional<int> run_as_worker(int argc, char** argv) {
    run_process_worker(argc, argv); // Does not return in a worker of a process pool.
    if (!worker_role.is_played(argc, argv)) {
        return std::nullopt;
    }
    const scheme_info* started = argc > 3 ? find_scheme(argv[2]) : nullptr;
    if (started == nullptr || started->worker == nullptr) {
        std::fprintf(stderr, "regatta: %s is for the processes that a race starts itself\n",
                     worker_flag);
        return 2;
    }
    return run_worker(started->worker, argv[3], std::vector<std::string>(argv + 4, argv + argc));
}

} // namespace regatta::race
