// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the running kernel was built with.

#include <regatta/base/config.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace regatta {

/// The release of the running kernel, as `uname -r` prints it; empty where nothing tells it.
/// @param root a directory that stands in for `/`.
REGATTA_SYSTEM_API std::string kernel_release(const std::string& root = {});

/// A kernel's configuration: lines "CONFIG_SMP=y", as its build leaves them.
class REGATTA_SYSTEM_API kernel_config {
public:
    /// @param text the lines, for example out of /proc/config.gz once unpacked.
    /// @param source where they come from, for messages.
    explicit kernel_config(std::string text, std::string source = {})
        : text_('\n' + std::move(text))
        , source_(std::move(source)) {}

    /// Reads the file that distributions leave beside the kernel `release`; nothing where there is
    /// none. The kernel's own copy, /proc/config.gz, is compressed and left to the caller.
    /// @param root a directory that stands in for `/`.
    static std::optional<kernel_config> read(std::string_view release,
                                             const std::string& root = {});

    /// Whether an option is built in. @param option with its prefix, "CONFIG_NO_HZ_FULL".
    bool has(std::string_view option) const;
    const std::string& source() const noexcept { return source_; }

private:
    std::string text_; ///< Begins with a line end, so that each line has one before it.
    std::string source_;
};

} // namespace regatta
