// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/segment_directory.hpp"

#include "process/segment_name.hpp"
#include <regatta/base/error.hpp>

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

std::vector<std::string> names_in_segment_directory(std::string_view prefix) {
    if (!prefix.empty() && prefix.front() == '/') {
        prefix.remove_prefix(1);
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(segment_directory), ::closedir);
    if (directory == nullptr) {
        fail_system(errno, std::string("look for segments in ") + segment_directory);
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(directory.get())) {
        if (std::string_view(entry->d_name).starts_with(prefix)) {
            names.push_back(std::string("/") + entry->d_name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace regatta::detail
