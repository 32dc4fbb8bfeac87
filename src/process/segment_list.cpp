// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/process_affinity.hpp>
#include <regatta/process/shared_memory.hpp>

#include "process/segment_directory.hpp"
#include "process/segment_file.hpp"
#include "process/segment_name.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta {
namespace {

using file_number = std::pair<dev_t, ino_t>;

/// A file of shared memory that processes have open, and where to open it.
struct open_file {
    std::string link; ///< "/memfd:label (deleted)" or "/dev/shm/name".
    std::string path; ///< In the procfs of one of its users.
    std::set<process_number> users;
};

/// What stands in a directory; nothing where it cannot be read.
std::vector<std::string> entries_of(const std::string& folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(folder.c_str()), ::closedir);
    while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
        if (entry->d_name[0] != '.') {
            names.emplace_back(entry->d_name);
        }
    }
    return names;
}

/// The descriptors of a process that this one may look into, as paths.
std::vector<std::string> descriptors_of(const std::string& process) {
    std::vector<std::string> all;
    const auto add = [&all](const std::string& folder) {
        for (const std::string& entry : entries_of(folder)) {
            all.push_back(folder + entry);
        }
    };
    add(process + "/fd/");
    if (all.empty()) { // Its first thread may have ended: then another one shows them.
        for (const std::string& thread : entries_of(process + "/task")) {
            add(process + "/task/" + thread + "/fd/");
            if (!all.empty()) {
                break;
            }
        }
    }
    return all;
}

/// All files of shared memory that processes have open that this one may look into.
std::map<file_number, open_file> open_files() {
    const std::string named = std::string(detail::segment_directory) + "/";
    std::map<file_number, open_file> found;
    for (const std::string& process : entries_of("/proc")) {
        const auto number = detail::to_number(process);
        if (!number) {
            continue;
        }
        for (const std::string& path : descriptors_of("/proc/" + process)) {
            char link[512];
            const ssize_t length = ::readlink(path.c_str(), link, sizeof link);
            const std::string_view text(link,
                                        static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
            struct stat status {};
            if ((!text.starts_with("/memfd:") && !text.starts_with(named)) ||
                ::stat(path.c_str(), &status) != 0) {
                continue;
            }
            open_file& file = found[{status.st_dev, status.st_ino}];
            file.link = text;
            file.path = path;
            file.users.insert(static_cast<process_number>(*number));
        }
    }
    return found;
}

/// The number of a process's parent; 0 if it has ended.
process_number parent_of(process_number process) {
    const std::string status =
        detail::read_small_file("/proc/" + std::to_string(process) + "/status").value_or("");
    return static_cast<process_number>(
        detail::to_number(detail::status_field(status, "PPid")).value_or(0));
}

/// The processes with their names, a parent before its children.
std::vector<segment_user> described(const std::set<process_number>& processes) {
    std::vector<segment_user> users;
    std::map<process_number, std::size_t> above; // How many of them its line of parents has.
    for (const process_number process : processes) {
        const auto name = detail::read_small_file("/proc/" + std::to_string(process) + "/comm");
        users.push_back({process, std::string(detail::trimmed(name ? *name : ""))});
        // It ends: numbers that are given anew meanwhile could make a circle.
        std::size_t& count = above[process];
        for (auto parent = parent_of(process);
             processes.contains(parent) && count < processes.size(); parent = parent_of(parent)) {
            ++count;
        }
    }
    std::stable_sort(users.begin(), users.end(), [&](const auto& a, const auto& b) {
        return above[a.process] < above[b.process];
    });
    return users;
}

/// The record of a segment; nothing for another file.
std::optional<segment_record> record_of(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !detail::has_magic(file)) {
        return std::nullopt;
    }
    segment_record record;
    record.user = status.st_uid;
    record.bytes = static_cast<std::uint64_t>(status.st_size);
    record.allocated = static_cast<std::uint64_t>(status.st_blocks) * 512;
    return record;
}

detail::unique_descriptor open_to_look(const std::string& path, int flags) {
    return detail::unique_descriptor(
        ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags));
}

} // namespace

std::vector<segment_record> list_segments(std::string_view prefix) {
    std::vector<segment_record> all;
    const std::vector<std::string> names = detail::names_in_segment_directory(prefix);
    const auto opened = open_files();
    for (const std::string& name : names) {
        const std::string path = detail::segment_path(name);
        const auto file = open_to_look(path, O_NOFOLLOW);
        struct stat status {};
        auto record =
            file && ::fstat(file.get(), &status) == 0 ? record_of(file.get()) : std::nullopt;
        if (!record) {
            continue;
        }
        record->name = name;
        if (const auto users = opened.find({status.st_dev, status.st_ino}); users != opened.end()) {
            record->users = described(users->second.users);
        }
        record->stale = detail::lock_exclusive(file.get(), "lock segment '" + name + "'") ==
                        detail::lock_outcome::locked;
        // Not what was removed or given to another segment meanwhile.
        if (detail::is_file_of(path.c_str(), file.get())) {
            all.push_back(std::move(*record));
        }
    }
    if (prefix.starts_with('/')) {
        prefix.remove_prefix(1);
    }
    const std::size_t named = all.size();
    for (const auto& [number, one] : opened) {
        std::string_view label = one.link;
        if (!label.starts_with("/memfd:")) {
            continue;
        }
        label.remove_prefix(7);
        label = label.substr(0, label.rfind(" (deleted)"));
        const auto file =
            label.starts_with(prefix) ? open_to_look(one.path, 0) : detail::unique_descriptor();
        if (auto record = file ? record_of(file.get()) : std::nullopt) {
            record->name = label;
            record->anonymous = true;
            record->users = described(one.users);
            all.push_back(std::move(*record));
        }
    }
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(named), all.end(),
              [](const segment_record& a, const segment_record& b) {
                  return std::pair(a.users.front().process, std::string_view(a.name)) <
                         std::pair(b.users.front().process, std::string_view(b.name));
              });
    return all;
}

} // namespace regatta
