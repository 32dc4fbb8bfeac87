// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/segment_name.hpp"

#include <regatta/base/error.hpp>

#include <string>
#include <string_view>

namespace regatta::detail {

std::string checked_segment_name(std::string_view name) {
    const std::string_view bare = name.substr(!name.empty() && name.front() == '/' ? 1 : 0);
    const auto refuse = [&](const std::string& why) {
        fail_argument("name of shared memory '" + std::string(name) + "': " + why);
    };
    if (bare.empty()) {
        refuse("it must not be empty");
    }
    if (bare.size() > max_segment_name) {
        refuse(std::to_string(bare.size()) + " characters, at most " +
               std::to_string(max_segment_name) + " are allowed");
    }
    if (bare.find('/') != std::string_view::npos) {
        refuse("only the first character may be '/'");
    }
    if (bare.find('\0') != std::string_view::npos) {
        refuse("it must not contain a zero byte");
    }
    if (bare == "." || bare == "..") {
        refuse("it must not be a directory");
    }
    std::string checked;
    checked.reserve(bare.size() + 1);
    checked += '/';
    checked += bare;
    return checked;
}

std::string segment_path(const std::string& checked_name) {
    return segment_directory + checked_name;
}

} // namespace regatta::detail
