// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/start_cpus.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace regatta::command {
namespace {

/// A bit a CPU, as the kernel writes them. Written before the libraries are initialised.
unsigned long mask[1024 / sizeof(unsigned long)];
long mask_bytes = 0; ///< 0 or less: not known.

/// No sanitizer is ready yet.
__attribute__((no_sanitize("address", "thread", "undefined"))) void keep_mask() noexcept {
    mask_bytes = ::syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
}

/// The loader calls what stands here before the initialisers of all libraries.
__attribute__((section(".preinit_array"), used)) void (*before_libraries)() noexcept = keep_mask;

} // namespace

void return_to_start_cpus() noexcept {
    constexpr std::array binding{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
    // Only then: somebody who takes CPUs for his own may have moved this process meanwhile.
    const bool bound =
        std::ranges::any_of(binding, [](const char* name) { return std::getenv(name) != nullptr; });
    if (bound && mask_bytes > 0) {
        // Refused only where the CPUs have been taken away since.
        ::syscall(SYS_sched_setaffinity, 0, static_cast<unsigned long>(mask_bytes), mask);
    }
}

} // namespace regatta::command
