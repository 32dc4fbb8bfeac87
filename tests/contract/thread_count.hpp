// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many threads this program has. Linux only.

#include "support/eventually.hpp"

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <sys/types.h>
#include <thread>
#include <unistd.h>

namespace library_test {

/// The threads of this program, as the kernel counts them: one that was joined may still be listed.
inline std::ptrdiff_t threads_of_program() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

/// The same once a thread has come and gone: to compare later counts with. With the first thread
/// the thread sanitizer starts one of its own; and a count that has one on its way out in it would
/// be too high for ever.
inline std::ptrdiff_t threads_at_rest() {
    pid_t id = 0;
    std::thread([&id] { id = ::gettid(); }).join();
    await([&] { return !std::filesystem::exists("/proc/self/task/" + std::to_string(id)); });
    return threads_of_program();
}

} // namespace library_test
