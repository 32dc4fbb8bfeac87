// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Leases of this machine's CPUs beside other programs that take some.

#include "lease/exclusive_system.hpp"
#include "lease/lease_access.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace exclusive_test {

/// The CPU with the highest number.
inline unsigned last_of(const regatta::cpu_set& cpus) {
    unsigned last = 0;
    for (const unsigned cpu : cpus) {
        last = cpu;
    }
    return last;
}

/// Takes `cpus` once no other program of this machine's tests has them.
inline regatta::exclusive_cpus
take_when_free(const std::shared_ptr<regatta::detail::exclusive_system>& host,
               const regatta::cpu_set& cpus, const regatta::exclusive_options& options) {
    regatta::exclusive_error error;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
        if (auto lease = regatta::detail::try_acquire_on(host, cpus, options, error)) {
            return std::move(*lease);
        }
        if (error.number != EBUSY || std::chrono::steady_clock::now() > deadline) {
            ADD_FAILURE() << error.text;
            return {};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

} // namespace exclusive_test
