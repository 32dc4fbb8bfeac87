// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The environment variables that a child process gets.

#include <regatta/base/config.hpp>

#include <optional>
#include <string>
#include <vector>

namespace regatta {

/// The environment of a child: a copy of this process's environment, or an empty one, with changes.
///
/// Threads: like a string. This process's environment is read when the child is started; no other
/// thread may change it then (setenv(3) is not thread-safe).
/// Failure: `std::invalid_argument` for a name that is empty or contains '=', and for zero bytes.
class REGATTA_SYSTEM_API process_environment {
public:
    /// Starts from this process's environment (the default).
    static process_environment inherited() { return process_environment(true); }
    /// Starts from no variables.
    static process_environment empty() { return process_environment(false); }

    process_environment() = default;

    /// Adds a variable or replaces its value.
    process_environment& set(std::string name, std::string value);
    /// Removes a variable.
    process_environment& unset(std::string name);

    /// The "NAME=value" entries, as execve(2) takes them.
    std::vector<std::string> entries() const;

private:
    explicit process_environment(bool inherit) : inherit_(inherit) {}

    /// A variable that is set or, without a value, removed.
    struct change {
        std::string name;
        std::optional<std::string> value;
    };

    static void check(const std::string& name);
    void put(change made);

    bool inherit_ = true;
    std::vector<change> changes_; ///< Sorted by name; each name once.
};

} // namespace regatta
