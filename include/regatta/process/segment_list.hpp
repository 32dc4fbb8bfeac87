// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which segments of this library a machine has, and which processes use them.

#include <regatta/base/config.hpp>
#include <regatta/process/process_affinity.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// A process that has a segment open.
struct segment_user {
    process_number process = 0;
    std::string command; ///< Its name, as the kernel has it: 15 characters at most.
};

/// A segment, as `list_segments` found it.
struct segment_record {
    std::string name; ///< With its leading '/'; of an anonymous one, its label.
    bool anonymous = false;
    bool stale = false;          ///< No process uses it: a crash left it.
    std::uint32_t user = 0;      ///< The number of the user that it belongs to.
    std::uint64_t bytes = 0;     ///< Its size, header included.
    std::uint64_t allocated = 0; ///< Bytes of memory that it takes.
    /// The processes that have it open and can be seen, a parent before its children. Empty for a
    /// segment that is not stale: processes of another user or container use it.
    std::vector<segment_user> users;
};

/// The segments that this process may look at: the named ones whose name begins with `prefix`, by
/// name, then the anonymous ones whose label does. Segments of other users need root. Looks,
/// and changes nothing.
///
/// Threads: any. A segment that no visible process has open is locked for an instant to see whether
/// it is stale.
/// Failure: `std::system_error` if /dev/shm cannot be read.
/// Cost: a system call for each descriptor of each process of this user.
REGATTA_SYSTEM_API std::vector<segment_record> list_segments(std::string_view prefix = {});

} // namespace regatta
