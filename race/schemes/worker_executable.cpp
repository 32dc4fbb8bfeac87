// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The worker of the schemes `processes` and `process_pool` as a program of its own: it is started
// anew in each run, and loading the libraries of the peers would take it longer than all the rest.

#include "schemes/pool_items.hpp"
#include "schemes/worker_process.hpp"

#include <regatta/process/process_pool.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    using namespace regatta::race;
    regatta::offer_process_functions<run_pool_item, run_offered_item, meet_pool_worker>();
    regatta::run_process_worker(argc, argv);
    if (argc < 4 || std::string_view(argv[1]) != worker_flag ||
        std::string_view(argv[2]) != "processes") {
        std::fprintf(stderr, "regatta-worker is started by regatta itself\n");
        return 2;
    }
    return run_worker(processes_worker, argv[3], {});
}
