// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The worker of the scheme `processes` as a program of its own: it is started anew in each run, and
// loading the libraries of the peers would take it longer than all the rest.

#include "schemes/worker_process.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    using namespace regatta::race;
    if (argc < 4 || std::string_view(argv[1]) != worker_flag ||
        std::string_view(argv[2]) != "processes") {
        std::fprintf(stderr, "regatta-worker is started by regatta itself\n");
        return 2;
    }
    return run_worker(processes_worker, argv[3], {});
}
