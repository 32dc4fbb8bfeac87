// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/subprocess.hpp>

#include <regatta/base/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta {

process_environment& process_environment::set(std::string name, std::string value) {
    check(name);
    if (value.find('\0') != std::string::npos) {
        fail_argument("environment variable '" + name +
                      "': the value must not contain a zero byte");
    }
    put({std::move(name), std::move(value)});
    return *this;
}

process_environment& process_environment::unset(std::string name) {
    check(name);
    put({std::move(name), std::nullopt});
    return *this;
}

std::vector<std::string> process_environment::entries() const {
    std::vector<std::string> list;
    for (char** entry = inherit_ ? ::environ : nullptr; entry != nullptr && *entry != nullptr;
         ++entry) {
        const std::string_view text(*entry);
        const auto name = text.substr(0, text.find('='));
        if (std::none_of(changes_.begin(), changes_.end(),
                         [&](const change& one) { return one.name == name; })) {
            list.emplace_back(text);
        }
    }
    for (const auto& [name, value] : changes_) {
        if (value) {
            list.push_back(name + '=' + *value);
        }
    }
    return list;
}

void process_environment::check(const std::string& name) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos) {
        fail_argument("environment variable '" + name +
                      "': a name must not be empty or contain '=' or a zero byte");
    }
}

void process_environment::put(change made) {
    const auto at =
        std::lower_bound(changes_.begin(), changes_.end(), made,
                         [](const change& a, const change& b) { return a.name < b.name; });
    if (at != changes_.end() && at->name == made.name) {
        *at = std::move(made);
    } else {
        changes_.insert(at, std::move(made));
    }
}

} // namespace regatta
