// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the free blocks of one size lie: slabs, and the shelf that stacks their blocks.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/platform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace regatta::detail {

/// On a machine of several memory nodes blocks lie in chunks, each for one node. A chunk begins at
/// a multiple of its size. Its first line tells the node and is only read after that.
struct block_chunk {
    static constexpr std::size_t bytes = std::size_t{64} * 1024;

    static constexpr std::size_t blocks(std::size_t size) noexcept {
        return (bytes - cache_line_size) / size;
    }
    /// The node that the block belongs to.
    static unsigned home(void* block) noexcept {
        const auto offset = reinterpret_cast<std::uintptr_t>(block) % bytes;
        return reinterpret_cast<const block_chunk*>(static_cast<std::byte*>(block) - offset)->node;
    }

    unsigned node;
};

/// The head of some blocks of one size. Stack places for all of them follow it. On a machine of one
/// memory node the blocks lie behind the places, otherwise in chunks in front of the head.
struct block_slab {
    static constexpr std::size_t smallest = std::size_t{16} * 1024; ///< A chunk, where it has some.
    static constexpr std::size_t largest = std::size_t{1024} * 1024;

    block_slab* older;
    block_slab* newer;
    std::size_t count; ///< Of blocks.

    void** places() noexcept { return reinterpret_cast<void**>(this + 1); }
    /// The first byte of the blocks, or of the chunks.
    std::byte* memory(std::size_t size, bool chunked) noexcept {
        auto* const head = reinterpret_cast<std::byte*>(this);
        return chunked ? head - chunks(size) * block_chunk::bytes : head + front(count);
    }

    /// A slab twice as large as `newest`, which may be null, within limits.
    static block_slab* make(std::size_t newest_count, std::size_t size, bool chunked) {
        const std::size_t wanted = 2 * newest_count;
        std::size_t count = 0;
        if (chunked) {
            constexpr std::size_t most = largest / block_chunk::bytes;
            const std::size_t each = block_chunk::blocks(size);
            count = std::clamp<std::size_t>(wanted / each, 1, most) * each;
        } else {
            count = std::clamp(wanted * size, smallest, largest) / size;
        }
        const std::size_t before =
            chunked ? count / block_chunk::blocks(size) * block_chunk::bytes : 0;
        const std::size_t behind = chunked ? 0 : count * size;
        auto* const start = static_cast<std::byte*>(
            ::operator new (before + front(count) + behind, std::align_val_t{alignment(chunked)}));
        if (chunked) { // The heap may have had it before, on another node.
            platform::renew_pages(start, before);
        }
        return ::new (start + before) block_slab{nullptr, nullptr, count};
    }
    void destroy(std::size_t size, bool chunked) noexcept {
        void* const start = chunked ? static_cast<void*>(memory(size, true)) : this;
        ::operator delete (start, std::align_val_t{alignment(chunked)});
    }

private:
    static constexpr std::size_t alignment(bool chunked) noexcept {
        return chunked ? block_chunk::bytes : cache_line_size;
    }
    /// The bytes of a head and its places, in whole cache lines.
    static constexpr std::size_t front(std::size_t count) noexcept {
        const std::size_t bytes = sizeof(block_slab) + count * sizeof(void*);
        return (bytes + cache_line_size - 1) / cache_line_size * cache_line_size;
    }
    std::size_t chunks(std::size_t size) const noexcept {
        return count / block_chunk::blocks(size);
    }
};

/// The free blocks of one size, of one memory node: a stack of addresses, and blocks that were
/// never used. Every block of its slabs finds a place, so returning a block never allocates.
///
/// Threads: guarded by the lock of the store.
struct block_shelf {
    block_slab* top = nullptr;    ///< The slab that holds the top of the stack.
    std::size_t in_top = 0;       ///< How many of its places are filled.
    block_slab* newest = nullptr; ///< The last slab in the list.
    std::byte* fresh = nullptr;   ///< The blocks of the newest slab that were never used: of its
                                  ///< last open chunk, where it has chunks.
    std::byte* fresh_end = nullptr;

    bool empty() const noexcept {
        return fresh == fresh_end && in_top == 0 && (top == nullptr || top->older == nullptr);
    }
    void* pop(std::size_t size) noexcept {
        if (in_top == 0) {
            if (top == nullptr || top->older == nullptr) {
                return std::exchange(fresh, fresh + size);
            }
            top = top->older;
            in_top = top->count;
        }
        return top->places()[--in_top];
    }
    void push(void* block) noexcept {
        if (in_top == top->count) {
            top = top->newer;
            in_top = 0;
        }
        top->places()[in_top++] = block;
    }
    /// Adds a slab, whose chunks are not open yet, where it has some.
    void add(block_slab* more, std::size_t size, bool chunked) noexcept {
        more->older = newest;
        (newest != nullptr ? newest->newer : top) = more;
        newest = more;
        fresh = more->memory(size, chunked);
        fresh_end = chunked ? fresh : fresh + more->count * size;
    }
    /// The next chunk of the newest slab, where all before it are used up; null if there is none.
    std::byte* next_chunk() const noexcept {
        const auto past = reinterpret_cast<std::uintptr_t>(fresh_end) % block_chunk::bytes;
        std::byte* const next = past == 0 ? fresh_end : fresh_end + (block_chunk::bytes - past);
        return next == reinterpret_cast<std::byte*>(newest) ? nullptr : next;
    }
    void open(std::byte* chunk, std::size_t size, unsigned node) noexcept {
        ::new (chunk) block_chunk{node};
        fresh = chunk + cache_line_size;
        fresh_end = fresh + block_chunk::blocks(size) * size;
    }
    void destroy(std::size_t size, bool chunked) noexcept {
        while (newest != nullptr) {
            std::exchange(newest, newest->older)->destroy(size, chunked);
        }
    }
};

} // namespace regatta::detail
