// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The number of CPU numbers of the machine.

#include <regatta/base/config.hpp>

#include <algorithm>
#include <cstdio>
#include <thread>

namespace regatta::detail {

/// One more than the largest CPU number that this machine can have, CPUs that are off included: the
/// width of the kernel's masks. `available_cpus` tells how many CPUs this process may use.
///
/// Threads: any.
/// Failure: never; without `/sys` it returns the standard library's count, at least 1.
inline unsigned configured_cpus() noexcept {
    // "0-127", seldom "0,2-5": the last number of the line is the largest.
    unsigned last = 0;
    bool found = false;
    if (std::FILE* file =
            std::fopen("/sys/devices/system/cpu/possible", REGATTA_LINUX ? "re" : "r")) {
        unsigned number = 0;
        bool in_number = false;
        for (int c = std::fgetc(file);; c = std::fgetc(file)) {
            if (c >= '0' && c <= '9') {
                number = number * 10 + static_cast<unsigned>(c - '0');
                in_number = true;
                continue;
            }
            if (in_number) {
                last = number;
                found = true;
            }
            number = 0;
            in_number = false;
            if (c == EOF) {
                break;
            }
        }
        std::fclose(file);
    }
    return found ? last + 1 : std::max(1u, std::thread::hardware_concurrency());
}

} // namespace regatta::detail
