// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The free blocks of a pool, which all threads share.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/core/detail/block_shelf.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/sync/adaptive_mutex.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <thread>

namespace regatta::detail {

template<class World>
class basic_future_state;
template<class World>
struct chain_waiter;
struct future_world;

/// The lock on the links between the futures of one pool. It is held to follow or remove the link
/// from a continuation to the task that it continues.
struct future_links {
    adaptive_mutex lock;
    chain_waiter<future_world>* waiting = nullptr; ///< Workers that wait for a continuation.
};

/// The memory nodes of the machine; a test makes up others.
struct block_nodes {
    unsigned count = platform::memory_nodes();
    /// The node of the CPU that the calling thread runs on. Asked only if there are several.
    unsigned (*here)() noexcept = &platform::node_of_this_thread;
};

/// Keeps free blocks of a few sizes on shelves, one shelf a size. Workers take and return handfuls
/// of blocks (`block_magazine`), other threads single blocks. A `block_cache` makes the store,
/// which may outlive it: the store ends with its owner or with the last block in use, whichever is
/// later.
///
/// A machine of several memory nodes has one shelf a size and node. A thread gets blocks of its own
/// node: a worker of the node on which it started, other threads of the node on which they run.
/// Every block returns to the shelf of its own node. The system places a page on the node of the
/// thread that first writes to it: this is a thread that took blocks of that node. A worker that
/// moves to another node keeps its shelf; the pages that it then is the first to write lie there.
///
/// Threads: any.
/// Blocks: while another thread takes or returns.
/// Failure: `take` may throw `std::bad_alloc`.
/// Cost: a lock that is rarely contended, and no access to the block itself. With several nodes a
/// return also reads the first line of the block's chunk, threads without a magazine ask for their
/// CPU, and the lock is held for one page fault a chunk.
class block_store {
public:
    /// Blocks up to this size are recycled. Larger ones come from the heap each time.
    static constexpr std::size_t largest_block = 512;
    static constexpr unsigned classes = 4; ///< Of 64, 128, 256 and 512 bytes.
    static constexpr std::size_t block_alignment = cache_line_size;

    /// The shelf for a size; `classes` if none fits. Blocks are aligned to a cache line.
    static constexpr unsigned class_of(std::size_t size, std::size_t alignment = 1) noexcept {
        return size > largest_block || alignment > block_alignment
                   ? classes
                   : static_cast<unsigned>(std::bit_width((size - (size != 0)) / block_alignment));
    }
    static constexpr std::size_t size_of(unsigned size_class) noexcept {
        return block_alignment << size_class;
    }

    block_store(const block_store&) = delete;
    block_store& operator=(const block_store&) = delete;

    /// A block of `size` bytes. It must be returned with the same size and alignment.
    inline void* take(std::size_t size, std::size_t alignment = 1);
    inline void give_back(void* block, std::size_t size, std::size_t alignment = 1) noexcept;

    /// The pool whose tasks use these blocks.
    const void* pool() const noexcept { return pool_; }
    /// The links between the futures of this store.
    future_links& links() noexcept { return links_; }
    /// The worker of the pool that the calling thread is, or null, from any module of the program.
    REGATTA_APART REGATTA_POOLS_API worker_context* find_worker() noexcept;
    /// Whether this process is a fork of the one with the pool's workers: then nothing is taken or
    /// given back any more, since a thread that does not exist here may hold the lock.
    bool elsewhere() const noexcept { return stamp_.elsewhere(); }

private:
    friend class block_cache;
    friend class block_magazine;

    using shelves = std::array<block_shelf, classes>;

    block_store(const void* pool, const block_nodes& nodes)
        : nodes_(nodes.count)
        , pool_(pool)
        , far_(several_nodes() ? std::make_unique<shelves[]>(nodes_ - 1) : nullptr)
        , here_(nodes.here) {}
    REGATTA_APART REGATTA_POOLS_API ~block_store();

    bool several_nodes() const noexcept { return nodes_ > 1; }
    /// The node of the calling thread. A node that was not there when the store was made counts as
    /// node 0.
    unsigned node_here() const noexcept {
        const unsigned node = several_nodes() ? here_() : 0;
        return node < nodes_ ? node : 0;
    }
    block_shelf& shelf_of(unsigned node, unsigned size_class) noexcept {
        return (node == 0 ? shelves_ : far_[node - 1])[size_class];
    }

    /// One block, for a thread without a magazine. It stays inline, as does `give_one`: such
    /// threads call them for each task with a future.
    void* take_one(unsigned size_class) {
        if (several_nodes()) [[unlikely]] {
            return take_here(size_class);
        }
        block_shelf& s = shelves_[size_class];
        const std::size_t size = size_of(size_class);
        lock_.lock();
        while (s.empty()) {
            grow(s, 0, size);
        }
        void* const block = s.pop(size);
        ++out_;
        lock_.unlock();
        return block;
    }
    void give_one(void* block, unsigned size_class) noexcept {
        if (elsewhere()) [[unlikely]] {
            return;
        }
        if (several_nodes()) [[unlikely]] {
            return give_home(block, size_class);
        }
        lock_.lock();
        shelves_[size_class].push(block);
        leave(1);
    }
    /// Fills `blocks` from the shelf of that node with as many as there are, but at least one.
    /// @returns how many.
    REGATTA_APART REGATTA_POOLS_API std::size_t take_shared(unsigned size_class, unsigned node,
                                                            std::span<void*> blocks);
    /// Opens the next chunk of a shelf that is empty, or adds a slab, twice as large as the newest,
    /// within limits. The lock, which the caller holds, is not held during the call of the heap.
    REGATTA_RARE REGATTA_POOLS_API void grow(block_shelf& s, unsigned node, std::size_t size);
    /// Returns each block to its own node.
    REGATTA_APART REGATTA_POOLS_API void give_shared(unsigned size_class,
                                                     std::span<void* const> blocks) noexcept;
    /// As `take_one` and `give_one`, with several nodes.
    REGATTA_APART REGATTA_POOLS_API void* take_here(unsigned size_class);
    REGATTA_APART REGATTA_POOLS_API void give_home(void* block, unsigned size_class) noexcept;
    /// Counts blocks as returned and unlocks. May destroy the store.
    void leave(std::size_t count) noexcept {
        out_ -= count;
        const bool last = orphaned_ && out_ == 0;
        lock_.unlock();
        if (last) {
            delete this;
        }
    }
    REGATTA_RARE REGATTA_POOLS_API void* take_large(std::size_t size, std::size_t alignment);
    REGATTA_RARE REGATTA_POOLS_API void give_large(void* block, std::size_t alignment) noexcept;
    void enlist(worker_context& worker) noexcept {
        const std::lock_guard lock(lock_);
        worker.next = workers_;
        worker.previous = &workers_;
        if (workers_ != nullptr) {
            workers_->previous = &worker.next;
        }
        workers_ = &worker;
    }
    /// Takes constant time: at the end of a pool all of its workers call it at once.
    void unlist(const worker_context& worker) noexcept {
        const std::lock_guard lock(lock_);
        *worker.previous = worker.next;
        if (worker.next != nullptr) {
            worker.next->previous = worker.previous;
        }
    }

    // What never changes has a line of its own: whoever reads it does not fetch that of the lock.
    alignas(destructive_alignment) const unsigned nodes_; ///< Their number.
    const void* const pool_;
    const process_stamp stamp_;
    const std::unique_ptr<shelves[]> far_; ///< Of the other nodes. Guarded by the lock.
    unsigned (*const here_)() noexcept;
    alignas(destructive_alignment) adaptive_mutex lock_;
    shelves shelves_;                   ///< Of node 0. Guarded by the lock.
    std::size_t out_ = 0;               ///< Blocks in use or in magazines. Guarded by the lock.
    bool orphaned_ = false;             ///< The owner has been destroyed. Guarded by the lock.
    worker_context* workers_ = nullptr; ///< Those with a magazine. Guarded by the lock.
    alignas(destructive_alignment) future_links links_;
};

#if REGATTA_POOLS_DEFINITIONS

block_store::~block_store() {
    for (unsigned node = 0; node < nodes_; ++node) {
        for (unsigned c = 0; c < classes; ++c) {
            shelf_of(node, c).destroy(size_of(c), several_nodes());
        }
    }
}
std::size_t block_store::take_shared(unsigned size_class, unsigned node, std::span<void*> blocks) {
    block_shelf& s = shelf_of(node, size_class);
    const std::size_t size = size_of(size_class);
    lock_.lock();
    while (s.empty()) {
        grow(s, node, size);
    }
    std::size_t taken = 0;
    do {
        blocks[taken++] = s.pop(size);
    } while (taken < blocks.size() && !s.empty());
    out_ += taken;
    lock_.unlock();
    return taken;
}
void block_store::grow(block_shelf& s, unsigned node, std::size_t size) {
    const bool chunked = several_nodes();
    if (std::byte* const chunk = chunked ? s.next_chunk() : nullptr; chunk != nullptr) {
        return s.open(chunk, size, node);
    }
    const std::size_t newest = s.newest != nullptr ? s.newest->count : 0;
    lock_.unlock();
    block_slab* const more = block_slab::make(newest, size, chunked);
    lock_.lock();
    if (s.empty() && !(chunked && s.next_chunk() != nullptr)) {
        s.add(more, size, chunked);
    } else { // Another thread was faster, or a block has come back.
        lock_.unlock();
        more->destroy(size, chunked);
        lock_.lock();
    }
}
void block_store::give_shared(unsigned size_class, std::span<void* const> blocks) noexcept {
    if (elsewhere()) [[unlikely]] {
        return;
    }
    lock_.lock();
    for (void* const block : blocks) {
        const unsigned node = several_nodes() ? block_chunk::home(block) : 0;
        shelf_of(node, size_class).push(block);
    }
    leave(blocks.size());
}
void* block_store::take_here(unsigned size_class) {
    void* block = nullptr;
    take_shared(size_class, node_here(), {&block, 1});
    return block;
}
void block_store::give_home(void* block, unsigned size_class) noexcept {
    give_shared(size_class, {&block, 1});
}
void* block_store::take_large(std::size_t size, std::size_t alignment) {
    void* const block =
        ::operator new (size, std::align_val_t{std::max(alignment, block_alignment)});
    const std::lock_guard lock(lock_);
    ++out_;
    return block;
}
void block_store::give_large(void* block, std::size_t alignment) noexcept {
    ::operator delete (block, std::align_val_t{std::max(alignment, block_alignment)});
    if (!elsewhere()) {
        lock_.lock();
        leave(1);
    }
}
worker_context* block_store::find_worker() noexcept {
    const std::lock_guard lock(lock_);
    worker_context* at = workers_;
    while (at != nullptr && at->thread != std::this_thread::get_id()) {
        at = at->next;
    }
    return at;
}

#endif

} // namespace regatta::detail
