// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/crash_notice.hpp"

#include "common/interrupt.hpp"
#include "schemes/scheme.hpp"
#include "workloads/own_library.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace regatta::command {
namespace {

struct named_signal {
    int number;
    std::string_view name;
};
constexpr std::array<named_signal, 6> crashes{{{SIGSEGV, "SIGSEGV"},
                                               {SIGBUS, "SIGBUS"},
                                               {SIGFPE, "SIGFPE"},
                                               {SIGILL, "SIGILL"},
                                               {SIGTRAP, "SIGTRAP"},
                                               {SIGABRT, "SIGABRT"}}};

/// A fork of it may crash without a word: whoever waits for it tells.
pid_t told_process = 0;
/// The first thread that crashed; 0: none. Written by its handler. Relaxed: it publishes nothing
/// but itself.
std::atomic<pid_t> crashed{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);
/// For the main thread, whose own may be full.
alignas(16) std::array<char, 65536> other_stack;

/// A line that a signal handler may make.
class line {
public:
    line& operator<<(std::string_view text) noexcept {
        used_ += text.copy(letters_.data() + used_, letters_.size() - used_);
        return *this;
    }
    line& operator<<(std::uint64_t number) noexcept {
        std::array<char, 20> digits{};
        std::size_t at = digits.size();
        do {
            digits[--at] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return *this << std::string_view(digits.data() + at, digits.size() - at);
    }
    void write() const noexcept {
        // There is nobody to tell of a failure.
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, letters_.data(), used_);
    }

private:
    std::array<char, 500> letters_{};
    std::size_t used_ = 0;
};

void tell_of_crash(int number, const siginfo_t& about) noexcept {
    const auto found = std::ranges::find(crashes, number, &named_signal::number);
    line words;
    words << "\nregatta: " << found->name;
    if (about.si_code <= 0 && about.si_pid != told_process) {
        words << " from process " << static_cast<std::uint64_t>(about.si_pid);
    } else if (const race::own_code own = race::own_code_here(); own.part != nullptr) {
        words << " in " << own.part;
        if (own.item != race::own_code::no_item) {
            words << " of item " << own.item;
        }
    }
    const race::race_control* const control = interrupt_guard::measuring();
    if (control == nullptr) {
        words << "\n";
    } else if (control->scheme() == nullptr) {
        words << ", before the first scheme ran; there is no result\n";
    } else {
        words << ", while " << control->scheme()->name << " ran; there is no result\n";
    }
    words.write();
}

void on_crash(int number, siginfo_t* about, void*) {
    if (::getpid() == told_process) {
        pid_t first = 0;
        if (crashed.compare_exchange_strong(first, ::gettid(), std::memory_order_relaxed)) {
            interrupt_guard::clean_up();
            tell_of_crash(number, *about);
        } else if (first != ::gettid()) { // Otherwise this handler has crashed itself.
            for (;;) {                    // The first one ends the process.
                ::pause();
            }
        }
    }
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(number, &usual, nullptr);
    // It waits until this handler returns, so that the core has the place of the crash.
    ::raise(number);
}

} // namespace

void tell_of_crashes() noexcept {
    told_process = ::getpid();
    stack_t stack{};
    stack.ss_sp = other_stack.data();
    stack.ss_size = other_stack.size();
    stack_t present{};
    if (::sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0) {
        ::sigaltstack(&stack, nullptr); // That of a sanitizer stays.
    }
    for (const named_signal& one : crashes) {
        struct sigaction before {};
        if (::sigaction(one.number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) {
            continue;
        }
        struct sigaction action {};
        action.sa_sigaction = on_crash;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigemptyset(&action.sa_mask);
        ::sigaction(one.number, &action, nullptr);
    }
}

} // namespace regatta::command
