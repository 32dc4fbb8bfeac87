// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/settings.hpp"

#include <algorithm>

namespace regatta::race {

bool reads_option(const workload_info& workload, std::string_view setting) {
    std::string wanted = "--" + std::string(setting);
    std::ranges::replace(wanted, '_', '-');
    for (auto at = workload.options.find(wanted); at != std::string_view::npos;
         at = workload.options.find(wanted, at + 1)) {
        const std::string_view after = workload.options.substr(at + wanted.size());
        if (after.empty() || after.front() == ' ' || after.front() == ',') {
            return true;
        }
    }
    return false;
}

std::vector<std::pair<std::string, std::string>> settings_of(const workload_info& workload,
                                                             const workload_options& options) {
    std::vector<std::pair<std::string, std::string>> settings;
    const auto add = [&](std::string_view name, std::string value) {
        if (reads_option(workload, name)) {
            settings.emplace_back(name, std::move(value));
        }
    };
    add("size", std::to_string(options.size.value_or(workload.usual_size)));
    // Only where they were chosen: results of builds that knew neither stay comparable.
    if (options.items && *options.items != workload.usual_items) {
        add("items", std::to_string(*options.items));
    }
    add("kernel", options.kernel);
    if (options.type != workload_options{}.type) {
        add("type", options.type);
    }
    add("max_prime", std::to_string(options.max_prime.value_or(workload.usual_max_prime)));
    add("seed", std::to_string(options.seed));
    return settings;
}

} // namespace regatta::race
