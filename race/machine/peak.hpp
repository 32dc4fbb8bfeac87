// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The most that one core of this machine can compute.

#include <string>

namespace regatta::race {

/// A peak and how it was found.
struct floating_point_peak {
    double gflops = 0; ///< 10⁹ operations a second; a multiplication with addition counts as two.
    std::string source; ///< "multiply-add loop in registers, AVX-512, 16 floats at once"
};

/// The peak of one core in single or in double precision, with the widest vectors that matmul's
/// kernel `tiled` uses here: measured by a loop that does nothing but multiply and add in
/// registers, on as many independent chains as keep every unit busy.
///
/// It is the best of many short bursts, so that a preempted one does not count; a processor that
/// clocks down under load cannot hold it for long.
///
/// Threads: any. Cost: about 20 ms of the calling thread.
floating_point_peak peak_gflops(bool of_doubles = false);

} // namespace regatta::race
