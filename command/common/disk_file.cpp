// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/disk_file.hpp"

#include "common/usage_error.hpp"

#include <fmt/core.h>

#include <sys/stat.h>
#include <unistd.h>

namespace regatta::command {
namespace {

disk_file to_disk_file(int answer, const struct stat& about) noexcept {
    return answer == 0 && S_ISREG(about.st_mode) ? disk_file({about.st_dev, about.st_ino})
                                                 : std::nullopt;
}

/// Where what is written stays together: a file, a pipe or a socket; nothing for devices, as
/// terminals and /dev/null.
disk_file place_behind(int descriptor) noexcept {
    struct stat about {};
    const bool keeps =
        ::fstat(descriptor, &about) == 0 && !S_ISCHR(about.st_mode) && !S_ISBLK(about.st_mode);
    return keeps ? disk_file({about.st_dev, about.st_ino}) : std::nullopt;
}

} // namespace

disk_file file_behind(int descriptor) noexcept {
    struct stat about {};
    const int answer = ::fstat(descriptor, &about);
    return to_disk_file(answer, about);
}

disk_file file_named(const std::string& name) noexcept {
    struct stat about {};
    const int answer = ::stat(name.c_str(), &about);
    return to_disk_file(answer, about);
}

void require_two_files(const std::string& one, int descriptor, const std::string& other,
                       int other_descriptor) {
    const auto place = place_behind(descriptor);
    if (place && place == place_behind(other_descriptor)) {
        throw usage_error(fmt::format(
            "{} and {} are one file; each needs its own{}", one, other,
            other_descriptor == STDOUT_FILENO ? " (- is standard output without the report)" : ""));
    }
}

} // namespace regatta::command
