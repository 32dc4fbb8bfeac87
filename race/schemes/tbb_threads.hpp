// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The threads of oneTBB for one run: as many as there are workers, and none left afterwards.

#include "schemes/thread_limit.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/version.h>

#include <cstddef>
#include <new>
#include <string>

namespace regatta::race {

/// Allows oneTBB `workers` threads, the calling one included, and ends them in its destructor.
///
/// By itself oneTBB starts no more threads than there are CPUs and keeps them to the end of the
/// program. Threads: all calls from the one thread that drives the race.
class tbb_threads {
public:
    /// Throws `std::system_error` where so many cannot be started: oneTBB would never end then.
    explicit tbb_threads(std::size_t workers)
        : workers_((require_threads(workers - 1), workers))
        , limit_(tbb::global_control::max_allowed_parallelism, workers) {}
    tbb_threads(const tbb_threads&) = delete;
    tbb_threads& operator=(const tbb_threads&) = delete;
    ~tbb_threads() { tbb::finalize(handle_, std::nothrow); }

    /// Makes oneTBB start its threads now, in the current arena.
    void start() const {
        tbb::parallel_for(std::size_t{0}, 16 * workers_, [](std::size_t) {});
    }

private:
    std::size_t workers_;
    tbb::task_scheduler_handle handle_{tbb::attach{}};
    tbb::global_control limit_;
};

/// The library that runs, as "oneTBB 2021.8".
inline std::string tbb_version() {
    const int version = TBB_runtime_interface_version(); // 12080: interface 12 of 2021, minor 8
    return "oneTBB 2021." + std::to_string(version % 1000 / 10);
}

} // namespace regatta::race
