// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The leases of the machine on disk: a folder with one file a lease, from which what a lease did
/// can be undone when its owner has died.

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>

#include <functional>
#include <string>
#include <vector>

namespace regatta::detail {

/// Keeps everybody else from taking and giving back CPUs meanwhile. Released at the end, and by the
/// kernel when the process dies.
class lease_lock {
public:
    explicit lease_lock(exclusive_system& system) : system_(system) {}
    lease_lock(const lease_lock&) = delete;
    lease_lock& operator=(const lease_lock&) = delete;
    ~lease_lock();

    /// Creates the journal's folder if need be and takes the lock. Blocks: up to ten seconds.
    step_error take();

private:
    exclusive_system& system_;
    int file_ = -1;
};

/// The file of one's own lease.
class lease_journal {
public:
    lease_journal() = default;
    explicit lease_journal(exclusive_system& system) : system_(&system) {}

    bool is_open() const noexcept { return !name_.empty(); }
    const std::string& name() const noexcept { return name_; }

    /// Begins the file. Under the lock. @returns the error number.
    /// @param is_used whether a lease of another journal has the name already.
    int begin(const cpu_set& cpus, const std::string& title,
              const std::function<bool(const std::string&)>& is_used);
    /// What is to be undone one day; to be called before it is done.
    int step(const exclusive_step& done);
    /// The last step was not done after all.
    int not_done();
    /// Everything that was done so far is undone.
    int undone();
    /// Everything is done.
    int taken(exclusivity level);
    /// Whoever comes next may undo what is left, though this process lives. Needs no lock.
    int give_up();
    /// Nothing is left to be undone.
    void end();

private:
    std::string path() const;
    int line(const std::vector<std::string>& fields);
    int put(const std::string& text);

    exclusive_system* system_ = nullptr;
    std::string name_;  ///< Empty: there is no file.
    bool torn_ = false; ///< The last line may lack its end.
};

} // namespace regatta::detail
