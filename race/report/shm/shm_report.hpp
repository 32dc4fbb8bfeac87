// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The segments of shared memory on a machine, for people and as JSON.

#include "text/text.hpp"

#include <regatta/process/shared_memory.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::race {

/// The segments, and the room that is left.
struct shm_view {
    std::uint64_t room_bytes = 0; ///< Of /dev/shm.
    std::uint64_t free_bytes = 0;
    std::vector<segment_record> segments;
    bool cleaned = false;             ///< What was stale has been removed.
    std::vector<std::string> removed; ///< Names.
};

std::string shm_view_text(const shm_view& view, const text_style& style);

/// The document, indented, with a final newline; docs/reference/shm.md describes it.
std::string shm_view_json(const shm_view& view);

} // namespace regatta::race
