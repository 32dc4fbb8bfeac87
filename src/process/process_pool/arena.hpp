// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Anonymous shared memory of a size that is reserved at once and filled as it is needed.

#include "process/segment_file.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

/// A mapping of memory that processes share: a header of one page, then the data. It has no name,
/// and goes with the last process that has it.
///
/// Threads: like an int. Failure: `std::system_error`, naming the operation.
class arena {
public:
    static constexpr std::size_t header_bytes = 4096;

    /// Reserves `size` bytes, of which none can be used before `fill`.
    /// @param sealed_for_others no later mapping may write, where the kernel can refuse that.
    static arena reserve(const std::string& label, std::size_t size, std::uint64_t layout,
                         bool sealed_for_others);
    /// Maps what another process reserved. Failure: EPROTO if the descriptor is of something else.
    static arena attach(int descriptor, std::uint64_t layout, bool writable);

    arena() = default;
    arena(arena&& other) noexcept { swap(other); }
    arena& operator=(arena&& other) noexcept {
        arena taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~arena();

    std::byte* data() const noexcept { return static_cast<std::byte*>(mapping_) + header_bytes; }
    std::size_t size() const noexcept { return mapped_ - header_bytes; }
    int descriptor() const noexcept { return descriptor_.get(); }

    /// Gives pages to a part of the data, so that no access to it can fail.
    /// Failure: ENOMEM, ENOSPC.
    void fill(std::size_t offset, std::size_t bytes, const std::string& operation) const;

private:
    void map(std::size_t total, bool writable, const std::string& operation);
    void swap(arena& other) noexcept;

    unique_descriptor descriptor_;
    void* mapping_ = nullptr;
    std::size_t mapped_ = 0;
    room where_ = room::of_machine; ///< What `fill` takes its pages of.
};

/// Which parts of an arena are given out: first fit, in whole blocks.
///
/// Threads: like an int.
class arena_space {
public:
    static constexpr std::size_t block = 4096;

    explicit arena_space(const arena& memory) noexcept : memory_(&memory) {}

    /// Gives out `bytes`, all zeros. @returns the offset. Failure: `std::system_error` ENOMEM.
    std::size_t take(std::size_t bytes, const std::string& operation);

    /// A part that is given out before it has all its pages and is all zeros.
    struct reservation {
        std::size_t offset;
        std::size_t used;  ///< Bytes at its begin that an earlier owner may have written to.
        std::size_t fresh; ///< Bytes after them, which have no pages.
    };
    /// The first half of `take`, without its effects on the memory.
    reservation reserve(std::size_t bytes, const std::string& operation);
    /// The second half, of which only the failure to get pages is left.
    /// Threads: any, while others call the other members: it reads nothing that they change.
    void prepare(const reservation& made, const std::string& operation) const;
    /// Takes back the last reservation, of which `prepare` failed.
    void withdraw(const reservation& failed) noexcept;

    /// Takes back the `bytes` that were asked for and begin at `offset`. @returns false: there are
    /// no such, or more or fewer.
    bool give_back(std::size_t offset, std::size_t bytes) noexcept;
    /// Whether all these bytes lie in one part that is given out.
    bool has(std::size_t offset, std::size_t bytes) const noexcept;

private:
    struct part {
        std::size_t offset;
        std::size_t bytes;
        bool taken;
        std::size_t asked = 0; ///< How many of the bytes, if it is taken.
    };

    void make_free(std::vector<part>::iterator p) noexcept;

    const arena* memory_;
    std::size_t end_ = 0;     ///< Where what was never given out begins.
    std::size_t free_ = 0;    ///< Bytes before that, in all, that are not given out.
    std::vector<part> parts_; ///< All before that, in order.
};

} // namespace regatta::detail
