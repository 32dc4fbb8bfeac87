// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The configuration that a kernel carries in itself.

#include <regatta/boot/boot_line.hpp>

#include <optional>
#include <string>

namespace regatta::command {

/// Unpacks /proc/config.gz; nothing where the kernel has none.
/// @param root a directory that stands in for `/`.
std::optional<kernel_config> read_packed_config(const std::string& root);

} // namespace regatta::command
