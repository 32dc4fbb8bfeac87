// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_system.hpp"

#include "process/file_size_signal.hpp"
#include "process/kept_descriptor.hpp"
#include "process/time_namespace.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

int result_of(int status) noexcept {
    return status == 0 ? 0 : errno;
}

/// Where a link of procfs leads; nothing if it cannot be read.
std::optional<std::string> target_of(const std::string& link) {
    char text[256];
    const ssize_t length = ::readlink(link.c_str(), text, sizeof text);
    return length < 0 ? std::nullopt
                      : std::optional(std::string(text, static_cast<std::size_t>(length)));
}

} // namespace

exclusive_system::exclusive_system(std::string root, std::string journal)
    : root_(std::move(root))
    , journal_(std::move(journal)) {
    start_offset_ =
        time_namespace_offset_ns("boottime", root_) / (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

std::optional<std::string> exclusive_system::read(const std::string& path) {
    return read_small_file(root_ + path);
}

std::vector<std::string> exclusive_system::list(const std::string& path) {
    return names(path, false);
}

std::vector<std::string> exclusive_system::list_folders(const std::string& path) {
    return names(path, true);
}

bool exclusive_system::exists(const std::string& path) {
    struct stat about {};
    return ::stat((root_ + path).c_str(), &about) == 0;
}

int exclusive_system::read_error(const std::string& path) {
    const int file = ::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const int error = file < 0 ? errno : 0;
    if (file >= 0) {
        ::close(file);
    }
    return error;
}

bool exclusive_system::is_gone(const std::string& path) {
    const int error = read_error(path);
    return error == ENOENT || error == ESRCH;
}

bool exclusive_system::is_trusted(const std::string& path) {
    struct stat about {};
    return ::lstat((root_ + path).c_str(), &about) == 0 && !S_ISLNK(about.st_mode) &&
           (about.st_uid == 0 || about.st_uid == ::geteuid()) && (about.st_mode & 022) == 0;
}

int exclusive_system::write(const std::string& path, const std::string& text) {
    return put(path, text, open_kind::existing);
}

int exclusive_system::append(const std::string& path, const std::string& text) {
    return put(path, text, open_kind::journal);
}

int exclusive_system::shorten(const std::string& path, std::size_t size) {
    return result_of(::truncate((root_ + path).c_str(), static_cast<off_t>(size)));
}

int exclusive_system::make_directory(const std::string& path) {
    const std::string name = root_ + path;
    if (::mkdir(name.c_str(), 0755) != 0) {
        return errno;
    }
    ::chmod(name.c_str(), 0755); // Other users can see the leases, whatever the umask.
    return 0;
}

int exclusive_system::remove_directory(const std::string& path) {
    return result_of(::rmdir((root_ + path).c_str()));
}

int exclusive_system::remove_file(const std::string& path) {
    return result_of(::unlink((root_ + path).c_str()));
}

int exclusive_system::rename_file(const std::string& from, const std::string& to) {
    return result_of(::rename((root_ + from).c_str(), (root_ + to).c_str()));
}

int exclusive_system::set_affinity(int thread, const cpu_set& cpus) {
    const auto words = cpus.words();
    return words.empty()
               ? EINVAL
               : result_of(::sched_setaffinity(thread, words.size_bytes(),
                                               reinterpret_cast<const cpu_set_t*>(words.data())));
}

cpu_set exclusive_system::affinity(int thread) {
    cpu_set cpus;
    return root_.empty() && try_affinity_of_thread(thread, cpus) == 0 ? cpus : cpu_set();
}

int exclusive_system::lock(const std::string& path, bool shared) {
    unique_descriptor file = kept_descriptor(
        ::open((root_ + path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) {
        return -errno;
    }
    const int how = (shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
    for (int attempt = 0; ::flock(file.get(), how) != 0; ++attempt) {
        if (const int error = errno; error != EWOULDBLOCK || attempt == 1000) {
            return -error;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return file.release();
}

void exclusive_system::unlock(int file) noexcept {
    ::flock(file, LOCK_UN); // A process forked since then has the file open, too.
    ::close(file);
}

int exclusive_system::this_process() noexcept {
    return ::getpid();
}

std::string exclusive_system::process_numbering() {
    return target_of("/proc/self/ns/pid").value_or("unknown");
}

bool exclusive_system::is_proc_foreign() {
    const auto self = target_of(root_ + "/proc/self");
    const auto number = self ? to_number(*self) : std::nullopt;
    return number && *number != ::getpid();
}

bool exclusive_system::sees_all_processes() {
    return process_numbering() == "pid:[4026531836]" && read("/proc/1/stat").has_value();
}

bool exclusive_system::is_hidden_process(int process) {
    return root_.empty() && process > 0 && ::kill(process, 0) != 0 && errno == EPERM;
}

std::string exclusive_system::numbering_of(int process) {
    const std::string folder = "/proc/" + std::to_string(process);
    if (auto target = target_of(root_ + folder + "/ns/pid")) {
        return std::move(*target);
    }
    // The link may be hidden even from root. A single number in NSpid means this namespace.
    const std::string status = read(folder + "/status").value_or("");
    return to_number(status_field(status, "NSpid")) ? process_numbering() : std::string();
}

int exclusive_system::this_thread() noexcept {
    return static_cast<int>(::syscall(SYS_gettid));
}

// Not std::filesystem: its iterators end the program where there is no memory.
std::vector<std::string> exclusive_system::names(const std::string& path, bool only_folders) const {
    std::vector<std::string> found;
    const std::string folder = root_ + path;
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
    const auto is_wanted = [&](const dirent& entry) {
        const std::string_view name = entry.d_name;
        if (name == "." || name == "..") {
            return false;
        }
        struct stat about {};
        return !only_folders || entry.d_type == DT_DIR ||
               ((entry.d_type == DT_UNKNOWN || entry.d_type == DT_LNK) &&
                ::stat((folder + "/" + entry.d_name).c_str(), &about) == 0 &&
                S_ISDIR(about.st_mode));
    };
    errno = 0;
    while (const dirent* const entry = open ? ::readdir(open.get()) : nullptr) {
        if (is_wanted(*entry)) {
            found.emplace_back(entry->d_name);
        }
        errno = 0;
    }
    if (errno != 0) {
        found.clear(); // Half a list would pass for all of it.
    }
    std::sort(found.begin(), found.end());
    return found;
}

int exclusive_system::put(const std::string& path, const std::string& text, open_kind kind) {
    const int flags = kind == open_kind::existing ? O_TRUNC : O_CREAT | O_APPEND | O_NOFOLLOW;
    const unique_descriptor file =
        kept_descriptor(::open((root_ + path).c_str(), O_WRONLY | O_CLOEXEC | flags, 0644));
    if (!file) {
        return errno;
    }
    if (kind == open_kind::journal) {
        ::fchmod(file.get(), 0644); // As in `make_directory`.
    }
    const file_size_signal_block no_signal; // The end of this program would leave half a lease.
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    const int error = written == static_cast<ssize_t>(text.size()) ? 0
                      : written < 0                                ? errno
                                                                   : ENOSPC;
    return error == 0 && kind == open_kind::journal ? result_of(::fdatasync(file.get())) : error;
}

} // namespace regatta::detail
