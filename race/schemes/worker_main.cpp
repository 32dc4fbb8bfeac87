// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"
#include "schemes/worker_process.hpp"

#include <cstdio>

namespace regatta::race {

std::optional<int> run_as_worker(int argc, char** argv) {
    if (!worker_role.is_played(argc, argv)) {
        return std::nullopt;
    }
    const std::string_view scheme_name = argc > 2 ? argv[2] : "";
    const scheme_entry entry = scheme_name == "processes" ? processes_scheme()
                               : scheme_name == "zmq_ipc" ? zmq_ipc_scheme()
                                                          : scheme_entry{};
    if (argc < 4 || entry.worker == nullptr) {
        std::fprintf(stderr, "regatta: %s is for the processes that a race starts itself\n",
                     worker_flag);
        return 2;
    }
    return run_worker(entry.worker, argv[3], std::vector<std::string>(argv + 4, argv + argc));
}

} // namespace regatta::race
