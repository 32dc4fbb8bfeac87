// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/subcommand.hpp"

#include "common/nearest_name.hpp"
#include "common/usage_error.hpp"

#include <algorithm>
#include <vector>

namespace regatta::command {

void check_subcommand(const CLI::App& parent, std::string_view typed, const std::string& parents) {
    std::vector<std::string> names;
    for (const CLI::App* command : parent.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    if (std::find(names.begin(), names.end(), typed) != names.end()) {
        return;
    }
    const std::string near = nearest_name(typed, {names.begin(), names.end()});
    throw usage_error("there is no command \"" + parents + std::string(typed) + '"' +
                      (near.empty() ? "" : "; did you mean \"" + parents + near + "\"?"));
}

} // namespace regatta::command
