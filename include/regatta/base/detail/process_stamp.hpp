// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Knowing that an object was made by another process, of which this one is a fork.

#include <regatta/base/config.hpp>

#include <cstdint>

#if REGATTA_LINUX
#include <pthread.h>
#include <unistd.h>
#endif

namespace regatta::detail {

/// Remembers the process that made it. After `fork` the child has the memory of its parent, but
/// none of its threads: an object with threads asks its stamp before it relies on them.
///
/// Threads: any. Cost: `elsewhere` is one load of a word that only `fork` writes; the first stamp
/// of a process registers a handler of `fork`, each one asks for the process's number. Not seen: a
/// child that was made by a bare system call (`clone`), without the C library.
class process_stamp {
public:
    process_stamp() noexcept { renew(); }

    /// Makes it a stamp of this process.
    REGATTA_RARE void renew() noexcept {
#if REGATTA_LINUX
        static const int registered =
            ::pthread_atfork(nullptr, nullptr, [] { forked() = number(); });
        static_cast<void>(registered); // It fails for want of memory: then forks go unseen.
        process_ = number();
#endif
    }
    /// Whether this process is a fork of any that made a stamp: what most callers need to ask.
    static bool in_fork() noexcept {
        return forked() != 0;
    }
    /// Whether this process is a fork of the one that made the stamp.
    bool elsewhere() const noexcept {
        return in_fork() && forked() != process_;
    }
    /// The number of this process; 0 where processes do not fork.
    static std::int32_t number() noexcept {
#if REGATTA_LINUX
        return ::getpid();
#else
        return 0;
#endif
    }

private:
    /// The number of this process if it is a fork, or 0. No atomic, which compilers load before
    /// they compare: it is written by the handler of `fork` only, when the child has one thread.
    static std::int32_t& forked() noexcept {
        static constinit std::int32_t process = 0;
        return process;
    }
    std::int32_t process_ = 0; ///< The number of the process that made it.
};

} // namespace regatta::detail
