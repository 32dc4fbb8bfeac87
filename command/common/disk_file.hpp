// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether two names or descriptors are one file.

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace regatta::command {

/// A file on a disk, whatever its name; nothing for all that holds nothing, as devices and pipes.
using disk_file = std::optional<std::pair<dev_t, ino_t>>;

/// The open file of that number.
disk_file file_behind(int descriptor) noexcept;
/// The file of that name; nothing where there is none.
disk_file file_named(const std::string& name) noexcept;

/// Refuses two results in one file, pipe or socket; devices, as /dev/null, take several.
/// @param one, other how their places are called: "--json F", "standard output".
/// Failure: `usage_error`.
void require_two_files(const std::string& one, int descriptor, const std::string& other,
                       int other_descriptor);

} // namespace regatta::command
