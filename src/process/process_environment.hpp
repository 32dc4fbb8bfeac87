// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The environment variables that a child process gets.

#include <regatta/base/error.hpp>

#include <unistd.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The environment of a child: this process's own, or none, with changes.
///
/// Threads: like a string. The own environment is read when the child is started; another thread
/// must not change it then (setenv(3) is not thread-safe).
/// Failure: `std::invalid_argument` for a name that is empty or has a '=', and for zero bytes.
class process_environment {
public:
    /// What this process has (the default).
    static process_environment inherited() { return process_environment(true); }
    /// No variable at all.
    static process_environment empty() { return process_environment(false); }

    process_environment() = default;

    /// Adds a variable, or gives it another value.
    process_environment& set(std::string name, std::string value) {
        check(name);
        if (value.find('\0') != std::string::npos) {
            fail_argument("environment variable '" + name + "': its value has a zero byte");
        }
        changes_.insert_or_assign(std::move(name), std::move(value));
        return *this;
    }
    /// Takes a variable away.
    process_environment& unset(std::string name) {
        check(name);
        changes_.insert_or_assign(std::move(name), std::nullopt);
        return *this;
    }

    /// The "NAME=value" entries, as execve(2) takes them.
    std::vector<std::string> entries() const {
        std::vector<std::string> list;
        for (char** entry = inherit_ ? ::environ : nullptr; entry != nullptr && *entry != nullptr;
             ++entry) {
            const std::string_view text(*entry);
            if (!changes_.contains(std::string(text.substr(0, text.find('='))))) {
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

private:
    explicit process_environment(bool inherit) : inherit_(inherit) {}

    static void check(const std::string& name) {
        if (name.empty() || name.find('=') != std::string::npos ||
            name.find('\0') != std::string::npos) {
            fail_argument("environment variable '" + name +
                          "': a name is not empty and has neither '=' nor a zero byte");
        }
    }

    bool inherit_ = true;
    std::map<std::string, std::optional<std::string>> changes_; ///< Nothing: taken away.
};

} // namespace regatta::detail
