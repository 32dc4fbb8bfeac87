// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sizes of memory as people write them.

#include <cstdint>
#include <string>

namespace regatta::race {

/// "48 KiB", "1.5 MiB", "12.9 GiB".
std::string size_text(std::uint64_t bytes);

} // namespace regatta::race
