// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A lease of CPUs that several hold together.

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
    /// How many CPUs there are.
    virtual unsigned count() const noexcept = 0;
};

/// CPUs of one's own in the hands of everybody who has a copy; they are given back with the last
/// one. An `exclusive_cpus` (`regatta/lease/exclusive_cpus.hpp`) converts to it:
/// `.cpus = exclusive_cpus::acquire(2)`.
///
/// Threads: like a `std::shared_ptr`; `try_enter` from any at once.
class shared_cpus {
public:
    /// No CPUs.
    shared_cpus() = default;
    /// Shares what somebody else holds.
    explicit shared_cpus(std::shared_ptr<cpu_holder> holder) noexcept
        : holder_(std::move(holder)) {}

    explicit operator bool() const noexcept { return holder_ != nullptr; }
    /// How many CPUs there are; 0 without a lease.
    unsigned count() const noexcept { return holder_ ? holder_->count() : 0; }
    /// Moves the calling thread to the CPUs; without a lease nothing happens.
    /// @returns 0, or the error number.
    int try_enter() const noexcept { return holder_ ? holder_->try_enter() : 0; }

private:
    std::shared_ptr<cpu_holder> holder_;
};

} // namespace regatta
