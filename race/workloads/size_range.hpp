// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a workload allows for an option that is a number.

#include "workloads/workload.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace regatta::race {

/// The numbers that a workload takes, and the one that it takes unless told otherwise.
struct size_range {
    std::size_t min;
    std::size_t max;
    std::size_t usual;

    constexpr bool contains(std::uint64_t size) const noexcept {
        return size >= min && size <= max;
    }

    /// The size that was chosen. Throws `std::invalid_argument` where it is out of range.
    std::size_t choose(std::string_view workload, const workload_options& options) const {
        return check(workload, "size", options.size.value_or(usual));
    }

    /// That number, for an option of that name. Throws `std::invalid_argument` where it is out of
    /// range.
    std::size_t check(std::string_view workload, std::string_view option,
                      std::size_t number) const {
        if (!contains(number)) {
            throw std::invalid_argument(std::string(workload) + ": " + std::string(option) + " " +
                                        std::to_string(number) + " is out of range " +
                                        std::to_string(min) + " to " + std::to_string(max));
        }
        return number;
    }
};

} // namespace regatta::race
