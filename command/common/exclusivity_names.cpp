// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/exclusivity_names.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <algorithm>
#include <utility>

namespace regatta::command {

std::vector<std::string> exclusivity_names() {
    std::vector<std::string> names;
    for (int level = 0; level <= static_cast<int>(exclusivity::isolated_at_boot); ++level) {
        std::string name(to_string(static_cast<exclusivity>(level)));
        std::ranges::replace(name, ' ', '-');
        names.push_back(std::move(name));
    }
    return names;
}

} // namespace regatta::command
