// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The configuration of the running kernel.

#include <regatta/base/config.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace regatta {

/// The release of the running kernel, as `uname -r` prints it; empty if unknown.
/// @param root a directory to use instead of `/`.
REGATTA_SYSTEM_API std::string kernel_release(const std::string& root = {});

/// A kernel's configuration: lines "CONFIG_SMP=y", as its build leaves them.
class REGATTA_SYSTEM_API kernel_config {
public:
    /// @param text the lines, for example those of /proc/config.gz, unpacked.
    /// @param source their origin, for messages.
    explicit kernel_config(std::string text, std::string source = {})
        : text_('\n' + std::move(text))
        , source_(std::move(source)) {}

    /// Reads the file that distributions install with the kernel `release`; nothing if there is
    /// none. The kernel's own copy, /proc/config.gz, is compressed and left to the caller.
    /// @param root a directory to use instead of `/`.
    static std::optional<kernel_config> read(std::string_view release,
                                             const std::string& root = {});

    /// Whether an option is built in.
    /// @param option with its prefix, "CONFIG_NO_HZ_FULL".
    bool has(std::string_view option) const;
    const std::string& source() const noexcept { return source_; }

private:
    std::string text_; ///< Begins with a line break, so that one precedes each line.
    std::string source_;
};

} // namespace regatta
