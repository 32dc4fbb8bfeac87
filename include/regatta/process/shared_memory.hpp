// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Memory that several processes map.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace regatta {
namespace detail {

enum class room;

} // namespace detail

/// A segment of shared memory: named, for processes that know nothing of each other, or anonymous,
/// for those that inherit its descriptor. Only the user who made it may open it (mode 0600).
///
/// A segment begins with a header of `header_size` bytes; a process whose layout differs gets an
/// error that names the field, and never foreign bytes. The data are zeros at first, and pages are
/// allocated at creation: where there is no room, creation fails, and no later access does.
///
/// **Who removes a name.** The object that made the segment (`create`, `replace`) removes its name
/// when it is destroyed, unless `keep_name` was called; objects that opened it never do. `unlink`
/// removes it at once, from any of them. Processes that have the segment keep it until they let go.
/// After a crash the name remains; `replace` takes it over, `remove_stale_segments` removes it.
/// An anonymous segment goes with its last user, whatever happens.
///
/// Every user of a named segment holds a shared lock of its file, which the kernel drops when the
/// process ends in any way; by that lock a segment in use is told from one that a crash left.
///
/// Threads: like an int; what is in the memory is the users' own business. A child of fork(2) must
/// leave with `_exit`, or it removes the names of its parent.
/// Failure: `std::system_error`, naming the operation and the segment; `std::invalid_argument` for
/// a wrong name or size.
/// Limits: an anonymous segment is sealed and cannot shrink under its users. A named one cannot be
/// sealed: a process of the same user that truncates the file kills them by SIGBUS.
class REGATTA_SYSTEM_API shared_memory {
public:
    /// Where the data begin in the segment, in bytes: for those that reach it by its descriptor.
    static constexpr std::size_t header_size = 128;

    /// Makes a named segment of `size` bytes. The name appears once the segment is complete.
    /// Failure: EEXIST if the name is taken (by whomever), ENOSPC if there is no room.
    static shared_memory create(std::string_view name, std::size_t size, std::uint64_t layout);

    /// Maps the segment of that name.
    /// Failure: ENOENT if there is none; EPERM if it is another user's or open to others; EPROTO,
    /// naming the field, if it is no segment, is of another version, layout or size.
    static shared_memory open(std::string_view name, std::uint64_t layout);

    /// Makes a named segment in the place of one that nobody uses any more, or of none.
    /// Failure: EBUSY if any process still uses the old one; EPROTO if the name belongs to a file
    /// that is no segment; EPERM if to another user's; otherwise as `create`.
    static shared_memory replace(std::string_view name, std::size_t size, std::uint64_t layout);

    /// Makes a segment without a name, to be inherited by child processes.
    /// @param label what `/proc/PID/maps` shows of it.
    static shared_memory anonymous(std::string_view label, std::size_t size, std::uint64_t layout);

    /// Maps a segment by a descriptor that this process inherited or was sent. The descriptor is
    /// duplicated: it stays the caller's, who may close it. Whoever passed it vouches for it, so
    /// neither owner nor mode is checked.
    /// Failure: EBADF; EPROTO, naming the field, if it is no segment or of another layout.
    static shared_memory attach(int inherited, std::uint64_t layout);

    /// Holds nothing; what a moved-from object is.
    shared_memory() = default;
    shared_memory(shared_memory&& other) noexcept;
    shared_memory& operator=(shared_memory&& other) noexcept;
    ~shared_memory();

    /// The data, aligned to 128 bytes; null where there is no segment.
    std::byte* data() const noexcept {
        return mapping_ == nullptr ? nullptr : static_cast<std::byte*>(mapping_) + header_size;
    }
    /// Bytes of data: what the creator asked for.
    std::size_t size() const noexcept { return mapping_ == nullptr ? 0 : mapped_ - header_size; }
    /// To be passed to a child process or over a socket; closed on exec; stays this object's.
    int descriptor() const noexcept { return descriptor_.get(); }
    /// With its leading '/'; empty for anonymous and attached segments.
    const std::string& name() const noexcept { return name_; }
    explicit operator bool() const noexcept { return mapping_ != nullptr; }

    /// Removes the name at once; the memory stays for those who have it. Nothing happens if there
    /// is no name, or if it stands for another segment by now.
    void unlink() noexcept;
    /// Leaves the name when this object is destroyed.
    void keep_name() noexcept { owns_name_ = false; }

private:
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

} // namespace regatta
