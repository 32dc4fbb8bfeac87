// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/owned_run.hpp"

#include "common/interrupt.hpp"
#include "common/terminal.hpp"

#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace regatta::command {
namespace {

/// Whom signals are passed on to; 0: nobody. Written by the main thread, read by the handler that
/// interrupts it: relaxed, since they need no order.
std::atomic<pid_t> receiver{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void pass_on(int number) {
    const int saved = errno;
    if (const pid_t pid = receiver.load(std::memory_order_relaxed); pid > 0) {
        ::kill(pid, number);
    }
    errno = saved;
}

/// Of a signal that the terminal sends, only what a program sent to this process alone: then
/// `si_code` is not positive.
void pass_on_if_sent(int number, siginfo_t* about, void*) {
    if (about->si_code <= 0) {
        pass_on(number);
    }
}

bool is_ignored(int number) {
    struct sigaction action {};
    return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void set_handler(int number, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
}

constexpr int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr int from_terminal[] = {SIGINT, SIGQUIT};

/// What was to be ignored stays so, for the program as well: nohup, and jobs in the background.
void catch_signals() {
    for (const int number : passed_on) {
        if (!is_ignored(number)) {
            set_handler(number, pass_on);
        }
    }
    struct sigaction action {};
    action.sa_sigaction = pass_on_if_sent;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    for (const int number : from_terminal) {
        if (!is_ignored(number)) {
            ::sigaction(number, &action, nullptr);
        }
    }
}

/// No signal arrives in its scope; those that came are delivered at its end.
class signals_held {
public:
    signals_held() {
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, &before_);
    }
    signals_held(const signals_held&) = delete;
    signals_held& operator=(const signals_held&) = delete;
    ~signals_held() { deliver(); }
    void deliver() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

/// The end of a pipe that is closed in programs.
struct pipe_ends {
    detail::unique_descriptor reading;
    detail::unique_descriptor writing;
};

pipe_ends make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail_system(errno, "make a pipe");
    }
    return {detail::unique_descriptor(ends[0]), detail::unique_descriptor(ends[1])};
}

detail::unique_descriptor open_pidfd(pid_t pid) {
    return detail::unique_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// The child of `held_program` until it is another program.
[[noreturn]] void become(std::vector<std::string> words, pid_t parent, int go, int failure,
                         const signals_held& held) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    const auto back_to_usual = [](int number) {
        if (!is_ignored(number)) {
            set_handler(number, SIG_DFL);
        }
    };
    std::ranges::for_each(passed_on, back_to_usual);
    std::ranges::for_each(from_terminal, back_to_usual);
    if (ignored_children()) {
        set_handler(SIGCHLD, SIG_IGN);
    }
    held.deliver(); // What was passed on meanwhile ends it here.
    char byte = 0;
    ssize_t got = -1;
    while ((got = ::read(go, &byte, 1)) < 0 && errno == EINTR) {
    }
    if (got != 1 || ::getppid() != parent) {
        ::_exit(127); // Nobody lets it run.
    }
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    ::execvp(pointers[0], pointers.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t told = ::write(failure, &error, sizeof error);
    ::_exit(127);
}

} // namespace

held_program::held_program(const std::vector<std::string>& words) {
    pipe_ends go = make_pipe();
    pipe_ends failure = make_pipe();
    const pid_t self = ::getpid();
    const signals_held held; // Until it is known to whom they are passed on.
    catch_signals();
    pid_ = ::fork();
    if (pid_ < 0) {
        fail_system(errno, "start \"" + words.at(0) + "\"");
    }
    if (pid_ == 0) {
        go.writing = detail::unique_descriptor();
        become(words, self, go.reading.get(), failure.writing.get(), held);
    }
    receiver.store(pid_, std::memory_order_relaxed);
    pidfd_ = open_pidfd(pid_);
    go_ = std::move(go.writing);
    failure_ = std::move(failure.reading);
}

held_program::~held_program() {
    receiver.store(0, std::memory_order_relaxed);
    if (pid_ > 0 && !waited_for_) {
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

int held_program::start() {
    [[maybe_unused]] const ssize_t sent = ::write(go_.get(), "g", 1);
    go_ = detail::unique_descriptor();
    int error = 0;
    ssize_t got = -1;
    while ((got = ::read(failure_.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    failure_ = detail::unique_descriptor();
    return got == sizeof error ? error : 0;
}

bool held_program::ended_within(std::chrono::milliseconds time) {
    if (waited_for_) {
        return true;
    }
    pollfd watched{pidfd_.get(), POLLIN, 0};
    if (!pidfd_) { // Nothing tells of its end.
        time = std::min(time, std::chrono::milliseconds(10));
    }
    // A signal ends it early; then it is looked at again.
    ::poll(&watched, 1, static_cast<int>(time.count()));
    siginfo_t about{};
    const int asked = ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT);
    if (asked == 0 ? about.si_pid == 0 : errno == EINTR) {
        return false;
    }
    // Its number may be another's as soon as it has been waited for.
    receiver.store(0, std::memory_order_relaxed);
    waited_for_ = true;
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    status_ = ended < 0             ? 127
              : WIFEXITED(status)   ? WEXITSTATUS(status)
              : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                    : 127;
    return true;
}

} // namespace regatta::command
