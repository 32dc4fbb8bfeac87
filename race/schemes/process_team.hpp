// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The worker processes of a run, as their parent sees them.

#include "schemes/scheme.hpp"

#include <regatta/process/subprocess.hpp>

#include <unistd.h>

#include <string>
#include <vector>

namespace regatta::race {

/// Worker processes that are watched together: when one dies, so do the others.
///
/// Threads: start them from a thread that outlives them; they die with it.
class process_team {
public:
    process_team() = default;
    process_team(const process_team&) = delete;
    process_team& operator=(const process_team&) = delete;
    /// Kills and waits for those that still run.
    ~process_team() { end(); }

    /// Starts one more worker of a scheme, which inherits the workload and the log.
    /// @param arguments what follows scheme and workload on its command line.
    /// Failure: `scheme_failure` that says which worker could not be started and why.
    void start(const std::string& program, std::string_view scheme_name, run_context& context,
               const std::vector<std::string>& arguments = {});

    /// Waits until all have ended well. If one ends otherwise, the rest is killed and waited for.
    /// Failure: `scheme_failure` that names the worker, its process and how it ended.
    void wait_all();

    /// Descriptors that become readable when a worker ends, one each in the order of their start.
    std::vector<int> pidfds() const;
    /// To be called when a worker ended that should not have: kills the rest, waits for all and
    /// throws what `wait_all` would, also for a worker that ended with status 0.
    [[noreturn]] void fail(std::size_t worker);

    /// Kills those that still run and waits for them.
    void end() noexcept;

private:
    std::vector<subprocess> workers_;
};

/// The program of that name at `../libexec/regatta` of this one, or one folder further up, or where
/// the command, once it is installed, has it; empty where it is not there.
/// @param mode of access(2): what may be done with it.
std::string helper_program(const std::string& name, int mode = X_OK);
/// The small worker program that stands there, and this program itself where it does not.
/// Failure: `std::logic_error` where this program's `main` does not begin with `run_as_worker`.
std::string worker_program();
/// The path of this program.
std::string this_program();

} // namespace regatta::race
