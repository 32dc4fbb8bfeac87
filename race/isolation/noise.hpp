// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Processes that want the CPUs: the neighbours of an experiment, all of them its own children.

#include <regatta/process/subprocess.hpp>

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// How the noise behaves.
enum class noise_kind {
    hostile, ///< Spins, pinned to the CPU of a worker: `count` processes for each of those CPUs.
    spread,  ///< Spins, on whichever CPU the kernel likes.
    bursty,  ///< Spins and sleeps in turn, some milliseconds each, on whichever CPU.
    none,    ///< None is made: what runs on the machine anyway is the noise.
};

/// "hostile", "spread", "bursty", "none".
std::string_view to_string(noise_kind kind) noexcept;

/// What noise to make.
struct noise_plan {
    static constexpr unsigned most = 64; ///< Largest `count`.

    noise_kind kind = noise_kind::hostile;
    unsigned count = 2; ///< 0 of `none`, and only of that.

    bool made() const noexcept { return kind != noise_kind::none; }
    /// As it is written on the command line: "hostile:2", or "none".
    std::string to_string() const;
    bool operator==(const noise_plan&) const = default;
};

/// Reads "hostile:2", "spread:4", "bursty:4" or "none".
/// Failure: `std::invalid_argument` that says what is wrong and what is allowed.
noise_plan parse_noise(std::string_view text);

/// Noise while it lives: processes that this one started, that run before the constructor returns,
/// and that are killed and waited for at the end. They die with the thread that made them, also
/// where that is killed; Ctrl-C on the terminal is not for them.
///
/// Threads: one. Blocks: the constructor until every process has run for a millisecond.
/// Failure: `std::system_error` where a process cannot be started, `std::runtime_error` where one
/// does not run.
class noise {
public:
    /// @param cpus those of the workers, which hostile noise takes aim at.
    /// @param program whose `main` begins with `run_as_noise`.
    noise(const noise_plan& plan, const std::vector<unsigned>& cpus, const std::string& program);
    noise(const noise&) = delete;
    noise& operator=(const noise&) = delete;

    /// The processes, in the order of their start.
    std::vector<pid_t> processes() const;
    /// CPU time that they have used so far.
    std::int64_t cpu_ns() const noexcept;
    /// Ends the noise now.
    /// Failure: `std::runtime_error` where a process had ended before, so that there was less noise
    /// than planned.
    void stop();

private:
    void see_running(int ready, std::size_t count);

    std::vector<subprocess> processes_;
};

/// To be called first in `main`: where this process was started to be noise it never returns but
/// for a failure, whose exit status it gives; otherwise it returns nothing.
std::optional<int> run_as_noise(int argc, char** argv);

} // namespace regatta::race
