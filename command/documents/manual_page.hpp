// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

#include "common/command_entry.hpp"

#include <string>

namespace regatta::command {

/// What stands at the foot of each page.
struct page_foot {
    std::string version; ///< "regatta 0.1.0"
    std::string date;    ///< "2026-12-01"
};

/// The man page of a command, as roff.
/// @param path the words that call it: "regatta race isolation".
std::string manual_page(const command_entry& command, const std::string& path,
                        const page_foot& foot);

/// The name of that page: "regatta-race-isolation".
std::string manual_name(const std::string& path);

} // namespace regatta::command
