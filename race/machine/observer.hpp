// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the machine, and a process on it, does from one look to the next.

#include "machine/cpu_activity.hpp"
#include "machine/pressure.hpp"
#include "machine/process_activity.hpp"
#include "machine/run_queue.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// The share of the time in which some task waited for each resource, 0..1.
struct pressure_shares {
    std::optional<double> cpu;
    std::optional<double> memory;
    std::optional<double> io;
};

/// The process that is watched, with its descendants.
struct process_observation {
    int pid = 0;
    std::string title; ///< How it was started.
    bool alive = true; ///< Whether it has not ended; then there are no threads.
    /// CPUs that it kept busy on average, threads included that have ended meanwhile.
    double cpus_used = 0;
    std::vector<thread_use> threads;

    /// It and its descendants.
    std::size_t processes() const;
};

/// What happened between two looks.
struct observation {
    std::chrono::system_clock::time_point time; ///< Of the later one.
    std::int64_t elapsed_ns = 0;
    std::optional<cpu_shares> all; ///< CPUs together.
    std::vector<cpu_use> cpus;
    std::optional<run_queue> queue;               ///< At the later look.
    std::optional<double> switches_a_second;      ///< On all CPUs.
    pressure stalls;                              ///< At the later look.
    pressure_shares stalled;                      ///< Meanwhile.
    std::optional<process_observation> process{}; ///< Absent where none is watched.
};

/// Looks at the machine, and at a process if one is given.
///
/// Threads: one. Failure: none; what cannot be read is absent. Cost: what the readers of each part
/// say; together under 1 ms on a small machine.
class observer {
public:
    /// Takes the first look.
    /// @param process its number; nothing: only the machine.
    /// @param root a directory that stands in for `/`.
    explicit observer(std::optional<int> process = {}, std::string root = {});

    /// What happened since the last look, which becomes this one.
    observation observe();

private:
    struct look {
        std::chrono::steady_clock::time_point moment;
        cpu_activity cpus;
        std::optional<run_queue> queue;
        pressure stalls;
        std::vector<thread_activity> threads;
        std::int64_t cpu_ns = 0; ///< Of the watched process and its descendants.
    };
    process_observation observe_process(const look& now, std::int64_t elapsed_ns);
    look take_look() const;

    std::string root_;
    std::optional<int> process_;
    std::string title_;
    look last_;
};

} // namespace regatta::race
