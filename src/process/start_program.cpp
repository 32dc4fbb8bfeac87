// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/start_program.hpp"

#include "process/kept_descriptor.hpp"
#include "process/spawn_child.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/subprocess.hpp>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// The absolute path of a relative one, for use in another working directory.
std::string absolute_path(const std::string& path, const std::string& operation) {
    char* here = ::getcwd(nullptr, 0);
    if (here == nullptr) {
        fail_system(errno, operation + ": find this process's working directory");
    }
    const std::string absolute = here + ('/' + path);
    std::free(here);
    return absolute;
}

/// Blocks every signal of the calling thread, including the C library's internal ones.
class signal_block {
public:
    signal_block() noexcept {
        const std::uint64_t all = ~std::uint64_t{0};
        ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &saved_, sizeof saved_);
    }
    signal_block(const signal_block&) = delete;
    signal_block& operator=(const signal_block&) = delete;
    ~signal_block() { ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &saved_, nullptr, sizeof saved_); }

private:
    std::uint64_t saved_ = 0; ///< As the kernel has it, on 32-bit machines, too.
};

/// The signals that this process ignores, as `spawn_plan` has them.
std::uint64_t ignored_signals() noexcept {
    std::uint64_t ignored = 0;
    for (int number = 1; number <= 64; ++number) {
        struct sigaction now {};
        if (::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
            now.sa_handler == SIG_IGN) {
            ignored |= std::uint64_t{1} << (number - 1);
        }
    }
    return ignored;
}

/// A stack for a child that shares this process's memory until it runs its program.
class child_stack {
public:
    explicit child_stack(const std::string& operation)
        : base_(::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
        if (base_ == MAP_FAILED) {
            fail_system(errno, operation + ": allocate a stack");
        }
    }
    child_stack(const child_stack&) = delete;
    child_stack& operator=(const child_stack&) = delete;
    ~child_stack() { ::munmap(base_, size); }
    void* top() const noexcept { return static_cast<std::byte*>(base_) + size; }

private:
    static constexpr std::size_t size = 64 * 1024;
    void* base_;
};

/// A descriptor that becomes readable when a child has ended, of a kernel without pidfds: a thread
/// waits for the end, and leaves the child to be waited for.
unique_descriptor watch_by_thread(pid_t pid, const std::string& operation) {
    unique_descriptor event = kept_descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    unique_descriptor told(event ? ::fcntl(event.get(), F_DUPFD_CLOEXEC, 3) : -1);
    if (!told) {
        fail_system(errno, operation + ": make an event descriptor");
    }
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before); // The program's handlers run in its own threads.
    try {
        std::thread([pid, told = std::move(told)] {
            siginfo_t how{};
            while (::waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOWAIT) != 0 &&
                   errno == EINTR) {
            }
            const std::uint64_t one = 1;
            static_cast<void>(!::write(told.get(), &one, sizeof one));
        }).detach();
    } catch (...) {
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return event;
}

/// Clones a process that runs the plan; returns it with its pidfd.
started_child clone_child(spawn_plan& plan, const std::string& operation) {
    constexpr int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
    const child_stack stack(operation);
    int pidfd = -1;
    int error = 0;
    pid_t pid = -1;
    {
        const signal_block block;
        pid = unwrapped_clone(run_spawn_plan, stack.top(), flags | CLONE_PIDFD, &plan, &pidfd);
        if (pid < 0 && errno != EAGAIN && errno != ENOMEM) {
            // An emulator or a sandbox that does not know the flag, or forbids it.
            pid = unwrapped_clone(run_spawn_plan, stack.top(), flags, &plan);
        }
        error = errno;
    }
    if (pid < 0) {
        fail_system(error, operation);
    }
    unique_descriptor end = kept_descriptor(pidfd);
    return {pid, end ? std::move(end) : open_end_of_child(pid, operation)};
}

/// Throws the error of a child that could not start.
[[noreturn]] void fail_spawn(const spawn_failure& failure, const spawn_options& options,
                             const spawn_plan& plan, const std::string& operation) {
    switch (failure.stage) {
    case spawn_stage::descriptors:
        fail_system(failure.error, failure.from < 0 ? operation + ": duplicate a descriptor"
                                                    : operation + ": pass on descriptor " +
                                                          std::to_string(failure.from) + " as " +
                                                          std::to_string(failure.to));
    case spawn_stage::closing:
        fail_system(failure.error, operation + ": close the other descriptors");
    case spawn_stage::group:
        fail_system(failure.error, operation + ": create a process group");
    case spawn_stage::directory:
        fail_system(failure.error, operation + ": enter directory '" + options.directory + "'");
    case spawn_stage::death_signal:
        fail_system(failure.error,
                    operation + ": set death signal " + std::to_string(plan.death_signal));
    case spawn_stage::program:
        break;
    }
    fail_system(failure.error, operation + ": run it");
}

/// Pointers to the texts, terminated by a null pointer, as execve(2) takes them.
std::vector<char*> to_pointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

unique_descriptor open_end_of_child(pid_t pid, const std::string& operation) {
    try {
        // The child stays until it is waited for, so its number is still its own.
        unique_descriptor pidfd =
            kept_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
        return pidfd ? std::move(pidfd) : watch_by_thread(pid, operation);
    } catch (...) {
        ::kill(pid, SIGKILL);
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        throw;
    }
}

started_child start_program(const spawn_options& options) {
    const std::string operation = "spawn '" + options.program + "'";
    const auto check_text = [&](const std::string& text, const char* what) {
        if (text.find('\0') != std::string::npos) {
            fail_argument(operation + ": " + what + " must not contain a zero byte");
        }
    };
    if (options.program.empty()) {
        fail_argument(operation + ": the name of the program is empty");
    }
    check_text(options.program, "the name of the program");
    check_text(options.directory, "the name of the directory");

    std::vector<std::string> arguments{options.program};
    for (const std::string& argument : options.arguments) {
        check_text(argument, "an argument");
        arguments.push_back(argument);
    }
    std::vector<descriptor_move> moves;
    const int streams[] = {options.standard_input, options.standard_output, options.standard_error};
    for (int number = 0; number < 3; ++number) {
        if (streams[number] >= 0) {
            moves.push_back({streams[number], number, -1});
        }
    }
    for (const inherited_descriptor& passed : options.descriptors) {
        if (passed.parent < 0 || passed.child < 0) {
            fail_argument(operation + ": descriptor " + std::to_string(passed.parent) + " as " +
                          std::to_string(passed.child) + ": neither may be negative");
        }
        moves.push_back({passed.parent, passed.child, -1});
    }
    std::vector<int> kept;
    for (const auto& move : moves) {
        if (std::find(kept.begin(), kept.end(), move.to) != kept.end()) {
            fail_argument(operation + ": at most one descriptor may become number " +
                          std::to_string(move.to) + " in the child");
        }
        kept.push_back(move.to);
    }
    kept.insert(kept.end(), {0, 1, 2});
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());

    std::string program = find_program(options.program);
    if (program.empty()) {
        fail_system(ENOENT, operation + ": find it in PATH");
    }
    if (program.front() != '/' && !options.directory.empty()) {
        program = absolute_path(program, operation);
    }
    std::vector<std::string> environment = options.environment.entries();
    const std::vector<char*> argument_pointers = to_pointers(arguments);
    const std::vector<char*> environment_pointers = to_pointers(environment);

    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail_system(errno, operation + ": create a pipe");
    }
    const unique_descriptor report = kept_descriptor(ends[0]);
    unique_descriptor report_end = kept_descriptor(ends[1]);
    if (!report || !report_end) {
        fail_system(errno, operation + ": create a pipe");
    }
    spawn_plan plan{
        .program = program.c_str(),
        .arguments = argument_pointers.data(),
        .environment = environment_pointers.data(),
        .directory = options.directory.empty() ? nullptr : options.directory.c_str(),
        .moves = moves.data(),
        .move_count = moves.size(),
        .kept = kept.data(),
        .kept_count = kept.size(),
        .report = report_end.get(),
        .parent = ::getpid(),
        .death_signal = options.death_signal,
        .own_process_group = options.own_process_group,
        .ignored = options.keep_ignored_signals ? ignored_signals() : 0,
    };
    started_child child = clone_child(plan, operation);
    report_end.reset();
    if (plan.shared) {
        // No wait for the end of the pipe: a child that another thread has forked may hold it.
        ::fcntl(report.get(), F_SETFL, O_NONBLOCK);
    }
    spawn_failure failure{};
    ssize_t count = 0;
    do {
        count = ::read(report.get(), &failure, sizeof failure);
    } while (count < 0 && errno == EINTR);
    if (count == static_cast<ssize_t>(sizeof failure)) {
        while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        fail_spawn(failure, options, plan, operation);
    }
    return child;
}

} // namespace regatta::detail
