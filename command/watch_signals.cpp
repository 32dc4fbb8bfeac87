// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "watch_signals.hpp"

#include <regatta/base/error.hpp>

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace regatta::command {

watch_signals::watch_signals() {
    sigset_t taken;
    ::sigemptyset(&taken);
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH}) {
        struct sigaction now {};
        if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
            ::sigaddset(&taken, number);
        }
    }
    ::sigprocmask(SIG_BLOCK, &taken, nullptr);
    descriptor_ = unique_descriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!descriptor_) {
        fail_system(errno, "make a descriptor for signals");
    }
}

int watch_signals::take() noexcept {
    signalfd_siginfo about{};
    const ssize_t got = ::read(descriptor_.get(), &about, sizeof about);
    return got == static_cast<ssize_t>(sizeof about) ? static_cast<int>(about.ssi_signo) : 0;
}

} // namespace regatta::command
