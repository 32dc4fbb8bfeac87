// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/spawn_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {
namespace {

/// An entry of a directory, as getdents64(2) writes it.
struct directory_entry {
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t length;
    std::uint8_t kind;
    char name[1];
};

/// Whether the plan keeps a descriptor.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) bool
is_kept(const spawn_plan& plan, int descriptor) {
    for (std::size_t i = 0; i < plan.kept_count; ++i) {
        if (plan.kept[i] == descriptor) {
            return true;
        }
    }
    return false;
}

/// Duplicates a descriptor, close-on-exec, under a number that no move overwrites. The numbers may
/// go up to the last one that is allowed, so that it is not looked for above all of them.
/// Duplicates under numbers that are kept stay until the moves overwrite them.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) long
duplicate(const spawn_plan& plan, int descriptor) {
    long number = 3;
    do {
        number = ::syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, number);
    } while (number >= 0 && is_kept(plan, static_cast<int>(number)));
    return number;
}

/// Marks a descriptor close-on-exec, if it is open and not kept.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) void
close_on_exec(const spawn_plan& plan, int descriptor) {
    if (!is_kept(plan, descriptor)) {
        ::syscall(SYS_fcntl, descriptor, F_SETFD, FD_CLOEXEC);
    }
}

/// Marks the descriptors close-on-exec that procfs lists and that are not kept.
/// @returns false: there is no procfs.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) bool
mark_listed(const spawn_plan& plan) {
    const long folder =
        ::syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        return false;
    }
    alignas(directory_entry) char entries[1024];
    for (;;) {
        const long bytes = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
        if (bytes <= 0) {
            return bytes == 0;
        }
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const directory_entry*>(entries + at);
            int number = 0;
            const char* digit = entry->name;
            for (; *digit >= '0' && *digit <= '9'; ++digit) {
                number = number * 10 + (*digit - '0');
            }
            if (digit != entry->name) { // Not "." and "..".
                close_on_exec(plan, number);
            }
            at += entry->length;
        }
    }
}

/// The same for all that there may be. @returns false, with errno, where their number is not known.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) bool
mark_possible(const spawn_plan& plan) {
    std::uint64_t limits[2] = {}; // The soft and the hard one.
    if (::syscall(SYS_prlimit64, 0, 7 /* RLIMIT_NOFILE */, nullptr, limits) != 0) {
        return false;
    }
    for (std::uint64_t i = 0; i < limits[1] && i < 1u << 20; ++i) {
        close_on_exec(plan, static_cast<int>(i));
    }
    return true;
}

/// Marks all descriptors close-on-exec that are not kept. @returns false, with errno: not done.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) bool
mark_close_on_exec(const spawn_plan& plan) {
    unsigned next = 0;
    for (std::size_t i = 0; i <= plan.kept_count; ++i) {
        const unsigned end = i < plan.kept_count ? static_cast<unsigned>(plan.kept[i]) : ~0u;
        const unsigned last = i < plan.kept_count ? end - 1 : end;
        if (end > next &&
            ::syscall(SYS_close_range, next, last, 4u /* CLOSE_RANGE_CLOEXEC */) != 0) {
            // Before Linux 5.11, or in a sandbox that forbids it.
            return mark_listed(plan) || mark_possible(plan);
        }
        next = end + 1;
    }
    return true;
}

} // namespace

__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) int
run_spawn_plan(void* argument) {
    spawn_plan& plan = *static_cast<spawn_plan*>(argument);
    plan.shared = true;
    spawn_failure failure{0, spawn_stage::descriptors, -1, -1};
    const auto give_up = [&](spawn_stage stage)
        __attribute__((noinline, no_sanitize("thread", "address", "undefined"))) {
        failure.error = errno;
        failure.stage = stage;
        ::syscall(SYS_write, plan.report, &failure, sizeof failure);
        ::syscall(SYS_exit_group, 127);
    };

    // Signals were blocked before the clone, so no handler of the parent can run here. exec keeps
    // ignored signals ignored, so the others are reset. All zeros is SIG_DFL in the kernel's
    // structure, whose size differs from the C library's.
    const unsigned long no_action[8] = {};
    for (int signal = 1; signal <= 64; ++signal) {
        if ((plan.ignored >> (signal - 1) & 1) != 0) {
            continue;
        }
        ::syscall(SYS_rt_sigaction, signal, no_action, nullptr, std::size_t{8});
    }

    const long report = duplicate(plan, plan.report);
    if (report < 0) {
        give_up(spawn_stage::descriptors);
    }
    plan.report = static_cast<int>(report);
    for (std::size_t i = 0; i < plan.move_count; ++i) {
        descriptor_move& move = plan.moves[i];
        failure.from = move.from;
        failure.to = move.to;
        move.spare = static_cast<int>(duplicate(plan, move.from));
        if (move.spare < 0) {
            give_up(spawn_stage::descriptors);
        }
    }
    for (std::size_t i = 0; i < plan.move_count; ++i) {
        failure.from = plan.moves[i].from;
        failure.to = plan.moves[i].to;
        if (::syscall(SYS_dup3, plan.moves[i].spare, plan.moves[i].to, 0) < 0) {
            give_up(spawn_stage::descriptors);
        }
    }
    // Standard streams of the parent may be close-on-exec. Those that were moved are not any more.
    for (int number = 0; number < 3; ++number) {
        ::syscall(SYS_fcntl, number, F_SETFD, 0); // Closed ones stay so.
    }
    // Not closed at once: the report must stay open until exec.
    if (!mark_close_on_exec(plan)) {
        give_up(spawn_stage::closing);
    }

    if (plan.own_process_group && ::syscall(SYS_setpgid, 0, 0) != 0) {
        give_up(spawn_stage::group);
    }
    if (plan.directory != nullptr && ::syscall(SYS_chdir, plan.directory) != 0) {
        give_up(spawn_stage::directory);
    }
    if (plan.death_signal != 0) {
        if (::syscall(SYS_prctl, PR_SET_PDEATHSIG, plan.death_signal, 0, 0, 0) != 0) {
            give_up(spawn_stage::death_signal);
        }
        // The kernel sends no signal if the parent ended before that call. It shows a parent
        // outside the child's process namespace as 0.
        const long parent = ::syscall(SYS_getppid);
        if (parent != plan.parent && parent != 0) {
            ::syscall(SYS_exit_group, 127);
        }
    }
    const std::uint64_t no_signals = 0; // 64 of them, on 32-bit machines, too.
    ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof no_signals);
    ::syscall(SYS_execve, plan.program, plan.arguments, plan.environment);
    give_up(spawn_stage::program);
    return 127;
}

} // namespace regatta::detail
