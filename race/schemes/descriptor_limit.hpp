// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether this process may open as many files as a scheme is going to need.

#include "schemes/scheme.hpp"

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <sys/resource.h>

namespace regatta::race {

/// Throws `scheme_failure` if `count` more descriptors than are open now exceed the limit of this
/// process. For libraries that end the whole program when they cannot open one, as ZeroMQ does.
inline void require_descriptors(std::size_t count) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    const auto open =
        static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                                               std::filesystem::directory_iterator()));
    if (open + count > limit.rlim_cur) {
        throw scheme_failure("about " + std::to_string(open + count) +
                             " open files are needed for so many workers, and the limit is " +
                             std::to_string(limit.rlim_cur) + " (ulimit -n)");
    }
}

} // namespace regatta::race
