// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/subprocess.hpp>

#include <regatta/base/detail/unique_descriptor.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace regatta {
namespace {

/// Whether the kernel refuses a call that has just failed. A lack of descriptors or memory passes.
bool is_refused() noexcept {
    return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
}

} // namespace

std::vector<kernel_gap> kernel_gaps() {
    std::vector<kernel_gap> gaps;
    if (::syscall(SYS_close_range, ~0u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0) {
        gaps.push_back({"close_range", "a child marks its descriptors one by one, as procfs lists "
                                       "them: a system call each"});
    }
    const detail::unique_descriptor pidfd(
        static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    if (!pidfd) {
        if (is_refused()) {
            gaps.push_back({"pidfd_open", "where clone gives no pidfd either, a thread for each "
                                          "child waits for its end"});
        }
    } else if (::syscall(SYS_pidfd_send_signal, pidfd.get(), 0, nullptr, 0) != 0) {
        gaps.push_back({"pidfd_send_signal", "kill, after a look that the number is still that of "
                                             "the child"});
    }
    const detail::unique_descriptor memory(
        ::memfd_create("regatta kernel gaps", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory) {
        if (is_refused()) {
            gaps.push_back({"memfd_create", "anonymous segments are unnamed files in /dev/shm: "
                                            "they need room there, and are not sealed"});
        }
    } else if (::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
        gaps.push_back({"seals", "a process that has an anonymous segment can shrink it under the "
                                 "others"});
    } else if (::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0) {
        gaps.push_back({"F_SEAL_FUTURE_WRITE", "a worker maps the input read-only, and could map "
                                               "it again to write"});
    }
    return gaps;
}

} // namespace regatta
