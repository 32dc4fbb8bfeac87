// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "placed_threads.hpp"

#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>

#include <cerrno>
#include <filesystem>
#include <string>

namespace regatta::bench {
namespace {

/// Gives every thread of the process but the calling one that mask. @returns the first error.
int pin_the_others(const cpu_set& cpus) {
    int error = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        const auto thread = static_cast<thread_number>(std::stol(task.path().filename().string()));
        if (thread == number_of_this_thread()) {
            continue;
        }
        const int failed = try_pin_thread(thread, cpus);
        if (failed != 0 && failed != ESRCH && error == 0) { // ESRCH: it has ended.
            error = failed;
        }
    }
    return error;
}

} // namespace

placed_threads::placed_threads(worker_place where) : saved_(affinity_of_this_thread()) {
    const unsigned mine = *saved_.begin();
    cpu_set others = saved_;
    others.erase(mine);
    const bool alone = where == worker_place::same_cpu || others.empty();
    if (const int error = pin_the_others({alone ? mine : *others.begin()}); error != 0) {
        pin_the_others(saved_);
        fail_system(error, "pin the workers of a bench");
    }
    pin_this_thread({mine});
}

placed_threads::~placed_threads() {
    pin_the_others(saved_);
    try_pin_this_thread(saved_);
}

} // namespace regatta::bench
