// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Names of shared segments and the files behind them.

#include <regatta/base/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace regatta::detail {

/// Where the kernel keeps named shared memory, as shm_open(3) does.
inline constexpr const char* segment_directory = "/dev/shm";

/// The longest name, without its leading '/'.
inline constexpr std::size_t max_segment_name = 255;

/// Checks a name and returns it with its leading '/', which the caller may leave out.
/// Failure: `std::invalid_argument` for an empty or too long name, another '/', a zero byte, and
/// the names "." and "..".
inline std::string checked_segment_name(std::string_view name) {
    const std::string_view bare = name.substr(!name.empty() && name.front() == '/' ? 1 : 0);
    const auto refuse = [&](const std::string& why) {
        fail_argument("name of shared memory '" + std::string(name) + "': " + why);
    };
    if (bare.empty()) {
        refuse("it is empty");
    }
    if (bare.size() > max_segment_name) {
        refuse(std::to_string(bare.size()) + " characters, at most " +
               std::to_string(max_segment_name) + " are allowed");
    }
    if (bare.find('/') != std::string_view::npos) {
        refuse("only the first character may be '/'");
    }
    if (bare.find('\0') != std::string_view::npos) {
        refuse("it has a zero byte");
    }
    if (bare == "." || bare == "..") {
        refuse("it is a directory");
    }
    std::string checked;
    checked.reserve(bare.size() + 1);
    checked += '/';
    checked += bare;
    return checked;
}

/// The file of a checked name.
inline std::string segment_path(const std::string& checked_name) {
    return segment_directory + checked_name;
}

} // namespace regatta::detail
