// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the running kernel was built with.

#include <regatta/base/detail/system_files.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace regatta {

/// The release of the running kernel, as `uname -r` prints it; empty where nothing tells it.
/// @param root a directory that stands in for `/`.
inline std::string kernel_release(const std::string& root = {}) {
    const auto text = detail::read_small_file(root + "/proc/sys/kernel/osrelease");
    return text ? std::string(detail::trimmed(*text)) : std::string();
}

/// A kernel's configuration: lines "CONFIG_SMP=y", as its build leaves them.
class kernel_config {
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
                                             const std::string& root = {}) {
        if (release.empty() || release.find('/') != std::string_view::npos) {
            return std::nullopt;
        }
        const std::string name(release);
        for (const std::string& path :
             {"/boot/config-" + name, "/usr/lib/modules/" + name + "/config",
              "/lib/modules/" + name + "/config", "/lib/modules/" + name + "/build/.config"}) {
            if (auto text = detail::read_small_file(root + path)) {
                return kernel_config(std::move(*text), path);
            }
        }
        return std::nullopt;
    }

    /// Whether an option is built in. @param option with its prefix, "CONFIG_NO_HZ_FULL".
    bool has(std::string_view option) const {
        return text_.find('\n' + std::string(option) + "=y") != std::string::npos;
    }
    const std::string& source() const noexcept { return source_; }

private:
    std::string text_; ///< Begins with a line end, so that each line has one before it.
    std::string source_;
};

} // namespace regatta
