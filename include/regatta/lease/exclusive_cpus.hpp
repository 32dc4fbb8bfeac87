// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// CPUs of one's own, for a while.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/lease/exclusive_error.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace regatta {
namespace detail {

struct lease_access;
struct lease_state;

} // namespace detail

/// A lease of CPUs: threads that enter run there, and as far as the machine allows nobody else
/// does. The best way that works is found by trying; `level` says which, `explain` says why not a
/// better one. At its end everything is as it was, and `release_stale` sees to that after a crash.
///
/// A fork of the process owns nothing. An object made by default owns nothing either.
///
/// Threads: `enter`, `leave` and `check` from any at once; the others like an int.
/// Failure: `std::invalid_argument` for CPUs that are offline, not granted, none or all;
/// `std::system_error` otherwise, `EBUSY` for CPUs of another lease or partition. Whatever was done
/// before a failure is undone. The destructor tells on stderr what it could not undo.
/// Cost: taking and giving back, some ten milliseconds; entering, some ten microseconds.
class REGATTA_SYSTEM_API exclusive_cpus {
public:
    /// Owns nothing.
    exclusive_cpus() noexcept;
    exclusive_cpus(exclusive_cpus&& other) noexcept;
    exclusive_cpus& operator=(exclusive_cpus&& other) noexcept;
    ~exclusive_cpus();

    /// Takes these CPUs.
    static exclusive_cpus acquire(const cpu_set& cpus, exclusive_options options = {});
    /// Takes as many CPUs: those isolated at boot if there are enough; else whole cores, near to
    /// each other.
    static exclusive_cpus acquire(unsigned count, exclusive_options options = {});
    /// `acquire` without exceptions: nothing is returned and `error` is filled if it fails.
    static std::optional<exclusive_cpus> try_acquire(const cpu_set& cpus, exclusive_options options,
                                                     exclusive_error& error);
    static std::optional<exclusive_cpus> try_acquire(unsigned count, exclusive_options options,
                                                     exclusive_error& error);

    /// Whether it owns CPUs.
    explicit operator bool() const noexcept { return state_ != nullptr; }
    /// The CPUs; none where it owns nothing.
    const cpu_set& cpus() const noexcept;
    /// How far they are this lease's own.
    exclusivity level() const noexcept;
    /// What was obtained and what could not be had, and why: a sentence each.
    std::vector<std::string> explain() const;

    /// Hands the lease over to several holders: `.cpus = exclusive_cpus::acquire(2)` in the options
    /// of a pool. No CPUs where it owns nothing.
    operator shared_cpus() &&;

    /// Moves the calling thread to the CPUs; threads that it starts follow. Where the scheduler
    /// does not balance the load (see `balances_load`) it gets one of them for itself, in turn;
    /// else all. A thread that has entered may enter again, without effect.
    void enter();
    /// The same for another thread, by its number, also of another process of this user.
    void enter(int thread);
    /// `enter` without exceptions. @returns 0, or the error number.
    int try_enter() noexcept;
    /// Moves a whole process, all its threads, to the CPUs.
    void enter_process(int process);
    /// Moves the calling thread, or another, back to where it came from, with the affinity that it
    /// had. Of no effect for one that has not entered or has ended.
    void leave();
    void leave(int thread);

    /// Reads back whether the lease still is what it was: a CPU may have gone offline, and a group
    /// made later may have made a partition invalid. Nothing: all is well.
    std::optional<std::string> check() const;
    /// Tries to make a partition valid again, once what made it invalid is gone; newer kernels do
    /// so themselves. @returns what `check` says afterwards.
    std::optional<std::string> renew();

    /// Gives the CPUs back; everything is as it was before. Threads that are still in are moved
    /// out. Blocks: up to ten seconds for another program that takes or gives back CPUs. Failure:
    /// `std::system_error` naming what could not be undone; the lease is over all the same, and the
    /// next `acquire` or `release_stale`, of any program, tries again.
    void release();
    /// `release` without exceptions. @returns false and fills `problem` if something is left.
    bool try_release(std::string& problem);

private:
    friend detail::lease_access;
    explicit exclusive_cpus(std::unique_ptr<detail::lease_state> state) noexcept;

    std::unique_ptr<detail::lease_state> state_; ///< Null: it owns nothing.
};

} // namespace regatta
