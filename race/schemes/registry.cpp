// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"

#include <algorithm>

namespace regatta::race {

std::string scheme_info::missing(const workload& work) const {
    // A program of the user's knows nothing of the items.
    if (!spawns && command.empty() && work.handed_out() != work.items()) {
        return "its items cannot hand over further items, as those of " + std::string(work.name()) +
               " do";
    }
    if (!forks && command.empty() && work.needs_forks()) {
        return std::string(work.name()) + " divides itself by forks, which this scheme does not do";
    }
    return obstacle ? obstacle(work) : std::string();
}

const scheme_info* find_scheme(std::string_view name) {
    const auto& all = schemes();
    const auto found = std::ranges::find_if(all, [&](const scheme_info& one) {
        return one.name == name || (!one.alias.empty() && one.alias == name);
    });
    return found == all.end() ? nullptr : &*found;
}

scheme_traits traits_of(std::string_view name) noexcept {
    const scheme_info* found = find_scheme(name);
    return found != nullptr ? found->traits : scheme_traits{};
}

const scheme_info& usual_baseline() {
    return *std::ranges::find_if(schemes(),
                                 [](const scheme_info& one) { return one.traits.usual_baseline; });
}

} // namespace regatta::race
