// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/interrupt.hpp"

#include "common/output_file.hpp"
#include "common/usage_error.hpp"
#include "workloads/own_library.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <tuple>

namespace regatta::command {
namespace {

// Written by the handler and the main thread, read by both. Relaxed everywhere: a handler and the
// thread that it interrupts need no order, and nothing else is published by them.
std::atomic<race::race_control*> active{nullptr};
std::atomic<int> received{0};
std::atomic<std::int64_t> received_ns{0}; ///< When that was; 0 until it is known.
std::atomic<unsigned> seconds_left{0};    ///< From the hint to giving up; 0: no limit.
std::atomic<pid_t> measures{0};           ///< A launch of this program; 0: none.
std::atomic<bool> hinted{false};
std::atomic<bool> drawn{false}; ///< A line that is drawn over stands on standard error.
static_assert(std::atomic<race::race_control*>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<unsigned>::is_always_lock_free);

/// A fork of it may exit as it likes.
pid_t watched_process = 0;

bool children_ignored = false; ///< At the start; written before there is a second thread.

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// How long a race may take to end after a signal: it looks at its flag before every item, but a
/// run with forks before it begins alone.
unsigned patience_seconds(const race::race_control& control) noexcept {
    constexpr std::int64_t most_seconds = 1'000'000;
    const std::int64_t run_seconds = control.longest_run_ns() / 1'000'000'000 + 1;
    return static_cast<unsigned>(20 + std::min(2 * run_seconds, most_seconds));
}

/// So long nobody wonders why nothing happens.
constexpr unsigned seconds_to_hint = 3;

/// The same signal again within this time is no second one: timeout(1), for example, sends each
/// signal to its program and to the program's group. Nor is SIGHUP, which a service manager may
/// send right after SIGTERM. Nobody presses Ctrl-C twice so fast.
constexpr std::int64_t one_signal_ns = 100'000'000;

void write_error(std::string_view text) noexcept {
    // There is nobody to tell of a failure.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end_with(int status) noexcept {
    interrupt_guard::clean_up();
    if (const pid_t launch = measures.load(std::memory_order_relaxed); launch != 0) {
        ::kill(launch, SIGKILL);
    }
    // The workers that are processes have asked the kernel to die with this one.
    ::_exit(status);
}
[[noreturn]] void end_now(int number) noexcept {
    end_with(128 + number);
}

void on_signal(int number) {
    const int saved = errno;
    int none = 0;
    if (!received.compare_exchange_strong(none, number, std::memory_order_relaxed)) {
        const std::int64_t first_ns = received_ns.load(std::memory_order_relaxed);
        if ((number == none || number == SIGHUP) &&
            (first_ns == 0 || detail::monotonic_ns() - first_ns < one_signal_ns)) {
            errno = saved;
            return;
        }
        end_now(number);
    }
    received_ns.store(detail::monotonic_ns(), std::memory_order_relaxed);
    if (race::race_control* control = active.load(std::memory_order_relaxed)) {
        control->request_stop();
        // A library that never comes back (OpenBLAS waits for memory for ever) sees no flag.
        const bool launched = measures.load(std::memory_order_relaxed) != 0;
        seconds_left.store(launched ? 0 : patience_seconds(*control) - seconds_to_hint,
                           std::memory_order_relaxed);
        hinted.store(false, std::memory_order_relaxed);
        ::alarm(seconds_to_hint);
    }
    errno = saved;
}

/// The race did not end after a signal: ends the program as a second signal would.
void on_alarm(int) {
    const race::race_control* const control = active.load(std::memory_order_relaxed);
    if (control == nullptr) {
        return; // The race is over.
    }
    if (!control->is_measuring()) {
        ::alarm(1); // It computes what was measured; code of the user's may follow.
        return;
    }
    if (!hinted.exchange(true, std::memory_order_relaxed)) {
        const int saved = errno;
        ::alarm(seconds_left.load(std::memory_order_relaxed)); // First: a full pipe may block.
        write_error("\nregatta: waiting for a run to end; a second Ctrl-C ends this at once\n");
        errno = saved;
        return;
    }
    write_error("\nregatta: a run does not come back; giving up\n");
    end_now(received.load(std::memory_order_relaxed));
}

/// Somebody has called `exit` or `quick_exit` in the middle of a measurement, or as it was loaded:
/// a workload of the user's, a library.
void on_exit() {
    const char* const part = race::own_code_here().part;
    if ((active.load(std::memory_order_relaxed) != nullptr || part != nullptr) &&
        ::getpid() == watched_process) {
        write_error("\nregatta: ");
        write_error(part != nullptr ? part : "a run");
        write_error(" has ended this program by exit(); there is no result\n");
        end_with(exit_code::failure);
    }
}

void set_handler(int number, void (*handler)(int), struct sigaction* before = nullptr) {
    struct sigaction action {};
    action.sa_handler = handler;
    // System calls of the libraries in the race go on; the race itself looks at its stop flag.
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, before);
}

} // namespace

interrupt_guard::interrupt_guard(race::race_control& control) {
    received.store(0, std::memory_order_relaxed);
    received_ns.store(0, std::memory_order_relaxed);
    measures.store(0, std::memory_order_relaxed);
    active.store(&control, std::memory_order_relaxed);
    static_assert(std::tuple_size_v<decltype(before_)> == signals.size());
    for (std::size_t i = 0; i < signals.size(); ++i) {
        // What was to be ignored stays so: nohup, and jobs in the background.
        ::sigaction(signals[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) {
            set_handler(signals[i], on_signal);
        }
    }
    set_handler(SIGALRM, on_alarm, &alarm_before_);
}

void interrupt_guard::measured() noexcept {
    active.store(nullptr, std::memory_order_relaxed);
    ::alarm(0);
}

interrupt_guard::~interrupt_guard() {
    measured();
    for (std::size_t i = 0; i < signals.size(); ++i) {
        ::sigaction(signals[i], &before_[i], nullptr);
    }
    ::sigaction(SIGALRM, &alarm_before_, nullptr);
}

void interrupt_guard::measured_by(pid_t process) noexcept {
    measures.store(process, std::memory_order_relaxed);
    if (process != 0) { // A signal may have come since the child was started.
        seconds_left.store(0, std::memory_order_relaxed);
    }
}

int interrupt_guard::signal() noexcept {
    return received.load(std::memory_order_relaxed);
}

const race::race_control* interrupt_guard::measuring() noexcept {
    return active.load(std::memory_order_relaxed);
}

void interrupt_guard::clean_up() noexcept {
    if (drawn.load(std::memory_order_relaxed)) {
        write_error("\r\x1b[K");
    }
    remove_unwritten_files();
}

void interrupt_guard::line_drawn(bool is_drawn) noexcept {
    drawn.store(is_drawn, std::memory_order_relaxed);
}

void tell_of_exits() {
    watched_process = ::getpid();
    static_cast<void>(std::atexit(on_exit));
    static_cast<void>(std::at_quick_exit(on_exit));
}

void outlive_failed_writes() {
    // A handler and not SIG_IGN, which programs started from here would inherit. For the same
    // reason none in the place of SIG_IGN: systemd starts its services to ignore SIGPIPE.
    for (const int number : {SIGPIPE, SIGXFSZ}) {
        struct sigaction before {};
        ::sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) {
            set_handler(number, [](int) {});
        }
    }
}

void keep_ends_of_children() noexcept {
    struct sigaction before {};
    set_handler(SIGCHLD, SIG_DFL, &before);
    children_ignored = before.sa_handler == SIG_IGN;
}

bool ignored_children() noexcept {
    return children_ignored;
}

} // namespace regatta::command
