// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `transcend`: long items that only compute, with elementary functions.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <memory>

namespace regatta::race {

inline constexpr size_range transcend_sizes{4, 64, 4};

/// Items of 2048 × 4096 evaluations of log(sqrt(exp(sin i + cos j))) each, whose sum is the output.
/// Failure: `std::invalid_argument` for a size out of range, `std::system_error` where there is no
/// room.
std::unique_ptr<workload> make_transcend(const workload_options& options);
std::unique_ptr<workload> attach_transcend(int descriptor);

/// The sum of sin i for i from `first` to `first + count − 1`, without a loop.
double sum_of_sines(double first, double count) noexcept;
/// The same of cos i.
double sum_of_cosines(double first, double count) noexcept;

} // namespace regatta::race
