// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The type of the elements of a workload's matrices, as an option chooses it.

#include "workloads/splitmix.hpp"
#include "workloads/workload.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace regatta::race {

/// The bytes of an element: 4 or 8. Throws `std::invalid_argument` for another type.
inline std::uint64_t element_bytes(std::string_view workload, const workload_options& options) {
    if (options.type != "float" && options.type != "double") {
        throw std::invalid_argument(std::string(workload) + ": unknown type \"" + options.type +
                                    "\"; there are float, double");
    }
    return options.type == "float" ? sizeof(float) : sizeof(double);
}

/// Element `at` of the stream of a seed, uniform in [-1, 1).
template<class T>
T element(std::uint64_t seed, std::uint64_t at) noexcept {
    if constexpr (sizeof(T) == sizeof(float)) {
        return static_cast<T>(splitmix(seed, at) >> 40) * 0x1p-23F - 1.0F;
    } else {
        return static_cast<T>(splitmix(seed, at) >> 11) * 0x1p-52 - 1.0;
    }
}

} // namespace regatta::race
