// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A process whose kernel refuses some system calls, as an older one or a sandbox does.

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace library_test {

/// A system call that is refused: every one of that number, or those whose argument has that bit,
/// or has that value.
struct forbidden_call {
    long number;
    int error;
    int argument = -1; ///< Which one is looked at; none: all calls are refused.
    std::uint32_t bits = 0;
    std::uint32_t value = 0; ///< Where not 0, instead of `bits`.
};

/// Refuses these calls to all threads of this process and to its children, for ever.
/// @returns whether the kernel does so.
inline bool forbid(const std::vector<forbidden_call>& calls) {
    std::vector<sock_filter> lines;
    for (const forbidden_call& one : calls) {
        const auto error = static_cast<std::uint32_t>(one.error);
        lines.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
        if (one.argument < 0) {
            lines.push_back(
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(one.number), 0, 1));
        } else {
            // The lower half of the argument, on a machine that has it first.
            const auto at = static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                                       8 * static_cast<unsigned>(one.argument));
            lines.push_back(
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(one.number), 0, 3));
            lines.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at));
            lines.push_back(one.value != 0
                                ? sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one.value, 0, 1)
                                : sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, one.bits, 0, 1));
        }
        lines.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
    }
    lines.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog filter{static_cast<unsigned short>(lines.size()), lines.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

} // namespace library_test
