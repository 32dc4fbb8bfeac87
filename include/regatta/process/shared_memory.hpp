// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Memory that processes share, and the segments of it that a machine has.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// Hash of a text that names a layout: a type and its version ("matrices v2").
///
/// Source: FNV-1a, 64 bits (Fowler, Noll, Vo).
constexpr std::uint64_t layout_hash(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return hash;
}

/// Hash of a text and of the size and alignment of `T`. It detects a member that was added without
/// a new text, but not one that was replaced by another of the same size.
template<class T>
constexpr std::uint64_t layout_hash(std::string_view text) noexcept {
    std::uint64_t hash = layout_hash(text);
    for (std::size_t number : {sizeof(T), alignof(T)}) {
        for (int byte = 0; byte < 8; ++byte, number >>= 8) {
            hash = (hash ^ (number & 0xff)) * 0x100000001b3u;
        }
    }
    return hash;
}

namespace detail {

enum class room;

} // namespace detail

/// A segment of shared memory: named, for unrelated processes, or anonymous, for processes that
/// inherit its descriptor. Only the user that created it may open it (mode 0600).
///
/// A segment begins with a header of `header_size` bytes. A process whose layout differs gets an
/// error that names the field, and never foreign bytes. The data start as zeros. All pages are
/// allocated at creation: without enough memory creation fails, and no later access does.
///
/// **Removal of a name.** The object that made the segment (`create`, `replace`) removes its name
/// when it is destroyed, unless `keep_name` was called. Objects that opened the segment never
/// remove it on destruction. `unlink` removes it immediately, from any of them; existing mappings
/// stay valid. After a crash the name remains: `replace` takes it over, `remove_stale_segments`
/// removes it. An anonymous segment disappears with its last user, crash or not.
///
/// Every user of a named segment holds a shared lock on its file (flock(2)), and one for reading on
/// its first byte (fcntl(2), an open file description lock). The kernel drops both when the process
/// ends in any way. The first distinguishes a segment in use from one that a crash left, the second
/// a user from a process that looks.
///
/// Threads: like an int; users synchronise access to the data themselves. A child of fork(2) must
/// leave with `_exit`, or it removes the names of its parent.
/// Failure: `std::system_error`, which names the operation and the segment; `std::invalid_argument`
/// for an invalid name or size.
/// Limits: an anonymous segment is sealed and cannot shrink under its users, where the kernel has
/// seals (`kernel_gaps`). A named one cannot be
/// sealed: a process of the same user that truncates the file kills its users by SIGBUS.
class REGATTA_SYSTEM_API shared_memory {
public:
    /// The offset of the data in the segment, in bytes, for users that map its descriptor
    /// themselves.
    static constexpr std::size_t header_size = 128;

    /// Makes a named segment of `size` bytes. The name appears once the segment is complete.
    /// Failure: EEXIST if the name is taken, by any user. ENOSPC if /dev/shm has no room, ENOMEM
    /// without enough memory, EFBIG beyond RLIMIT_FSIZE.
    static shared_memory create(std::string_view name, std::size_t size, std::uint64_t layout);

    /// Maps the segment of that name.
    /// Failure: ENOENT if there is none. EPERM if it belongs to another user or is open to others;
    /// EACCES if its mode keeps its own user out, unless that is root. EPROTO, which names the
    /// field, if the file is not a segment or its version, layout or size differs; EISDIR if it is
    /// a directory, ELOOP if a symbolic link, ENXIO if a socket. EBUSY if another process that
    /// looks whether it is in use, or replaces it, does not end that within a second, as one that a
    /// signal has stopped in it.
    /// Blocks: for that second at most.
    static shared_memory open(std::string_view name, std::uint64_t layout);

    /// Makes a named segment in the place of one of that name that no process uses any more. The
    /// old one is removed once the new one has its memory: where that fails, the old one stays.
    /// Failure: EBUSY if any process still uses the old one, or one that looks at it does not end
    /// that within a second, as `open`. EEXIST if another one was made at the same time. EPROTO if
    /// the name belongs to a file that is not a segment; EISDIR, ELOOP, ENXIO, EPERM and EACCES as
    /// `open`. Otherwise as `create`.
    /// Blocks: for that second at most.
    static shared_memory replace(std::string_view name, std::size_t size, std::uint64_t layout);

    /// Makes a segment without a name, to be inherited by child processes.
    /// @param label the name that `/proc/PID/maps` shows; at most 249 bytes.
    static shared_memory anonymous(std::string_view label, std::size_t size, std::uint64_t layout);

    /// Maps a segment by a descriptor that this process inherited or received. The descriptor is
    /// duplicated: the caller keeps its own and may close it. Neither owner nor mode is checked:
    /// the process that passed the descriptor vouches for it.
    /// Failure: EBADF; EPROTO, which names the field, if the file is not a segment or its layout
    /// differs.
    static shared_memory attach(int inherited, std::uint64_t layout);

    /// No segment; the state of a moved-from object.
    shared_memory() = default;
    shared_memory(shared_memory&& other) noexcept;
    shared_memory& operator=(shared_memory&& other) noexcept;
    ~shared_memory();

    /// The data, aligned to 128 bytes; null without a segment.
    std::byte* data() const noexcept {
        return mapping_ == nullptr ? nullptr : static_cast<std::byte*>(mapping_) + header_size;
    }
    /// Bytes of data, as the creator asked for.
    std::size_t size() const noexcept { return mapping_ == nullptr ? 0 : mapped_ - header_size; }
    /// For passing to a child process or over a socket. Closed on exec; owned by this object.
    int descriptor() const noexcept { return descriptor_.get(); }
    /// With its leading '/'; empty for anonymous and attached segments.
    const std::string& name() const noexcept { return name_; }
    explicit operator bool() const noexcept { return mapping_ != nullptr; }

    /// Removes the name immediately; existing mappings stay valid. Does nothing without a name, or
    /// if the name belongs to another segment by then.
    /// Blocks: while another process does the same, for a second at most: where a signal has
    /// stopped that one in it, the name stays.
    void unlink() noexcept;
    /// Lets the name outlive this object.
    void keep_name() noexcept { owns_name_ = false; }

private:
    /// A segment in /dev/shm without a name, locked as one in use.
    static shared_memory unnamed_of_file_system(const std::string& operation, std::size_t size,
                                                std::uint64_t layout);
    /// Makes it appear under that name, which this object then removes.
    void take_name(const std::string& name, const std::string& operation);
    static shared_memory unnamed(const std::string& operation, detail::unique_descriptor file,
                                 std::size_t size, std::uint64_t layout, detail::room room);
    void map(std::size_t total, const std::string& operation);
    void map_checked(std::uint64_t layout, const std::string& operation);
    void remove_name() noexcept;
    void swap(shared_memory& other) noexcept;

    detail::unique_descriptor descriptor_;
    void* mapping_ = nullptr;
    std::size_t mapped_ = 0;
    std::string name_;
    bool owns_name_ = false;
};

/// The names of this user's named segments that begin with `prefix` and that no process uses: a
/// crash left them, or `keep_name`. Never lists files that are not segments, or segments of other
/// users.
///
/// Threads: any. Concurrent looks at a segment, and a `replace` of it, wait for one another.
/// Blocks: while another process looks at a segment or replaces it, a second at most for each. One
/// that does not end that, as one that a signal has stopped in it, counts as a user.
/// Failure: `std::system_error` if the directory cannot be read.
REGATTA_SYSTEM_API std::vector<std::string> stale_segments(std::string_view prefix);

/// Removes the segments that `stale_segments` lists, and returns the names of those removed.
REGATTA_SYSTEM_API std::vector<std::string> remove_stale_segments(std::string_view prefix);

/// A process that has the file of a segment open.
struct segment_user {
    std::int32_t process = 0; ///< Its `process_number`.
    std::string command;      ///< Its name, as the kernel has it: 15 characters at most.
};

/// A segment, as `list_segments` found it.
struct segment_record {
    std::string name; ///< With its leading '/'; of an anonymous one, its label.
    bool anonymous = false;
    /// No process uses it: left by a crash, or by `keep_name`. One may still have its file open.
    bool stale = false;
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
/// Threads: any. A segment that no process uses is locked for an instant to see that it is stale.
/// Blocks: as `stale_segments`.
/// Failure: `std::system_error` if /dev/shm cannot be read.
/// Cost: a system call for each descriptor of each process of this user.
REGATTA_SYSTEM_API std::vector<segment_record> list_segments(std::string_view prefix = {});

} // namespace regatta
