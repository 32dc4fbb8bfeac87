// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/kernel_threads.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace regatta::race {
namespace {

/// The parent of a process: the second word after its name, which stands in brackets (proc(5)).
int parent_of(const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    std::string line;
    std::getline(file, line);
    const auto bracket = line.rfind(')');
    if (bracket == line.npos || bracket + 4 > line.size()) {
        return -1;
    }
    int parent = -1;
    std::from_chars(line.data() + bracket + 4, line.data() + line.size(), parent);
    return parent;
}

std::string name_of(const std::filesystem::path& process) {
    std::ifstream file(process / "comm");
    std::string name;
    file >> name;
    return name;
}

/// Whether a thread can run on these CPUs alone; false if that is not to be read.
bool stays_within(const cpu_set& cpus, const std::filesystem::path& process) {
    std::ifstream file(process / "status");
    for (std::string line; std::getline(file, line);) {
        constexpr std::string_view name = "Cpus_allowed_list:";
        if (line.starts_with(name)) {
            const auto begin = std::min(line.find_first_not_of(" \t", name.size()), line.size());
            cpu_list_error error;
            const auto own = cpu_set::try_parse(line.substr(begin), error);
            return own && cpus.contains(*own);
        }
    }
    return false;
}

/// Whether it examines memory on a schedule of its own: DAMON's threads and the merging of pages.
bool keeps_own_schedule(const std::string& name) {
    return name.starts_with("kdamond") || name == "ksmd";
}

} // namespace

kernel_threads::kernel_threads(const std::optional<cpu_set>& within, const std::string& processes) {
    namespace fs = std::filesystem;
    // All of them are children of this one, which always has this number.
    constexpr int father = 2;
    const fs::path folder(processes);
    if (name_of(folder / std::to_string(father)) != "kthreadd") {
        return;
    }
    std::error_code error;
    for (const auto& one : fs::directory_iterator(folder, error)) {
        const std::string name = one.path().filename();
        if (name.find_first_not_of("0123456789") == name.npos && parent_of(one.path()) == father &&
            !keeps_own_schedule(name_of(one.path())) &&
            (!within || stays_within(*within, one.path()))) {
            accounts_.push_back(one.path() / "schedstat");
        }
    }
}

std::int64_t kernel_threads::cpu_ns() const {
    std::int64_t sum = 0;
    for (const std::string& one : accounts_) {
        const detail::unique_descriptor file(::open(one.c_str(), O_RDONLY | O_CLOEXEC));
        char text[96];
        // It fails where the thread has ended.
        const ssize_t length = file.get() < 0 ? -1 : ::read(file.get(), text, sizeof text);
        std::int64_t used = 0;
        if (length > 0 && std::from_chars(text, text + length, used).ec == std::errc()) {
            sum += used;
        }
    }
    return sum;
}

} // namespace regatta::race
