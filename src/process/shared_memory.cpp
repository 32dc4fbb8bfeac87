// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/shared_memory.hpp>

#include "process/segment_file.hpp"
#include "process/segment_header.hpp"
#include "process/segment_name.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace regatta {

static_assert(sizeof(detail::segment_header) == shared_memory::header_size);

shared_memory shared_memory::create(std::string_view name, std::size_t size, std::uint64_t layout) {
    const std::string checked = detail::checked_segment_name(name);
    const std::string operation = "create shared memory '" + checked + "'";
    shared_memory made = unnamed_of_file_system(operation, size, layout);
    made.take_name(checked, operation);
    return made;
}

shared_memory shared_memory::open(std::string_view name, std::uint64_t layout) {
    const std::string checked = detail::checked_segment_name(name);
    const std::string operation = "open shared memory '" + checked + "'";
    shared_memory opened;
    opened.descriptor_ = detail::open_locked_segment(detail::segment_path(checked), operation);
    opened.map_checked(layout, operation);
    opened.name_ = checked;
    return opened;
}

shared_memory shared_memory::replace(std::string_view name, std::size_t size,
                                     std::uint64_t layout) {
    const std::string checked = detail::checked_segment_name(name);
    const std::string operation = "replace shared memory '" + checked + "'";
    // First: where there is no room for it, the old one stays.
    shared_memory made = unnamed_of_file_system(operation, size, layout);
    detail::remove_unused_segment(detail::segment_path(checked), operation);
    made.take_name(checked, operation);
    return made;
}

shared_memory shared_memory::anonymous(std::string_view label, std::size_t size,
                                       std::uint64_t layout) {
    const std::string operation = "create anonymous memory '" + std::string(label) + "'";
    detail::anonymous_file file = detail::anonymous_segment_file(std::string(label), operation);
    shared_memory made = unnamed(operation, std::move(file.file), size, layout, file.where);
    detail::try_seal_segment(made.descriptor_.get(), F_SEAL_SHRINK | F_SEAL_GROW, operation);
    return made;
}

shared_memory shared_memory::attach(int inherited, std::uint64_t layout) {
    const std::string operation = "attach shared memory by descriptor " + std::to_string(inherited);
    shared_memory attached;
    attached.descriptor_ = detail::unique_descriptor(::fcntl(inherited, F_DUPFD_CLOEXEC, 3));
    if (!attached.descriptor_) {
        fail_system(errno, operation);
    }
    attached.map_checked(layout, operation);
    return attached;
}

shared_memory::shared_memory(shared_memory&& other) noexcept {
    swap(other);
}

shared_memory& shared_memory::operator=(shared_memory&& other) noexcept {
    shared_memory taken(std::move(other));
    swap(taken);
    return *this;
}

shared_memory::~shared_memory() {
    if (owns_name_) {
        remove_name();
    }
    if (mapping_ != nullptr) {
        ::munmap(mapping_, mapped_);
    }
}

void shared_memory::unlink() noexcept {
    if (!name_.empty()) {
        remove_name();
    }
    owns_name_ = false;
}

shared_memory shared_memory::unnamed_of_file_system(const std::string& operation, std::size_t size,
                                                    std::uint64_t layout) {
    shared_memory made = unnamed(operation, detail::unnamed_segment_file(operation), size, layout,
                                 detail::room::of_file_system);
    detail::lock_shared(made.descriptor_.get(), operation);
    return made;
}

void shared_memory::take_name(const std::string& name, const std::string& operation) {
    name_ = name; // First: once the file has its name, nothing may fail.
    detail::give_name(descriptor_.get(), detail::segment_path(name), operation);
    owns_name_ = true;
}

shared_memory shared_memory::unnamed(const std::string& operation, detail::unique_descriptor file,
                                     std::size_t size, std::uint64_t layout, detail::room room) {
    if (size == 0 ||
        size > static_cast<std::size_t>(PTRDIFF_MAX) - sizeof(detail::segment_header)) {
        fail_argument(operation + ": a size of " + std::to_string(size) +
                      " bytes is out of range; allowed are 1 to PTRDIFF_MAX - 128");
    }
    const std::size_t total = sizeof(detail::segment_header) + size;
    detail::allocate_segment(file.get(), total, room, operation);
    shared_memory made;
    made.descriptor_ = std::move(file);
    made.map(total, operation);
    (::new (made.mapping_) detail::segment_header)->publish(layout, total);
    return made;
}

void shared_memory::map(std::size_t total, const std::string& operation) {
    void* where = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
    if (where == MAP_FAILED) {
        fail_system(errno, operation + ": map " + std::to_string(total) + " bytes");
    }
    mapping_ = where;
    mapped_ = total;
}

void shared_memory::map_checked(std::uint64_t layout, const std::string& operation) {
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

void shared_memory::remove_name() noexcept {
    // Without memory of its own, which there may be none of.
    char path[32 + detail::max_segment_name];
    std::snprintf(path, sizeof path, "%s%s", detail::segment_directory, name_.c_str());
    detail::remove_name(path, descriptor_.get());
}

void shared_memory::swap(shared_memory& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_, other.mapped_);
    std::swap(name_, other.name_);
    std::swap(owns_name_, other.owns_name_);
}

} // namespace regatta
