// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Files that would exceed RLIMIT_FSIZE are an error, not the end of the program.

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace regatta::detail {

/// While it lives, a call of this thread that makes a file larger than RLIMIT_FSIZE allows fails
/// with EFBIG, and no SIGXFSZ comes of it. One that was pending before still does.
///
/// Threads: the one that made it.
class file_size_signal_block {
public:
    file_size_signal_block() noexcept {
        sigset_t pending;
        ::sigpending(&pending);
        was_pending_ = ::sigismember(&pending, SIGXFSZ) == 1;
        const sigset_t signal = the_signal();
        ::pthread_sigmask(SIG_BLOCK, &signal, &before_);
    }
    file_size_signal_block(const file_size_signal_block&) = delete;
    file_size_signal_block& operator=(const file_size_signal_block&) = delete;
    ~file_size_signal_block() {
        if (!was_pending_) {
            const sigset_t signal = the_signal();
            const timespec at_once{};
            ::sigtimedwait(&signal, nullptr, &at_once);
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    static sigset_t the_signal() noexcept {
        sigset_t set;
        ::sigemptyset(&set);
        ::sigaddset(&set, SIGXFSZ);
        return set;
    }

    sigset_t before_;
    bool was_pending_ = false;
};

} // namespace regatta::detail
