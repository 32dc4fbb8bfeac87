// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workloads whose items leave nothing behind: that each ran exactly once is seen in the log.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <memory>

namespace regatta::race {

/// `empty`: items that do nothing at all, so that all of the time is the scheme's.
inline constexpr size_range empty_sizes{100, 100'000'000, 100'000};
std::unique_ptr<workload> make_empty(const workload_options& options);

/// `allocate`: each item fills a fresh vector of 100 ints.
inline constexpr size_range allocate_sizes{100, 10'000'000, 100'000};
std::unique_ptr<workload> make_allocate(const workload_options& options);

/// `within`: the first item hands over all others, which are empty.
inline constexpr size_range within_sizes{100, 1'000'000, 100'000};
std::unique_ptr<workload> make_within(const workload_options& options);

} // namespace regatta::race
