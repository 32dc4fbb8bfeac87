// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the parent of a noise process and that process agree on.

#include "schemes/process_role.hpp"

namespace regatta::race {

/// First argument of a noise process; its kind and a number follow: the CPU of hostile noise, the
/// seed of the others.
inline constexpr const char* noise_flag = "--regatta-noise";
/// What `run_as_noise` looks for.
inline constinit process_role noise_role{noise_flag, "run_as_noise"};
/// Under this number it inherits a pipe, to which it writes a byte when it begins.
inline constexpr int noise_report_descriptor = 3;

} // namespace regatta::race
