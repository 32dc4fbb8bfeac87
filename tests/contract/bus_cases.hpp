// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the contract tests of the bus share: a bus of two types of messages.

#include "messages.hpp"

#include <regatta/bus/async_bus.hpp>

#include <stop_token>
#include <thread>

namespace library_test {

using bus_type = regatta::async_bus<tick, text>;

/// Processes until nothing is left. @returns how many messages.
inline int drain(bus_type& bus) {
    int all = 0;
    while (const auto now = bus.process_batch()) {
        all += static_cast<int>(now);
    }
    return all;
}

/// Runs the bus on a thread of its own.
inline std::jthread consumer_of(bus_type& bus) {
    return std::jthread([&bus](const std::stop_token& stop) { bus.run(stop); });
}

} // namespace library_test
