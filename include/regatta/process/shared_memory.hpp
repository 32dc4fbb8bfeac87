// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Memory that several processes map.

#include "process/segment_file.hpp"
#include "process/segment_header.hpp"
#include "process/segment_name.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/layout.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace regatta {

/// A segment of shared memory: named, for processes that know nothing of each other, or anonymous,
/// for those that inherit its descriptor. Only the user who made it may open it (mode 0600).
///
/// A segment begins with a `segment_header`; a process whose layout differs gets an error that
/// names the field, and never foreign bytes. The data are zeros at first, and pages are allocated
/// at creation: where there is no room, creation fails, and no later access does.
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
class shared_memory {
public:
    /// Makes a named segment of `size` bytes. The name appears once the segment is complete.
    /// Failure: EEXIST if the name is taken (by whomever), ENOSPC if there is no room.
    static shared_memory create(std::string_view name, std::size_t size, std::uint64_t layout) {
        const std::string checked = detail::checked_segment_name(name);
        const std::string operation = "create shared memory '" + checked + "'";
        shared_memory made = unnamed(operation, detail::unnamed_segment_file(operation), size,
                                     layout, detail::room::of_file_system);
        detail::lock_shared(made.descriptor_.get(), operation);
        detail::give_name(made.descriptor_.get(), detail::segment_path(checked), operation);
        made.name_ = checked;
        made.owns_name_ = true;
        return made;
    }

    /// Maps the segment of that name.
    /// Failure: ENOENT if there is none; EPERM if it is another user's or open to others; EPROTO,
    /// naming the field, if it is no segment, is of another version, layout or size.
    static shared_memory open(std::string_view name, std::uint64_t layout) {
        const std::string checked = detail::checked_segment_name(name);
        const std::string operation = "open shared memory '" + checked + "'";
        shared_memory opened;
        opened.descriptor_ = detail::open_locked_segment(detail::segment_path(checked), operation);
        opened.map_checked(layout, operation);
        opened.name_ = checked;
        return opened;
    }

    /// Makes a named segment in the place of one that nobody uses any more, or of none.
    /// Failure: EBUSY if any process still uses the old one; EPROTO if the name belongs to a file
    /// that is no segment; EPERM if to another user's; otherwise as `create`.
    static shared_memory replace(std::string_view name, std::size_t size, std::uint64_t layout) {
        const std::string checked = detail::checked_segment_name(name);
        detail::remove_unused_segment(detail::segment_path(checked),
                                      "replace shared memory '" + checked + "'");
        return create(checked, size, layout);
    }

    /// Makes a segment without a name, to be inherited by child processes.
    /// @param label what `/proc/PID/maps` shows of it.
    static shared_memory anonymous(std::string_view label, std::size_t size, std::uint64_t layout) {
        const std::string operation = "create anonymous memory '" + std::string(label) + "'";
        const std::string text(label);
        detail::unique_descriptor file(
            ::memfd_create(text.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (!file) {
            fail_system(errno, operation);
        }
        shared_memory made =
            unnamed(operation, std::move(file), size, layout, detail::room::of_machine);
        if (::fcntl(made.descriptor_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
            fail_system(errno, operation + ": seal its size");
        }
        return made;
    }

    /// Maps a segment by a descriptor that this process inherited or was sent. The descriptor is
    /// duplicated: it stays the caller's, who may close it. Whoever passed it vouches for it, so
    /// neither owner nor mode is checked.
    /// Failure: EBADF; EPROTO, naming the field, if it is no segment or of another layout.
    static shared_memory attach(int inherited, std::uint64_t layout) {
        const std::string operation =
            "attach shared memory by descriptor " + std::to_string(inherited);
        shared_memory attached;
        attached.descriptor_ = detail::unique_descriptor(::fcntl(inherited, F_DUPFD_CLOEXEC, 3));
        if (!attached.descriptor_) {
            fail_system(errno, operation);
        }
        attached.map_checked(layout, operation);
        return attached;
    }

    /// Holds nothing; what a moved-from object is.
    shared_memory() = default;
    shared_memory(shared_memory&& other) noexcept { swap(other); }
    shared_memory& operator=(shared_memory&& other) noexcept {
        shared_memory taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~shared_memory() {
        if (owns_name_) {
            remove_name();
        }
        if (mapping_ != nullptr) {
            ::munmap(mapping_, mapped_);
        }
    }

    /// The data, aligned to 128 bytes; null where there is no segment.
    std::byte* data() const noexcept {
        return mapping_ == nullptr
                   ? nullptr
                   : static_cast<std::byte*>(mapping_) + sizeof(detail::segment_header);
    }
    /// Bytes of data: what the creator asked for.
    std::size_t size() const noexcept {
        return mapping_ == nullptr ? 0 : mapped_ - sizeof(detail::segment_header);
    }
    /// To be passed to a child process or over a socket; closed on exec; stays this object's.
    int descriptor() const noexcept { return descriptor_.get(); }
    /// With its leading '/'; empty for anonymous and attached segments.
    const std::string& name() const noexcept { return name_; }
    explicit operator bool() const noexcept { return mapping_ != nullptr; }

    /// Removes the name at once; the memory stays for those who have it. Nothing happens if there
    /// is no name, or if it stands for another segment by now.
    void unlink() noexcept {
        if (!name_.empty()) {
            remove_name();
        }
        owns_name_ = false;
    }
    /// Leaves the name when this object is destroyed.
    void keep_name() noexcept { owns_name_ = false; }

private:
    static shared_memory unnamed(const std::string& operation, detail::unique_descriptor file,
                                 std::size_t size, std::uint64_t layout, detail::room room) {
        if (size == 0 ||
            size > static_cast<std::size_t>(PTRDIFF_MAX) - sizeof(detail::segment_header)) {
            fail_argument(operation + ": a size of " + std::to_string(size) +
                          " bytes is not possible");
        }
        const std::size_t total = sizeof(detail::segment_header) + size;
        detail::allocate_segment(file.get(), total, room, operation);
        shared_memory made;
        made.descriptor_ = std::move(file);
        made.map(total, operation);
        (::new (made.mapping_) detail::segment_header)->publish(layout, total);
        return made;
    }

    void map(std::size_t total, const std::string& operation) {
        void* where =
            ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
        if (where == MAP_FAILED) {
            fail_system(errno, operation + ": map " + std::to_string(total) + " bytes");
        }
        mapping_ = where;
        mapped_ = total;
    }

    void map_checked(std::uint64_t layout, const std::string& operation) {
        struct stat status {};
        if (::fstat(descriptor_.get(), &status) != 0) {
            fail_system(errno, operation);
        }
        const auto total = static_cast<std::size_t>(status.st_size);
        if (!S_ISREG(status.st_mode) || total < sizeof(detail::segment_header)) {
            fail_system(EPROTO, operation + ": size: expected at least " +
                                    std::to_string(sizeof(detail::segment_header)) + ", found " +
                                    std::to_string(total) + " (is it a segment?)");
        }
        map(total, operation);
        static_cast<const detail::segment_header*>(mapping_)->check(operation, layout, total);
    }

    void remove_name() noexcept {
        // Nobody can replace the segment between the look and the removal: this object's lock
        // forbids it.
        const std::string path = detail::segment_path(name_);
        if (detail::is_file_of(path.c_str(), descriptor_.get())) {
            ::unlink(path.c_str());
        }
    }

    void swap(shared_memory& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(mapping_, other.mapping_);
        std::swap(mapped_, other.mapped_);
        std::swap(name_, other.name_);
        std::swap(owns_name_, other.owns_name_);
    }

    detail::unique_descriptor descriptor_;
    void* mapping_ = nullptr;
    std::size_t mapped_ = 0;
    std::string name_;
    bool owns_name_ = false;
};

} // namespace regatta
