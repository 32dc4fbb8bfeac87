// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A file without a name that takes what a program writes.

#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>

#include <cerrno>
#include <cstddef>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace regatta::race {

/// A file in memory. As somebody's standard output it never fills up and needs nobody to read it.
///
/// Threads: like a string. Failure: `std::system_error` where it cannot be made.
class memory_file {
public:
    memory_file() : descriptor_(::memfd_create("regatta-output", MFD_CLOEXEC)) {
        if (!descriptor_) {
            fail_system(errno, "make a file in memory");
        }
    }

    int descriptor() const noexcept { return descriptor_.get(); }

    /// All that was written to it so far.
    std::string text() const {
        std::string all;
        char part[4096];
        ssize_t got = 0;
        while ((got = ::pread(descriptor(), part, sizeof part, static_cast<off_t>(all.size()))) >
               0) {
            all.append(part, static_cast<std::size_t>(got));
        }
        return all;
    }

    /// The last line of it that is not empty.
    std::string last_line() const {
        std::string all = text();
        all.erase(all.find_last_not_of(" \n") + 1);
        return all.substr(all.rfind('\n') + 1);
    }

private:
    detail::unique_descriptor descriptor_;
};

} // namespace regatta::race
