// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the tests in a guest share: reading and writing the kernel's files, and control groups of
/// their own. Paths are absolute; the guest belongs to the tests.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace guest {

/// The text of a file without its last line end; empty where it cannot be read.
inline std::string read_text(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    std::string content = text.str();
    if (content.ends_with('\n')) {
        content.pop_back();
    }
    return content;
}

/// Writes `text` with one call, as the kernel's files want it.
/// @returns 0, or the error number.
inline int write_text(const std::string& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return errno;
    }
    const ssize_t written = ::write(file, text.data(), text.size());
    const int error = written < 0 ? errno : 0;
    ::close(file);
    return error;
}

/// The value of `name=value` on the kernel's command line; empty where it is not there.
inline std::string boot_word(std::string_view name) {
    std::istringstream words(read_text("/proc/cmdline"));
    for (std::string word; words >> word;) {
        if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
            return word.substr(name.size() + 1);
        }
    }
    return {};
}

/// A control group that is gone at the end of the scope; nothing may run in it then.
class control_group {
public:
    explicit control_group(std::string path) : path_(std::move(path)) {
        made_ = ::mkdir(path_.c_str(), 0755) == 0;
    }
    control_group(const control_group&) = delete;
    control_group& operator=(const control_group&) = delete;
    ~control_group() {
        if (made_) {
            ::rmdir(path_.c_str());
        }
    }

    bool made() const noexcept { return made_; }
    const std::string& path() const noexcept { return path_; }
    /// @returns 0, or the error number.
    int set(const std::string& file, std::string_view text) const {
        return write_text(path_ + '/' + file, text);
    }
    std::string get(const std::string& file) const { return read_text(path_ + '/' + file); }

private:
    std::string path_;
    bool made_ = false;
};

/// Moves the process of the tests into a group for the duration of a scope, and then to the top of
/// that hierarchy.
class inside {
public:
    explicit inside(const control_group& group, std::string top = "/sys/fs/cgroup")
        : top_(std::move(top))
        , error_(group.set("cgroup.procs", "0")) {}
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    ~inside() { write_text(top_ + "/cgroup.procs", "0"); }

    /// 0, or why it could not be moved.
    int error() const noexcept { return error_; }

private:
    std::string top_;
    int error_;
};

/// Takes a CPU offline for the duration of a scope.
class offline_cpu {
public:
    explicit offline_cpu(unsigned cpu)
        : file_("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online")
        , error_(write_text(file_, "0")) {}
    offline_cpu(const offline_cpu&) = delete;
    offline_cpu& operator=(const offline_cpu&) = delete;
    ~offline_cpu() { write_text(file_, "1"); }

    /// 0, or why it is still online.
    int error() const noexcept { return error_; }

private:
    std::string file_;
    int error_;
};

/// Lets groups directly below the root of version 2 have a controller. @returns 0 or the error.
inline int enable_controller(const std::string& name) {
    return write_text("/sys/fs/cgroup/cgroup.subtree_control", '+' + name);
}

} // namespace guest
