// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a process pool is made with, and what it counts.

#include <regatta/core/error_sink.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/process/subprocess.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// What a process pool is made with.
struct process_pool_options {
    /// Worker processes; 0: as many as `cpus` has, or without those as `available_cpus()` says.
    unsigned workers = 0;
    /// Worker i is shown as "name/i".
    std::string name = "pool";
    /// How often a task may begin; after as many deaths it is given up.
    unsigned attempts = 3;
    /// How long an attempt may take before its worker is killed; 0: as long as it likes.
    std::chrono::nanoseconds deadline{0};
    /// How much memory of its own a worker may allocate, in bytes (RLIMIT_DATA); 0: no limit. The
    /// pool's shared memory does not count.
    std::size_t worker_memory = 0;
    /// How much `allocate` and `allocate_input` may give out each, in bytes; 0: the machine's
    /// memory. What is not given out costs nothing.
    std::size_t shared_memory = 0;
    /// Worker i is pinned to the i-th CPU of the set, from the start again if there are more
    /// workers than CPUs. Empty: not pinned.
    cpu_set pin{};
    /// CPUs of their own, which every worker enters: `.cpus = exclusive_cpus::acquire(2)`.
    shared_cpus cpus{};
    /// Added to the nice value of this process.
    int nice = 0;
    process_environment environment{};
    /// The workers' working directory; empty: this process's.
    std::string directory{};
    /// The program of the workers, whose `main` calls `run_process_worker`; empty: this program.
    std::string worker_program{};
    /// What follows on its command line.
    std::vector<std::string> worker_arguments{};
    /// Descriptors that the workers get, under numbers from 16 on.
    std::vector<inherited_descriptor> descriptors{};
    /// Workers are copies of a process that waits with the program loaded and initialised (a
    /// zygote), so that one that died is replaced in a fraction of the time. What initialisers
    /// before `main` made is copied, too; where they start threads, or the kernel refuses, each
    /// worker is started by itself: `process_pool_stats::copied` tells.
    bool zygote = false;
    /// The longest pause before a worker is started whose predecessors all died.
    std::chrono::milliseconds longest_back_off{1000};
    /// How many workers in a row may die before they are ready, until the pool gives up.
    unsigned failed_starts = 10;
    /// Receives the failures of tasks of `execute`.
    error_sink on_error{};
};

/// What a process pool has done so far. While it is idle the figures are exact.
struct process_pool_stats {
    std::uint64_t submitted = 0;      ///< Tasks accepted.
    std::uint64_t run = 0;            ///< Of them, tasks that returned or threw.
    std::uint64_t cancelled = 0;      ///< Cancelled before an attempt began.
    std::uint64_t errors = 0;         ///< Tasks that threw.
    std::uint64_t poisoned = 0;       ///< Tasks given up after their last attempt.
    std::uint64_t reruns = 0;         ///< Attempts that were lost with a worker and made again.
    std::uint64_t deaths = 0;         ///< Workers that ended and were not told to.
    std::uint64_t deadline_kills = 0; ///< Of them, killed because a task took too long.
    std::uint64_t memory_kills = 0;   ///< Of them, killed by the kernel for memory.
    std::uint64_t spawned = 0;        ///< Workers started, the first ones included.
    std::uint64_t copied = 0;         ///< Of them, copies of the zygote.
    /// From the notice of a death to the readiness of the next worker in its place.
    std::chrono::nanoseconds mean_respawn{0};
    std::chrono::nanoseconds longest_respawn{0};
    /// How often a worker or a wait spun before it slept. None spins unless each worker and one
    /// thread more have a CPU.
    std::uint64_t vain_spins = 0;
    unsigned workers = 0; ///< Workers that are ready now.
};

} // namespace regatta
