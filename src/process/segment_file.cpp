// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/segment_file.hpp"

#include "process/available_memory.hpp"
#include "process/file_size_signal.hpp"
#include "process/kept_descriptor.hpp"
#include "process/segment_header.hpp"
#include "process/segment_name.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace regatta::detail {
namespace {

/// Refuses a file of another user, and one that other users may open.
void check_owner(const struct stat& status, const std::string& operation) {
    if (status.st_uid != ::geteuid()) {
        fail_system(EPERM, operation + ": owner: expected user " + std::to_string(::geteuid()) +
                               ", found " + std::to_string(status.st_uid));
    }
    if ((status.st_mode & 077) != 0) {
        char mode[8];
        std::snprintf(mode, sizeof mode, "%04o", status.st_mode & 07777u);
        fail_system(EPERM, operation + ": mode: expected 0600, found " + mode);
    }
}

/// Whether the file system keeps its files in memory. Otherwise they are caches of a disk.
bool is_in_memory(int file) {
    struct statfs status {};
    return ::fstatfs(file, &status) == 0 &&
           (status.f_type == TMPFS_MAGIC ||
            static_cast<unsigned long>(status.f_type) == RAMFS_MAGIC);
}

/// Looks until the condition holds, but not for much longer than a second: others hold the locks of
/// a segment for an instant, unless a signal has stopped them in it.
template<class Condition>
bool becomes_true(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    for (;;) {
        const bool late = std::chrono::steady_clock::now() >= end; // Before the last look.
        if (condition()) {
            return true;
        }
        if (late) {
            return false;
        }
        ::poll(nullptr, 0, 1);
    }
}

// Bytes of a segment's file that record locks (fcntl(2)) are of. These know nothing of the locks of
// flock(2).
constexpr off_t byte_of_users = 0;   ///< Each user has it locked for reading, as a mark.
constexpr off_t byte_of_removal = 1; ///< Locked by the user that removes the name.

struct flock record_lock(short type, off_t byte) noexcept {
    struct flock lock {};
    lock.l_type = type;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

/// Whether a user of the segment has marked it. A process that only looks at it has not.
bool is_marked_as_used(int file) noexcept {
    struct flock found = record_lock(F_WRLCK, byte_of_users);
    return ::fcntl(file, F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

[[noreturn]] void fail_locked(const std::string& operation) {
    fail_system(EBUSY, operation + ": another process keeps it locked; was one stopped that "
                                   "replaces it or looks for stale segments?");
}

/// Opens a named segment of this user. The result is empty if no file has that name.
unique_descriptor open_segment(const std::string& path, const std::string& operation) {
    unique_descriptor file = kept_descriptor(
        ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status {};
    if (file) {
        if (::fstat(file.get(), &status) != 0) {
            fail_system(errno, operation);
        }
        check_owner(status, operation);
    } else if (const int error = errno; error != ENOENT) {
        // The mode of the file keeps this user from opening it, unless it is root.
        if (error == EACCES && ::lstat(path.c_str(), &status) == 0) {
            check_owner(status, operation);
        }
        fail_system(error, operation);
    }
    return file;
}

} // namespace

unique_descriptor unnamed_segment_file(const std::string& operation) {
    unique_descriptor file =
        kept_descriptor(::open(segment_directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file) {
        fail_system(errno, operation + ": create a file in " + segment_directory);
    }
    return file;
}

anonymous_file anonymous_segment_file(const std::string& label, const std::string& operation) {
    // From Linux 6.3 the setting vm.memfd_noexec may require that no file can be executed. The C
    // library of older systems has no name for it.
    constexpr unsigned not_executable = 0x8;
    for (const unsigned flags : {MFD_CLOEXEC | MFD_ALLOW_SEALING | not_executable,
                                 MFD_CLOEXEC | MFD_ALLOW_SEALING, MFD_CLOEXEC}) {
        unique_descriptor file = kept_descriptor(::memfd_create(label.c_str(), flags));
        if (file) {
            return {std::move(file), room::of_machine};
        }
        if (errno != EINVAL) {
            break;
        }
    }
    if (errno != ENOSYS && errno != EPERM && errno != EACCES) {
        fail_system(errno, operation);
    }
    return {unnamed_segment_file(operation), room::of_file_system};
}

bool try_seal_segment(int file, int seals, const std::string& operation) {
    if (::fcntl(file, F_ADD_SEALS, seals) == 0) {
        return true;
    }
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM) {
        fail_system(errno, operation + ": seal it");
    }
    return false;
}

void allocate_segment(int file, std::size_t total, room where, const std::string& operation) {
    // open(2) applies the umask to its mode; memfd_create(2) gives 0777.
    if (::fchmod(file, 0600) != 0) {
        fail_system(errno, operation + ": set its mode to 0600");
    }
    fill_segment(file, 0, total, where, operation);
}

void fill_segment(int file, std::size_t offset, std::size_t bytes, room where,
                  const std::string& operation) {
    const std::string what = operation + ": allocate " + std::to_string(bytes) + " bytes";
    struct statvfs status {};
    if (where == room::of_file_system && ::fstatvfs(file, &status) == 0 && status.f_blocks != 0 &&
        (bytes - 1) / status.f_frsize >= status.f_bavail) {
        fail_system(ENOSPC, what);
    }
    if ((where == room::of_machine || is_in_memory(file)) && bytes > available_memory()) {
        fail_system(ENOMEM, what);
    }
    const file_size_signal_block no_signal;
    // Kernels give up a call at any signal and take back what it had allocated. Small calls come to
    // an end between two signals of a profiler, too.
    constexpr std::size_t smallest = std::size_t{64} << 10;
    std::size_t part = std::size_t{4} << 20;
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t next = std::min(part, bytes - done);
        const int error =
            ::posix_fallocate(file, static_cast<off_t>(offset + done), static_cast<off_t>(next));
        if (error == 0) {
            done += next;
        } else if (error == EINTR) {
            part = std::max(part / 2, smallest);
        } else {
            // As one call would leave it. The input of a pool is sealed and keeps the pages.
            if (done != 0) {
                ::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                            static_cast<off_t>(offset), static_cast<off_t>(done));
            }
            fail_system(error, what);
        }
    }
}

void lock_shared(int file, const std::string& operation) {
    int error = 0;
    const auto decided = [&] {
        error = ::flock(file, LOCK_SH | LOCK_NB) == 0 ? 0 : errno;
        return error != EWOULDBLOCK && error != EINTR;
    };
    if (!becomes_true(decided)) {
        fail_locked(operation);
    }
    if (error != 0) {
        fail_system(error, operation + ": lock it");
    }
    // After the lock, and dropped before it. Where it fails, others take a second to see the user.
    struct flock mark = record_lock(F_RDLCK, byte_of_users);
    ::fcntl(file, F_OFD_SETLK, &mark);
}

lock_outcome lock_exclusive(int file, const std::string& operation) {
    lock_outcome outcome = lock_outcome::kept_locked;
    becomes_true([&] {
        if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
            outcome = lock_outcome::locked;
        } else if (errno != EWOULDBLOCK && errno != EINTR) {
            fail_system(errno, operation + ": lock it");
        } else if (is_marked_as_used(file)) {
            outcome = lock_outcome::in_use;
        }
        return outcome != lock_outcome::kept_locked;
    });
    return outcome;
}

void give_name(int file, const std::string& path, const std::string& operation) {
    // That of the process leads nowhere once its first thread has ended, none without a /proc.
    for (const char* const folder : {"/proc/thread-self/fd/", "/proc/self/fd/"}) {
        const std::string source = folder + std::to_string(file);
        if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            return;
        }
        if (errno != ENOENT) {
            fail_system(errno, operation);
        }
    }
    if (::linkat(file, "", AT_FDCWD, path.c_str(), AT_EMPTY_PATH) != 0) {
        fail_system(errno, errno == ENOENT ? operation + ": name it, which takes a /proc, or "
                                                         "before Linux 6.10 CAP_DAC_READ_SEARCH"
                                           : operation);
    }
}

bool is_file_of(const char* path, int file) noexcept {
    struct stat named {};
    struct stat opened {};
    return ::lstat(path, &named) == 0 && ::fstat(file, &opened) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

void remove_name(const char* path, int file) noexcept {
    struct flock turn = record_lock(F_WRLCK, byte_of_removal);
    const bool mine = becomes_true([&] {
        return ::fcntl(file, F_OFD_SETLK, &turn) == 0 ||
               (errno != EAGAIN && errno != EACCES && errno != EINTR);
    });
    if (mine && is_file_of(path, file)) {
        ::unlink(path);
    }
    turn.l_type = F_UNLCK;
    ::fcntl(file, F_OFD_SETLK, &turn);
}

unique_descriptor open_locked_segment(const std::string& path, const std::string& operation) {
    for (;;) {
        unique_descriptor file = open_segment(path, operation);
        if (!file) {
            fail_system(ENOENT, operation);
        }
        lock_shared(file.get(), operation);
        if (is_file_of(path.c_str(), file.get())) {
            return file;
        }
    }
}

bool has_magic(int file) noexcept {
    std::uint64_t magic = 0;
    return ::pread(file, &magic, sizeof magic, 0) == static_cast<ssize_t>(sizeof magic) &&
           magic == segment_header::expected_magic;
}

void remove_unused_segment(const std::string& path, const std::string& operation) {
    for (;;) {
        const unique_descriptor file = open_segment(path, operation);
        if (!file) {
            return;
        }
        if (!has_magic(file.get())) {
            fail_system(EPROTO, operation + ": the name belongs to a file that is not a segment; "
                                            "remove it by hand if it is not needed");
        }
        switch (lock_exclusive(file.get(), operation)) {
        case lock_outcome::locked:
            break;
        case lock_outcome::in_use:
            fail_system(EBUSY, operation + ": it is in use");
        case lock_outcome::kept_locked:
            fail_locked(operation);
        }
        if (!is_file_of(path.c_str(), file.get())) {
            continue; // Another process replaced it: check the new one.
        }
        if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
            fail_system(errno, operation);
        }
        return;
    }
}

} // namespace regatta::detail
