// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `primes`: each item counts the primes up to a number by trial division.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <cstdint>
#include <memory>

namespace regatta::race {

/// Items a run.
inline constexpr size_range primes_sizes{1, 1'000'000, 1000};
/// The number that they count up to.
inline constexpr size_range primes_bounds{1000, 10'000'000, 10'000};

/// Items that are all alike, each as expensive as an event of sysbench's test of the CPU.
/// Failure: `std::invalid_argument` for a size or bound out of range, `std::system_error` where
/// there is no room.
std::unique_ptr<workload> make_primes(const workload_options& options);
std::unique_ptr<workload> attach_primes(int descriptor);

/// How many primes there are from 3 on and below that number: for each number divisors from 2 on
/// until one divides it or it exceeds the square root, the division in 64 bits and the comparison
/// in double precision. This is what an item computes.
std::uint64_t count_primes(std::uint64_t below) noexcept;
/// The same number by a sieve of Eratosthenes.
std::uint64_t sieve_primes(std::uint64_t below);

} // namespace regatta::race
