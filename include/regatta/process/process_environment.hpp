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

/// The environment of a child: this process's own, or none, with changes.
///
/// Threads: like a string. The own environment is read when the child is started; another thread
/// must not change it then (setenv(3) is not thread-safe).
/// Failure: `std::invalid_argument` for a name that is empty or has a '=', and for zero bytes.
class REGATTA_SYSTEM_API process_environment {
public:
    /// What this process has (the default).
    static process_environment inherited() { return process_environment(true); }
    /// No variable at all.
    static process_environment empty() { return process_environment(false); }

    process_environment() = default;

    /// Adds a variable, or gives it another value.
    process_environment& set(std::string name, std::string value);
    /// Takes a variable away.
    process_environment& unset(std::string name);

    /// The "NAME=value" entries, as execve(2) takes them.
    std::vector<std::string> entries() const;

private:
    explicit process_environment(bool inherit) : inherit_(inherit) {}

    /// A variable that is set, or, without a value, taken away.
    struct change {
        std::string name;
        std::optional<std::string> value;
    };

    static void check(const std::string& name);
    void put(change made);

    bool inherit_ = true;
    std::vector<change> changes_; ///< By name, each once.
};

} // namespace regatta
