// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `uneven`: items of very different length, most short and a few long.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <memory>

namespace regatta::race {

inline constexpr size_range uneven_sizes{100, 1'000'000, 10'000};

/// Items whose lengths follow a Pareto distribution (exponent 1.2, from 500 steps on, 2,000,000 at
/// most), as the seed has it. A step is one of a linear congruential generator, each of which needs
/// the one before; the state after an item's steps is its output.
/// Failure: `std::invalid_argument` for a size out of range, `std::system_error` where there is no
/// room.
std::unique_ptr<workload> make_uneven(const workload_options& options);
std::unique_ptr<workload> attach_uneven(int descriptor);

/// How many steps an item takes.
std::uint32_t uneven_steps(std::uint64_t seed, std::size_t item) noexcept;
/// Takes so many steps one after the other: what an item does.
std::uint64_t take_steps(std::uint64_t state, std::uint64_t steps) noexcept;
/// Where they lead, without taking them.
std::uint64_t jump_steps(std::uint64_t state, std::uint64_t steps) noexcept;

} // namespace regatta::race
