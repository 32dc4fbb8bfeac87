// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Knowing that an object was made by another process, of which this one is a fork.

#include <regatta/base/config.hpp>

#include <atomic>
#include <cstdint>

#if REGATTA_LINUX
#include <pthread.h>
#include <unistd.h>
#endif

namespace regatta::detail {

/// Remembers the process that made it. After `fork` the child has the memory of its parent, but
/// none of its threads: an object with threads asks its stamp before it relies on them.
///
/// It counts forks: in a PID namespace of its own a child may have the number of its parent, 1.
///
/// Threads: any. Cost: `elsewhere` is one load of a word that only `fork` writes; the first stamp
/// of a process registers a handler of `fork`. Not seen: a child that was made by a bare system
/// call (`clone`), without the C library.
class process_stamp {
public:
    process_stamp() noexcept { renew(); }

    /// Makes it a stamp of this process.
    REGATTA_RARE void renew() noexcept {
#if REGATTA_LINUX
        // Not a static object that the call makes: the call waits for the end of a fork under way,
        // whose child would find the object half made, and wait for it without end.
        static constinit std::atomic<bool> registered{false};
        // relaxed: the C library's own lock orders handlers and forks. Two handlers do no harm. It
        // fails for want of memory: then forks go unseen.
        if (!registered.load(std::memory_order_relaxed) &&
            ::pthread_atfork(nullptr, nullptr, [] { ++forks(); }) == 0) {
            registered.store(true, std::memory_order_relaxed);
        }
#endif
        counter_ = &forks();
        forks_ = *counter_;
    }
    /// Whether this process is a fork of any that made a stamp: what most callers need to ask.
    static bool in_fork() noexcept {
        return forks() != 0;
    }
    /// Whether this process is a fork of the one that made the stamp.
    bool elsewhere() const noexcept {
        return in_fork() && *counter_ != forks_;
    }
    /// Tells this process from those that it is a fork of, also before any made a stamp, but then
    /// not from one of the same number. Less than 2^48.
    static std::uint64_t process() noexcept {
#if REGATTA_LINUX
        const auto number = static_cast<std::uint32_t>(::getpid());
#else
        const std::uint32_t number = 0; // Processes do not fork there.
#endif
        return std::uint64_t{forks() % 0x10000u} << 32 | number;
    }

private:
    /// How often this process's line has forked since its first stamp. No atomic, which compilers
    /// load before they compare: it is written by the handler of `fork` only, when the child has
    /// one thread.
    static std::uint32_t& forks() noexcept {
        static constinit std::uint32_t count = 0;
        return count;
    }
    /// The count in which it was made: modules that hide their names each have one of their own.
    const std::uint32_t* counter_ = nullptr;
    std::uint32_t forks_ = 0; ///< What it was.
};

} // namespace regatta::detail
