// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/boot/boot_line.hpp>

#include <regatta/base/detail/system_files.hpp>

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace regatta {

std::string kernel_release(const std::string& root) {
    const auto text = detail::read_small_file(root + "/proc/sys/kernel/osrelease");
    return text ? std::string(detail::trimmed(*text)) : std::string();
}

std::optional<kernel_config> kernel_config::read(std::string_view release,
                                                 const std::string& root) {
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

bool kernel_config::has(std::string_view option) const {
    return text_.find('\n' + std::string(option) + "=y") != std::string::npos;
}

} // namespace regatta
