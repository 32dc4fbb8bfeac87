// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How much memory can be had without a process being killed for it.

#include <cstdint>
#include <string>

namespace regatta::detail {

/// The bytes that the kernel can give this process without swapping: those of the machine, or what
/// the limits of its control groups leave, if that is less. Caches of files count as free. No limit
/// where neither says anything.
/// @param root a directory to use instead of `/`.
std::uint64_t available_memory(const std::string& root = {});

} // namespace regatta::detail
