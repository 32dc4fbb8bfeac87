// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "watch/watch_events.hpp"

#include <regatta/base/error.hpp>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>

namespace regatta::command {

watch_events::watch_events() {
    sigset_t taken;
    ::sigemptyset(&taken);
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH}) {
        struct sigaction now {};
        if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
            ::sigaddset(&taken, number);
        }
    }
    ::sigprocmask(SIG_BLOCK, &taken, nullptr);
    signals_ = detail::unique_descriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) {
        fail_system(errno, "make a descriptor for signals");
    }
}

watch_event watch_events::wait(const watch_sources& sources,
                               std::chrono::steady_clock::time_point deadline) {
    using namespace std::chrono;
    pollfd watched[] = {{signals_.get(), POLLIN, 0},
                        {sources.process, POLLIN, 0},
                        {sources.keyboard, POLLIN, 0},
                        {sources.screen, 0, 0}};
    const auto left = duration_cast<nanoseconds>(
        std::max(deadline - steady_clock::now(), steady_clock::duration::zero()));
    const auto whole = duration_cast<seconds>(left);
    timespec rest{};
    rest.tv_sec = static_cast<std::time_t>(whole.count());
    rest.tv_nsec = static_cast<long>((left - whole).count());
    watch_event seen;
    if (::ppoll(watched, std::size(watched), &rest, nullptr) <= 0) {
        return seen;
    }
    constexpr int broken = POLLHUP | POLLERR | POLLNVAL;
    seen.signal = watched[0].revents != 0 ? take_signal() : 0;
    seen.ended = watched[1].revents != 0;
    seen.key = (watched[2].revents & POLLIN) != 0;
    seen.terminal_gone = ((watched[2].revents | watched[3].revents) & broken) != 0;
    return seen;
}

void watch_events::stop_here() noexcept {
    std::signal(SIGTSTP, SIG_DFL); // Curses has a handler of its own.
    sigset_t stop;
    ::sigemptyset(&stop);
    ::sigaddset(&stop, SIGTSTP);
    ::raise(SIGTSTP);
    ::sigprocmask(SIG_UNBLOCK, &stop, nullptr); // Here it stands still.
    ::sigprocmask(SIG_BLOCK, &stop, nullptr);
}

int watch_events::take_signal() noexcept {
    signalfd_siginfo about{};
    const ssize_t got = ::read(signals_.get(), &about, sizeof about);
    return got == static_cast<ssize_t>(sizeof about) ? static_cast<int>(about.ssi_signo) : 0;
}

} // namespace regatta::command
