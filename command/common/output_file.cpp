// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/output_file.hpp"

#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <utility>

namespace regatta::command {
namespace {

/// The files that were made and hold nothing yet. Written by the main thread, read by a signal
/// handler. Release and acquire: the handler, on whatever thread, sees the name's letters.
std::array<std::atomic<const output_file*>, 4> unwritten{};
static_assert(std::atomic<const output_file*>::is_always_lock_free);

void exchange_unwritten(const output_file* old, const output_file* now) noexcept {
    for (auto& one : unwritten) {
        if (one.load(std::memory_order_relaxed) == old) {
            one.store(now, std::memory_order_release);
            return;
        }
    }
}

/// Makes sure that the file has room for so many bytes. @returns the error number if it has not; 0
/// if it has, or where that cannot be known: of a pipe, of a device, on some file systems.
int lack_of_room(int file, std::size_t bytes) noexcept {
    struct stat before {};
    if (::fstat(file, &before) != 0 || !S_ISREG(before.st_mode) ||
        ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0) {
        return 0;
    }
    const int error = errno;
    if (error != ENOSPC && error != EDQUOT && error != EFBIG) {
        return 0;
    }
    // A part of the room may have been there.
    [[maybe_unused]] const int restored = ::ftruncate(file, before.st_size);
    return error;
}

/// Keeps signals waiting from construction to destruction, on this thread. Their handlers may end
/// the process.
class signals_held {
public:
    signals_held() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    signals_held(const signals_held&) = delete;
    signals_held& operator=(const signals_held&) = delete;
    ~signals_held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

} // namespace

void remove_unwritten_files() noexcept {
    for (auto& one : unwritten) {
        if (const output_file* file = one.load(std::memory_order_acquire)) {
            file->remove();
        }
    }
}

void hold_standard_descriptors() noexcept {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(number, F_GETFD) < 0) {
            // The lowest free number is this one, as those below it are taken by now.
            [[maybe_unused]] const int held =
                ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void write_all(int to, std::string_view text, const std::string& what) {
    while (!text.empty()) {
        const ssize_t written = ::write(to, text.data(), text.size());
        if (written < 0 && errno == EAGAIN) { // A full pipe; its owner made it non-blocking.
            pollfd full{to, POLLOUT, 0};
            ::poll(&full, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            fail_system(errno, what);
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

output_file::output_file(std::string path) : path_(std::move(path)) {
    if (is_standard_output()) {
        file_ = detail::unique_descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
        if (!file_) {
            fail_system(errno, "cannot write to standard output");
        }
        return;
    }
    constexpr int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
    if (!make(flags) && errno == EEXIST) {
        file_ = detail::unique_descriptor(::open(path_.c_str(), flags));
    }
    if (!file_) {
        fail_system(errno, "cannot write " + path_);
    }
}

bool output_file::make(int flags) {
    const signals_held until_it_is_listed;
    file_ = detail::unique_descriptor(::open(path_.c_str(), flags | O_CREAT | O_EXCL, 0666));
    made_ = static_cast<bool>(file_);
    if (!made_) {
        return false;
    }
    const std::size_t name = path_.rfind('/') + 1; // 0 where there is no folder in it
    folder_ = detail::unique_descriptor(
        ::open(name == 0 ? "." : path_.substr(0, name).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    name_ = path_.substr(name);
    if (!folder_) { // No descriptor is left for it.
        const int error = errno;
        ::unlink(path_.c_str());
        fail_system(error, "cannot write " + path_);
    }
    exchange_unwritten(nullptr, this);
    return true;
}

output_file::~output_file() {
    if (made_ && !written_) {
        remove();
        exchange_unwritten(this, nullptr);
    }
}

void output_file::remove() const noexcept {
    // Another program may have written it meanwhile, or put its own file in its place.
    struct stat mine {};
    struct stat there {};
    if (::fstat(file_.get(), &mine) == 0 && mine.st_size == 0 &&
        ::fstatat(folder_.get(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        there.st_ino == mine.st_ino && there.st_dev == mine.st_dev) {
        ::unlinkat(folder_.get(), name_.c_str(), 0);
    }
}

void output_file::write(std::string_view text) {
    if (const int error = is_standard_output() ? 0 : lack_of_room(file_.get(), text.size())) {
        fail_system(error, "cannot write " + path_);
    }
    if (made_ && !written_) {
        exchange_unwritten(this, nullptr);
    }
    written_ = true;
    if (is_standard_output()) {
        write_all(file_.get(), text, "cannot write to standard output");
        return;
    }
    // Pipes and devices have no length: EINVAL.
    if (::ftruncate(file_.get(), 0) != 0 && errno != EINVAL) {
        fail_system(errno, "cannot write " + path_);
    }
    write_all(file_.get(), text, "cannot write " + path_);
}

void output_file::append(std::string_view text) {
    if (!written_) {
        write(text);
    } else if (is_standard_output()) {
        write_all(file_.get(), text, "cannot write to standard output");
    } else {
        write_all(file_.get(), text, "cannot write " + path_);
    }
}

} // namespace regatta::command
