// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Shared ownership of a lease of CPUs.

#include <cstdint>
#include <memory>
#include <utility>

namespace regatta {

/// The interface through which a pool enters leased CPUs.
class cpu_holder {
public:
    cpu_holder() = default;
    cpu_holder(const cpu_holder&) = delete;
    cpu_holder& operator=(const cpu_holder&) = delete;
    virtual ~cpu_holder() = default;

    /// Moves the calling thread to the CPUs. @returns 0, or the error number.
    virtual int try_enter() noexcept = 0;
    /// Called for a thread of another process, by its number, that has inherited the CPUs of a
    /// thread that entered: a worker of a process pool. A holder that gives each thread a CPU of
    /// its own gives it one. @returns 0, or the error number.
    virtual int try_enter_worker(std::int32_t thread) noexcept {
        static_cast<void>(thread);
        return 0;
    }
    /// The number of leased CPUs.
    virtual unsigned count() const noexcept = 0;
};

/// Shared ownership of leased CPUs: the lease ends with the last copy. An `exclusive_cpus`
/// (`regatta/lease/exclusive_cpus.hpp`) converts to it: `.cpus = exclusive_cpus::acquire(2)`.
///
/// Threads: as a `std::shared_ptr`; any threads may call `try_enter` at once.
class shared_cpus {
public:
    /// No CPUs.
    shared_cpus() = default;
    /// Shares the lease of `holder`.
    explicit shared_cpus(std::shared_ptr<cpu_holder> holder) noexcept
        : holder_(std::move(holder)) {}

    explicit operator bool() const noexcept { return holder_ != nullptr; }
    /// The number of leased CPUs; 0 without a lease.
    unsigned count() const noexcept { return holder_ ? holder_->count() : 0; }
    /// Moves the calling thread to the CPUs; without a lease it does nothing.
    /// @returns 0, or the error number.
    int try_enter() const noexcept { return holder_ ? holder_->try_enter() : 0; }
    /// Moves a thread of another process that has inherited the CPUs; see `cpu_holder`.
    /// @returns 0, or the error number.
    int try_enter_worker(std::int32_t thread) const noexcept {
        return holder_ ? holder_->try_enter_worker(thread) : 0;
    }

private:
    std::shared_ptr<cpu_holder> holder_;
};

} // namespace regatta
