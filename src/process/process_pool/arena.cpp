// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/arena.hpp"

#include "process/file_size_signal.hpp"
#include "process/segment_file.hpp"
#include "process/segment_header.hpp"
#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

arena arena::reserve(const std::string& label, std::size_t size, std::uint64_t layout,
                     bool sealed_for_others) {
    const std::string operation = "reserve memory of " + label;
    arena made;
    anonymous_file file = anonymous_segment_file(label, operation);
    made.descriptor_ = std::move(file.file);
    made.where_ = file.where;
    const std::size_t total = header_bytes + size;
    {
        const file_size_signal_block no_signal;
        if (::ftruncate(made.descriptor_.get(), static_cast<off_t>(total)) != 0) {
            fail_system(errno, operation + ": " + std::to_string(size) + " bytes");
        }
    }
    allocate_segment(made.descriptor_.get(), header_bytes, made.where_, operation);
    made.map(total, true, operation);
    (::new (made.mapping_) segment_header)->publish(layout, total);
    const int file_number = made.descriptor_.get();
    // Where there are no seals a worker's own mapping of the input is read-only all the same.
    if (try_seal_segment(file_number, F_SEAL_SHRINK | F_SEAL_GROW, operation) &&
        sealed_for_others) {
        try_seal_segment(file_number, F_SEAL_FUTURE_WRITE, operation);
    }
    return made;
}

arena arena::attach(int descriptor, std::uint64_t layout, bool writable) {
    const std::string operation =
        "attach memory of a process pool by descriptor " + std::to_string(descriptor);
    arena attached;
    attached.descriptor_ = unique_descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    struct stat status {};
    if (!attached.descriptor_ || ::fstat(attached.descriptor_.get(), &status) != 0) {
        fail_system(errno, operation);
    }
    const auto total = static_cast<std::size_t>(status.st_size);
    if (!S_ISREG(status.st_mode) || total < header_bytes) {
        fail_system(EPROTO, operation + ": size: expected at least " +
                                std::to_string(header_bytes) + ", found " + std::to_string(total));
    }
    attached.map(total, writable, operation);
    static_cast<const segment_header*>(attached.mapping_)->check(operation, layout, total);
    return attached;
}

arena::~arena() {
    if (mapping_ != nullptr) {
        ::munmap(mapping_, mapped_);
    }
}

void arena::fill(std::size_t offset, std::size_t bytes, const std::string& operation) const {
    fill_segment(descriptor_.get(), header_bytes + offset, bytes, where_, operation);
}

void arena::map(std::size_t total, bool writable, const std::string& operation) {
    void* where = ::mmap(nullptr, total, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                         MAP_SHARED | MAP_NORESERVE, descriptor_.get(), 0);
    if (where == MAP_FAILED) {
        const char* const locked =
            errno == EAGAIN ? " (after mlockall: \"ulimit -l\" is reached)" : "";
        fail_system(errno, operation + ": map " + std::to_string(total) + " bytes" + locked);
    }
    mapping_ = where;
    mapped_ = total;
}

void arena::swap(arena& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_, other.mapped_);
    std::swap(where_, other.where_);
}

std::size_t arena_space::take(std::size_t bytes, const std::string& operation) {
    const reservation made = reserve(bytes, operation);
    try {
        prepare(made, operation);
    } catch (...) {
        withdraw(made);
        throw;
    }
    return made.offset;
}

arena_space::reservation arena_space::reserve(std::size_t bytes, const std::string& operation) {
    if (bytes > memory_->size()) {
        fail_system(ENOMEM, operation);
    }
    const std::size_t asked = bytes;
    bytes = std::max(block, (bytes + block - 1) / block * block);
    if (parts_.size() == parts_.capacity()) {
        parts_.reserve(2 * parts_.size() + 1); // From here on no memory is needed for the records.
    }
    for (auto p = parts_.begin(); free_ >= bytes && p != parts_.end(); ++p) {
        if (!p->taken && p->bytes >= bytes) {
            free_ -= bytes;
            const part rest{p->offset + bytes, p->bytes - bytes, false};
            *p = {p->offset, bytes, true, asked};
            const std::size_t offset = p->offset;
            if (rest.bytes != 0) {
                parts_.insert(p + 1, rest);
            }
            return {offset, bytes, 0};
        }
    }
    // What is free at the end is a beginning, too small by itself.
    const bool grows = !parts_.empty() && !parts_.back().taken;
    const std::size_t begun = grows ? parts_.back().bytes : 0;
    const std::size_t lacking = bytes - begun;
    if (lacking > memory_->size() - end_) {
        fail_system(ENOMEM, operation);
    }
    if (grows) {
        parts_.back() = {end_ - begun, bytes, true, asked};
        free_ -= begun;
    } else {
        parts_.push_back({end_, bytes, true, asked});
    }
    end_ += lacking;
    return {end_ - bytes, begun, lacking};
}

void arena_space::prepare(const reservation& made, const std::string& operation) const {
    if (made.fresh != 0) {
        memory_->fill(made.offset + made.used, made.fresh, operation);
    }
    std::memset(memory_->data() + made.offset, 0, made.used);
}

void arena_space::withdraw(const reservation& failed) noexcept {
    end_ -= failed.fresh;
    parts_.back().bytes -= failed.fresh;
    if (parts_.back().bytes == 0) {
        parts_.pop_back();
    } else {
        make_free(parts_.end() - 1);
    }
}

bool arena_space::give_back(std::size_t offset, std::size_t bytes) noexcept {
    const auto p =
        std::lower_bound(parts_.begin(), parts_.end(), offset,
                         [](const part& one, std::size_t wanted) { return one.offset < wanted; });
    if (p == parts_.end() || p->offset != offset || !p->taken || p->asked != bytes) {
        return false;
    }
    make_free(p);
    return true;
}

void arena_space::make_free(std::vector<part>::iterator p) noexcept {
    p->taken = false;
    free_ += p->bytes;
    const auto join = [this](auto first) {
        if (first + 1 != parts_.end() && !first->taken && !(first + 1)->taken) {
            first->bytes += (first + 1)->bytes;
            parts_.erase(first + 1);
        }
    };
    join(p);
    if (p != parts_.begin()) {
        join(p - 1);
    }
}

bool arena_space::has(std::size_t offset, std::size_t bytes) const noexcept {
    const auto after =
        std::upper_bound(parts_.begin(), parts_.end(), offset,
                         [](std::size_t wanted, const part& one) { return wanted < one.offset; });
    if (after == parts_.begin()) {
        return false;
    }
    const part& p = *(after - 1);
    return p.taken && offset - p.offset <= p.bytes && bytes <= p.bytes - (offset - p.offset);
}

} // namespace regatta::detail
