// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The message that asks for an item.

#include <cstdint>

namespace regatta::race {

/// Asks a handler of a bus or worker pool to compute an item.
struct item_message {
    std::uint32_t item;
};

} // namespace regatta::race
