// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The version of the library, as numbers and as text.

namespace regatta {

/// Incremented when a program that compiled may no longer compile (before 1.0: the minor version).
inline constexpr int version_major = 0;
/// Incremented when a feature is added.
inline constexpr int version_minor = 1;
/// Incremented when only defects are fixed.
inline constexpr int version_patch = 0;
/// "major.minor.patch"; the build checks that it agrees with the project's version.
inline constexpr const char* version_string = "0.1.0";

} // namespace regatta
