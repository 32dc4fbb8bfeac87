// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// CPUs of one's own, for a while.

#include "lease/exclusive_acquire.hpp"
#include "lease/exclusive_entry.hpp"
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta {

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
class exclusive_cpus {
public:
    /// Owns nothing.
    exclusive_cpus() = default;
    exclusive_cpus(exclusive_cpus&&) noexcept = default;
    exclusive_cpus& operator=(exclusive_cpus&& other) noexcept {
        if (this != &other) {
            release_or_tell();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    ~exclusive_cpus() { release_or_tell(); }

    /// Takes these CPUs.
    static exclusive_cpus acquire(const cpu_set& cpus, exclusive_options options = {}) {
        detail::exclusive_error error;
        return or_fail(try_acquire(cpus, std::move(options), error), error);
    }
    /// Takes as many CPUs: those isolated at boot if there are enough; else whole cores, near to
    /// each other.
    static exclusive_cpus acquire(unsigned count, exclusive_options options = {}) {
        detail::exclusive_error error;
        return or_fail(try_acquire(count, std::move(options), error), error);
    }
    /// `acquire` without exceptions: nothing is returned and `error` is filled if it fails.
    static std::optional<exclusive_cpus> try_acquire(const cpu_set& cpus, exclusive_options options,
                                                     detail::exclusive_error& error) {
        return wrap(detail::acquire_lease(&cpus, 0, std::move(options), error));
    }
    static std::optional<exclusive_cpus> try_acquire(unsigned count, exclusive_options options,
                                                     detail::exclusive_error& error) {
        return wrap(detail::acquire_lease(nullptr, count, std::move(options), error));
    }

    /// Whether it owns CPUs.
    explicit operator bool() const noexcept { return state_ != nullptr; }
    /// The CPUs; none where it owns nothing.
    const cpu_set& cpus() const noexcept {
        static const cpu_set none;
        return state_ ? state_->cpus : none;
    }
    /// How far they are this lease's own.
    exclusivity level() const noexcept { return state_ ? state_->plan.level : exclusivity::soft; }
    /// What was obtained and what could not be had, and why: a sentence each.
    std::vector<std::string> explain() const {
        return state_ ? state_->sentences : std::vector<std::string>{"No CPUs are owned."};
    }

    /// Moves the calling thread to the CPUs; threads that it starts follow. Where the scheduler
    /// does not balance the load (see `balances_load`) it gets one of them for itself, in turn;
    /// else all. A thread that has entered may enter again, without effect.
    void enter() { enter(system().this_thread()); }
    /// The same for another thread, by its number, also of another process of this user.
    void enter(int thread) { put_in(thread, !balances_load(level())); }
    /// `enter` without exceptions. @returns 0, or the error number.
    int try_enter() noexcept {
        if (!state_) {
            return EINVAL;
        }
        const std::scoped_lock lock(state_->mutex);
        return detail::put_thread_in(*state_, state_->system->this_thread(),
                                     !balances_load(level()))
            .number;
    }
    /// Moves a whole process, all its threads, to the CPUs.
    void enter_process(int process) {
        if (state_->plan.member == "cgroup.procs") {
            put_in(process, false);
            return;
        }
        for (const std::string& name :
             system().list("/proc/" + std::to_string(process) + "/task")) {
            if (const auto thread = detail::to_number(name)) {
                put_in(static_cast<int>(*thread), false);
            }
        }
    }
    /// Moves the calling thread, or another, back to where it came from, with the affinity that it
    /// had. Of no effect for one that has not entered or has ended.
    void leave() { leave(system().this_thread()); }
    void leave(int thread) {
        system();
        const std::scoped_lock lock(state_->mutex);
        const auto found = state_->entered.find(thread);
        if (found != state_->entered.end()) {
            detail::put_thread_out(*state_, found->second);
            state_->entered.erase(found);
        }
    }

    /// Reads back whether the lease still is what it was: a CPU may have gone offline, and a group
    /// made later may have made a partition invalid. Nothing: all is well.
    std::optional<std::string> check() const {
        std::string breach = state_
                                 ? detail::find_breach(*state_->system, state_->plan, state_->cpus)
                                 : std::string("no CPUs are owned");
        return breach.empty() ? std::nullopt : std::optional(std::move(breach));
    }
    /// Tries to make a partition valid again, once what made it invalid is gone; newer kernels do
    /// so themselves. @returns what `check` says afterwards.
    std::optional<std::string> renew() {
        const bool isolated = level() == exclusivity::isolated_partition;
        if (state_ && (isolated || level() == exclusivity::root_partition) && check()) {
            const std::string file = state_->plan.group + "/cpuset.cpus.partition";
            state_->system->write(file, "member\n");
            state_->system->write(file, isolated ? "isolated\n" : "root\n");
        }
        return check();
    }

    /// Gives the CPUs back; everything is as it was before. Threads that are still in are moved
    /// out. Blocks: up to ten seconds for another program that takes or gives back CPUs. Failure:
    /// `std::system_error` naming what could not be undone; the lease is over all the same, and the
    /// next `acquire` or `release_stale`, of any program, tries again.
    void release() {
        std::string problem;
        if (!try_release(problem)) {
            fail_system(EBUSY, "give back CPUs: " + problem);
        }
    }
    /// `release` without exceptions. @returns false and fills `problem` if something is left.
    bool try_release(std::string& problem) {
        const auto state = std::move(state_);
        if (!state || state->owner != state->system->this_process()) {
            return true;
        }
        for (const auto& [thread, before] : state->entered) {
            detail::put_thread_out(*state, before);
        }
        if (!state->journal.is_open()) {
            return true;
        }
        detail::lease_lock lock(*state->system);
        if (const auto error = lock.take(state->options.journal)) {
            problem = error.text;
        } else {
            for (const std::string& one : detail::end_lease(*state)) {
                problem += (problem.empty() ? "" : "; ") + one;
            }
        }
        if (problem.empty()) {
            return true;
        }
        // Else nobody would touch what is left for as long as this process lives.
        const int error = state->journal.give_up();
        problem += error == 0 ? "; `regatta cpus release --stale` or the next lease undoes the rest"
                              : "; the rest is undone once this process has ended";
        return false;
    }

private:
    static std::optional<exclusive_cpus> wrap(std::unique_ptr<detail::lease_state> state) {
        if (!state) {
            return std::nullopt;
        }
        exclusive_cpus lease;
        lease.state_ = std::move(state);
        return lease;
    }

    static exclusive_cpus or_fail(std::optional<exclusive_cpus> lease,
                                  const detail::exclusive_error& error) {
        if (!lease && error.bad_request) {
            fail_argument(error.text);
        }
        if (!lease) {
            fail_system(error.number, error.text);
        }
        return std::move(*lease);
    }

    detail::exclusive_system& system() const {
        if (!state_) {
            fail_state("no CPUs are owned that a thread could enter or leave");
        }
        return *state_->system;
    }

    void put_in(int thread, bool alone) {
        system();
        const std::scoped_lock lock(state_->mutex);
        if (const auto error = detail::put_thread_in(*state_, thread, alone)) {
            fail_system(error.number, error.text);
        }
    }

    void release_or_tell() noexcept {
        std::string problem;
        if (state_ && !try_release(problem)) {
            std::fprintf(stderr, "regatta: give back CPUs: %s\n", problem.c_str());
        }
    }

    std::unique_ptr<detail::lease_state> state_;
};

namespace detail {

/// A lease as others hold it.
class leased_cpus final : public cpu_holder {
public:
    explicit leased_cpus(exclusive_cpus&& lease) noexcept : lease_(std::move(lease)) {}
    int try_enter() noexcept override { return lease_.try_enter(); }
    unsigned count() const noexcept override { return lease_.cpus().count(); }

private:
    exclusive_cpus lease_;
};

} // namespace detail

inline shared_cpus::shared_cpus(exclusive_cpus&& lease)
    : holder_(lease ? std::make_shared<detail::leased_cpus>(std::move(lease)) : nullptr) {}

} // namespace regatta
