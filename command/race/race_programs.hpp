// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The programs that `regatta race --command` enters.

#include "sampling/race.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Programs as entrants, and all that these refer to.
class race_programs {
public:
    /// @param commands as typed, each NAME=COMMAND.
    /// Failure: `usage_error` for what is no such thing, a name that is there twice and a program
    /// that is not there; so that it is known before the race.
    race_programs(const std::vector<std::string>& commands, unsigned workers);
    race_programs(const race_programs&) = delete;
    race_programs& operator=(const race_programs&) = delete;

    /// Their files.
    const std::vector<std::string>& files() const noexcept { return files_; }
    /// Adds them. Failure: `usage_error` where somebody else in the race has a program's name.
    void enter(std::vector<race::entrant>& entrants) const;

private:
    std::vector<std::string> names_;
    std::vector<std::string> files_;
    std::vector<race::scheme_info> infos_; ///< One each; entrants point to them.
};

} // namespace regatta::command
