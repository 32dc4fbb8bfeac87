// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/shared_memory.hpp>

#include "process/segment_directory.hpp"
#include "process/segment_file.hpp"
#include "process/segment_name.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {
namespace {

/// Calls `visit(name, path)` for each unused segment of this user whose name begins with `prefix`.
/// Its lock keeps other processes from using the segment during the call.
void for_each_stale_segment(
    std::string_view prefix,
    const std::function<void(const std::string&, const std::string&)>& visit) {
    const std::string operation = std::string("look for segments in ") + detail::segment_directory;
    for (const std::string& name : detail::names_in_segment_directory(prefix)) {
        const std::string path = detail::segment_path(name);
        // Not to be written: in a program that has closed a standard stream, its number may be this
        // one's, and another thread prints there.
        detail::unique_descriptor file(
            ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        struct stat status {};
        // Skips files that cannot be opened, that belong to another user, or that are not segments.
        if (file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_uid == ::geteuid() && detail::has_magic(file.get()) &&
            detail::lock_exclusive(file.get(), operation) == detail::lock_outcome::locked &&
            detail::is_file_of(path.c_str(), file.get())) {
            visit(name, path);
        }
    }
}

} // namespace

std::vector<std::string> stale_segments(std::string_view prefix) {
    std::vector<std::string> found;
    for_each_stale_segment(
        prefix, [&](const std::string& name, const std::string&) { found.push_back(name); });
    return found;
}

std::vector<std::string> remove_stale_segments(std::string_view prefix) {
    std::vector<std::string> removed;
    for_each_stale_segment(prefix, [&](const std::string& name, const std::string& path) {
        if (::unlink(path.c_str()) == 0) {
            removed.push_back(name);
        }
    });
    return removed;
}

} // namespace regatta
