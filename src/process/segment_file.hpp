// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The system calls behind shared segments: making, locking, checking and removing their files.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <cstddef>
#include <string>

namespace regatta::detail {

/// What bounds the size of a new segment.
enum class room { of_file_system, of_machine };

/// A new file in the segments' file system that has no name yet; it vanishes if it never gets one.
unique_descriptor unnamed_segment_file(const std::string& operation);

/// Gives the file its mode and all its pages. What cannot fit is refused before any page is taken,
/// because taking them all first would make the kernel kill processes for memory.
void allocate_segment(int file, std::size_t total, room where, const std::string& operation);

void lock_shared(int file, const std::string& operation);

/// Takes the lock that excludes every user; false where the segment is in use.
bool try_lock_exclusive(int file, const std::string& operation);

/// Makes an unnamed file appear under its name, complete as it is. Failure: EEXIST.
void give_name(int file, const std::string& path, const std::string& operation);

/// Whether the path stands for the very file that is open, and not for a later one of its name.
bool is_file_of(const char* path, int file) noexcept;

/// Opens a named segment of this user and takes the users' lock. Starts again where the name was
/// given to another segment meanwhile.
unique_descriptor open_locked_segment(const std::string& path, const std::string& operation);

/// Whether the file begins as a segment does.
bool has_magic(int file) noexcept;

/// Removes a named segment that no process uses; nothing happens where there is none.
/// Failure: EBUSY in use; EPROTO no segment; EPERM another user's.
void remove_unused_segment(const std::string& path, const std::string& operation);

} // namespace regatta::detail
