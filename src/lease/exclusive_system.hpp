// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Everything that a lease of CPUs reads from the machine and does to it.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if REGATTA_LINUX
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace regatta::detail {

/// The machine as a lease of CPUs sees it: its files, and the affinity of its tasks. A test derives
/// from it to have any act fail, or to be told of each.
///
/// All paths are absolute and are looked up below the root. The acts return 0 or the error number.
/// Threads: any. Failure: elsewhere than on Linux every act is ENOTSUP.
class exclusive_system {
public:
    /// @param root a directory that stands in for `/`.
    explicit exclusive_system(std::string root = {}) : root_(std::move(root)) {}
    exclusive_system(const exclusive_system&) = delete;
    exclusive_system& operator=(const exclusive_system&) = delete;
    virtual ~exclusive_system() = default;

    const std::string& root() const noexcept { return root_; }

    /// The text of a small file; nothing if it cannot be read.
    virtual std::optional<std::string> read(const std::string& path) {
        return detail::read_small_file(root_ + path);
    }
    /// The names in a directory, in order; none if it cannot be read.
    virtual std::vector<std::string> list(const std::string& path) { return names(path, false); }
    /// The names of the directories in a directory, in order.
    virtual std::vector<std::string> list_folders(const std::string& path) {
        return names(path, true);
    }
    /// Whether there is such a file or directory.
    virtual bool exists(const std::string& path) {
        std::error_code error;
        return std::filesystem::exists(root_ + path, error);
    }
    /// Why a file or directory cannot be read: 0 if it can; ENOENT: there is none.
    virtual int read_error(const std::string& path) {
#if REGATTA_LINUX
        const int file = ::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        const int error = file < 0 ? errno : 0;
        if (file >= 0) {
            ::close(file);
        }
        return error;
#else
        static_cast<void>(path);
        return ENOTSUP;
#endif
    }
    /// Whether only this user and root can have written the file or directory.
    virtual bool is_trusted(const std::string& path) {
#if REGATTA_LINUX
        struct stat about {};
        return ::lstat((root_ + path).c_str(), &about) == 0 && !S_ISLNK(about.st_mode) &&
               (about.st_uid == 0 || about.st_uid == ::geteuid()) && (about.st_mode & 022) == 0;
#else
        static_cast<void>(path);
        return false;
#endif
    }

    /// Writes a text to a file that exists, in one piece.
    virtual int write(const std::string& path, const std::string& text) {
        return put(path, text, open_kind::existing);
    }
    /// Adds a text to the end of a file, which is created if need be, and has it on its way to the
    /// disk before it returns.
    virtual int append(const std::string& path, const std::string& text) {
        return put(path, text, open_kind::journal);
    }
    virtual int make_directory(const std::string& path) {
#if REGATTA_LINUX
        const std::string name = root_ + path;
        if (::mkdir(name.c_str(), 0755) != 0) {
            return errno;
        }
        ::chmod(name.c_str(), 0755); // Others see who owns CPUs, whatever the mask of new files.
        return 0;
#else
        static_cast<void>(path);
        return ENOTSUP;
#endif
    }
    virtual int remove_directory(const std::string& path) {
#if REGATTA_LINUX
        return result_of(::rmdir((root_ + path).c_str()));
#else
        static_cast<void>(path);
        return ENOTSUP;
#endif
    }
    virtual int remove_file(const std::string& path) {
#if REGATTA_LINUX
        return result_of(::unlink((root_ + path).c_str()));
#else
        static_cast<void>(path);
        return ENOTSUP;
#endif
    }
    /// Restricts a thread of any process. @param thread its number; 0: the calling thread.
    virtual int set_affinity(int thread, const cpu_set& cpus) {
#if REGATTA_LINUX
        const auto words = cpus.words();
        return words.empty() ? EINVAL
                             : result_of(::sched_setaffinity(
                                   thread, words.size_bytes(),
                                   reinterpret_cast<const cpu_set_t*>(words.data())));
#else
        static_cast<void>(thread);
        static_cast<void>(cpus);
        return ENOTSUP;
#endif
    }

    /// Opens a file, created if need be, and locks it against every other such lock. Blocks: up to
    /// ten seconds.
    /// @returns a descriptor to close, or the negative error number; -EWOULDBLOCK: another has it.
    virtual int lock(const std::string& path) {
#if REGATTA_LINUX
        const int file =
            ::open((root_ + path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0) {
            return -errno;
        }
        for (int attempt = 0; ::flock(file, LOCK_EX | LOCK_NB) != 0; ++attempt) {
            if (const int error = errno; error != EWOULDBLOCK || attempt == 1000) {
                ::close(file);
                return -error;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return file;
#else
        static_cast<void>(path);
        return -ENOTSUP;
#endif
    }
    virtual void unlock(int file) noexcept {
#if REGATTA_LINUX
        ::flock(file, LOCK_UN); // A process that was forked meanwhile has the file open, too.
        ::close(file);
#else
        static_cast<void>(file);
#endif
    }

    /// This process, as the root's `/proc` numbers it.
    virtual int this_process() noexcept {
#if REGATTA_LINUX
        return ::getpid();
#else
        return 0;
#endif
    }
    /// Tells numberings of processes apart, of which a container has its own.
    virtual std::string process_numbering() {
        std::error_code error;
        const auto target = std::filesystem::read_symlink("/proc/self/ns/pid", error);
        return error ? "unknown" : target.string();
    }
    /// Whether this process sees all processes of the machine: it is in the first numbering, which
    /// has the same name everywhere.
    virtual bool sees_all_processes() {
        return process_numbering() == "pid:[4026531836]";
    }
    /// The numbering in which a process is; empty where this cannot be known.
    virtual std::string numbering_of(int process) {
        const std::string folder = "/proc/" + std::to_string(process);
        std::error_code error;
        const auto target = std::filesystem::read_symlink(root_ + folder + "/ns/pid", error);
        if (!error) {
            return target.string();
        }
        // It may be hidden even from root, but not that a process has this one number alone.
        constexpr std::string_view label = "\nNSpid:\t";
        const std::string status = read(folder + "/status").value_or("");
        const auto begin = status.find(label);
        const auto end = status.find_first_of("\t\n", begin + label.size());
        return begin != std::string::npos && end != std::string::npos && status[end] == '\n'
                   ? process_numbering()
                   : std::string();
    }
    /// The calling thread.
    virtual int this_thread() noexcept {
#if REGATTA_LINUX
        return static_cast<int>(::syscall(SYS_gettid));
#else
        return 0;
#endif
    }

private:
    enum class open_kind { existing, journal };

    static int result_of(int status) noexcept {
        return status == 0 ? 0 : errno;
    }

    std::vector<std::string> names(const std::string& path, bool only_folders) const {
        std::vector<std::string> found;
        std::error_code error;
        std::filesystem::directory_iterator it(root_ + path, error);
        while (!error && it != std::filesystem::directory_iterator()) {
            std::error_code unknown;
            if (!only_folders || it->is_directory(unknown)) {
                found.push_back(it->path().filename().string());
            }
            it.increment(error);
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    int put(const std::string& path, const std::string& text, open_kind kind) {
#if REGATTA_LINUX
        const int flags = kind == open_kind::existing ? O_TRUNC : O_CREAT | O_APPEND | O_NOFOLLOW;
        const int file = ::open((root_ + path).c_str(), O_WRONLY | O_CLOEXEC | flags, 0644);
        if (file < 0) {
            return errno;
        }
        if (kind == open_kind::journal) {
            ::fchmod(file, 0644); // As for directories.
        }
        const ssize_t written = ::write(file, text.data(), text.size());
        int error = written == static_cast<ssize_t>(text.size()) ? 0 : written < 0 ? errno : ENOSPC;
        if (error == 0 && kind == open_kind::journal && ::fdatasync(file) != 0) {
            error = errno;
        }
        ::close(file);
        return error;
#else
        static_cast<void>(path);
        static_cast<void>(text);
        static_cast<void>(kind);
        return ENOTSUP;
#endif
    }

    std::string root_;
};

} // namespace regatta::detail
