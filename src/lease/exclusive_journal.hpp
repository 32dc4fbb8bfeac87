// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The leases of the machine on disk: a folder with one file for each lease. If the owner dies, its
/// changes are undone from that file.

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace regatta::detail {

/// The lock under which CPUs are taken and given back; it excludes all other processes. The kernel
/// releases it when the process dies.
class lease_lock {
public:
    explicit lease_lock(exclusive_system& system) : system_(system) {}
    lease_lock(const lease_lock&) = delete;
    lease_lock& operator=(const lease_lock&) = delete;
    ~lease_lock();

    /// Creates the journal's folder if necessary and takes the lock.
    ///
    /// Blocks: up to ten seconds.
    step_error take();

    /// Takes the lock together with others that do the same: while a thread is moved from group to
    /// group, no partition may change. Linux 6.12 can deadlock otherwise, and with it all forks of
    /// the machine: a partition that changes may wait for a new kernel thread, which waits for the
    /// moving thread, which waits for the partition. Without the lock the thread is moved all the
    /// same.
    ///
    /// Blocks: up to ten seconds.
    void take_to_move();

    bool is_held() const noexcept { return file_ >= 0; }

private:
    exclusive_system& system_;
    int file_ = -1;
};

/// The file in which the journal of a lease is written anew. It does not count as a lease.
std::string draft_of(const exclusive_system& system, const std::string& lease);

/// The file of this process's own lease.
class lease_journal {
public:
    lease_journal() = default;
    explicit lease_journal(exclusive_system& system) : system_(&system) {}

    bool is_open() const noexcept { return !name_.empty(); }
    const std::string& name() const noexcept { return name_; }
    std::string path() const;

    /// Begins the file. Call it under the lock.
    /// @returns 0, or the error number, as the functions below.
    /// @param is_used whether a lease of another journal already has the name.
    int begin(const cpu_set& cpus, const std::string& title,
              const std::function<bool(const std::string&)>& is_used);
    /// Records a step to undo later; call it before the step acts.
    int step(const exclusive_step& done);
    /// Removes the last line, a step that was not done, or else records that.
    int not_done();
    /// Records that all steps so far are undone.
    int undone();
    /// Records that all steps are done.
    int taken(exclusivity level);
    /// Lets the next `acquire` or `release_stale` undo the rest while this process lives. Needs no
    /// lock.
    int give_up();
    /// Removes the steps that need no inverse any more. On failure all stay. A process that dies
    /// here leaves the old file or the new one whole, and perhaps the draft of the new one.
    int drop(const std::function<bool(const exclusive_step&)>& is_over);
    /// Removes the file: no step is left to undo. If that fails, the journal stays open.
    int end();

private:
    int line(const std::vector<std::string>& fields);
    int put(const std::string& text);

    /// Cuts off what was written after the first `length_` bytes.
    int cut();

    exclusive_system* system_ = nullptr;
    std::string name_;            ///< Empty: no file.
    std::size_t length_ = 0;      ///< Of the lines that count, in bytes.
    std::size_t before_last_ = 0; ///< The same without the last one.
    bool torn_ = false;           ///< The file is longer: no line may be added before `cut`.
};

} // namespace regatta::detail
