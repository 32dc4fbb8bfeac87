// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The system calls behind shared segments: creating, locking, checking and removing their files.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <cstddef>
#include <string>

namespace regatta::detail {

/// What limits the size of a new segment.
enum class room { of_file_system, of_machine };

/// Creates an unnamed file in the segments' file system. It disappears unless `give_name` names it.
unique_descriptor unnamed_segment_file(const std::string& operation);

/// A file of an anonymous segment, and what limits it.
struct anonymous_file {
    unique_descriptor file;
    room where;
};

/// Creates one in memory; where the kernel or a sandbox refuses that, an unnamed one in the file
/// system of named segments.
anonymous_file anonymous_segment_file(const std::string& label, const std::string& operation);

/// Forbids all later changes, by the seals of fcntl(2). @returns false: the file or the kernel
/// has no such seals. Failure: `std::system_error` for another reason.
bool try_seal_segment(int file, int seals, const std::string& operation);

/// Sets the file's mode and allocates all its pages. A size that cannot fit is refused before any
/// page is allocated, because allocating them could make the kernel kill processes for memory.
void allocate_segment(int file, std::size_t total, room where, const std::string& operation);

/// Gives pages to a part of the file that never had any; the file has its mode already. Failure:
/// the part has none then, unless it is sealed against later changes.
void fill_segment(int file, std::size_t offset, std::size_t bytes, room where,
                  const std::string& operation);

/// Takes the lock of a user, and marks the segment as used. Both last as long as the descriptor and
/// its duplicates.
/// Failure: EBUSY if another process holds the lock that excludes users for a second.
void lock_shared(int file, const std::string& operation);

/// How `lock_exclusive` ended.
enum class lock_outcome {
    locked,
    in_use,     ///< A user has the segment.
    kept_locked ///< Another process has the same lock, or a user the lock but no mark.
};

/// Takes the lock that excludes every user. The file may be open for reading only.
/// Blocks: while another process holds the same lock, which takes an instant; for a second at most.
lock_outcome lock_exclusive(int file, const std::string& operation);

/// Links an unnamed, complete file under its name.
/// Failure: EEXIST.
void give_name(int file, const std::string& path, const std::string& operation);

/// Whether the path names the open file, and not a later file of the same name.
bool is_file_of(const char* path, int file) noexcept;

/// Removes the path if it names the open file. The caller holds the shared lock, so that no process
/// replaces the segment meanwhile; callers of this take turns by another lock, so that none removes
/// what a third process has named after the removal by another.
/// Blocks: while another user of the segment does the same, for a second at most: then the name
/// stays.
void remove_name(const char* path, int file) noexcept;

/// Opens a named segment of this user and takes the shared lock. Retries if the name passed to
/// another segment in between.
unique_descriptor open_locked_segment(const std::string& path, const std::string& operation);

/// Whether the file begins with the magic number of a segment.
bool has_magic(int file) noexcept;

/// Removes a named segment that no process uses. Does nothing if there is none.
/// Failure: EBUSY if in use, or locked for a second; EPROTO if the file is not a segment; EPERM if
/// it is another user's or open to others; EACCES if its mode keeps its own user out.
void remove_unused_segment(const std::string& path, const std::string& operation);

} // namespace regatta::detail
