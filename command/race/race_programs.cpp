// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race/race_programs.hpp"

#include "common/usage_error.hpp"
#include "programs/program.hpp"

#include <regatta/base/detail/printable_text.hpp>
#include <regatta/process/subprocess.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace regatta::command {
namespace {

race::program_command parse(const std::string& text) {
    try {
        return race::parse_program(text);
    } catch (const std::invalid_argument& e) {
        throw usage_error(fmt::format("--command: {}", e.what()));
    }
}

} // namespace

race_programs::race_programs(const std::vector<std::string>& commands, unsigned workers) {
    for (const std::string& text : commands) {
        const race::program_command program = parse(text);
        if (std::ranges::find(names_, program.name) != names_.end()) {
            throw usage_error(
                fmt::format("--command: \"{}\" is there twice; give each program a name of its own",
                            program.name));
        }
        if (detail::printable_text(program.name) != program.name) {
            throw usage_error(fmt::format(
                "--command: the name \"{}\" has a character that cannot be shown", program.name));
        }
        const std::string file = race::with_workers(program.words.front(), workers);
        if (const std::string why = race::why_not_startable(file); !why.empty()) {
            throw usage_error(fmt::format("--command: {}: {}", program.name, why));
        }
        names_.push_back(program.name);
        files_.push_back(find_program(file));
        infos_.push_back(race::program_scheme(program, workers));
    }
}

void race_programs::enter(std::vector<race::entrant>& entrants) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (std::ranges::find(entrants, names_[i], &race::entrant::name) != entrants.end()) {
            throw usage_error(
                fmt::format("--command: \"{0}\" is also a scheme in this race; give the program "
                            "another name: my_{0}=...",
                            names_[i]));
        }
        entrants.push_back({names_[i], &infos_[i], true});
    }
}

} // namespace regatta::command
