// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Memory for tasks and futures that is recycled instead of returned to the heap.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/sync/adaptive_mutex.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <mutex>
#include <new>
#include <span>
#include <thread>
#include <utility>

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
    chain_waiter<future_world>* waiting =
        nullptr; ///< Workers that sleep until a continuation completes.
};

/// Keeps free blocks of a few sizes on shelves, one shelf a size. Workers take and return handfuls
/// of blocks (`block_magazine`), other threads single blocks. A `block_cache` makes the store,
/// which may outlive it: the store ends with its owner or with the last block in use, whichever is
/// later.
///
/// A shelf is a stack of addresses. Each slab of memory starts with one stack place for each of its
/// blocks. So every block finds a place, and returning a block never allocates.
///
/// Threads: any.
/// Blocks: while another thread takes or returns.
/// Failure: `take` may throw `std::bad_alloc`.
/// Cost: a lock that is rarely contended, and no access to the block itself.
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

    /// A slab: this header, then the stack places for its blocks, then the blocks.
    struct slab {
        slab* older;
        slab* newer;
        std::size_t count;

        void** places() noexcept { return reinterpret_cast<void**>(this + 1); }
    };
    /// The blocks of one size. Guarded by the lock.
    struct shelf {
        slab* top = nullptr;        ///< The slab that holds the top of the stack.
        std::size_t in_top = 0;     ///< How many of its places are filled.
        slab* newest = nullptr;     ///< The last slab in the list.
        std::byte* fresh = nullptr; ///< The blocks of the newest slab that were never used.
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
        void add(slab* more, std::size_t size) noexcept {
            more->older = newest;
            (newest != nullptr ? newest->newer : top) = more;
            newest = more;
            fresh_end = reinterpret_cast<std::byte*>(more) + slab_bytes(more->count, size);
            fresh = fresh_end - more->count * size;
        }
    };

    static constexpr std::size_t smallest_slab = 16 * 1024;
    static constexpr std::size_t largest_slab = 1024 * 1024;

    explicit block_store(const void* pool) noexcept : pool_(pool) {}
    ~block_store() {
        for (shelf& s : shelves_) {
            for (slab* old = s.newest; old != nullptr;) {
                slab* const next = old->older;
                ::operator delete (static_cast<void*>(old), std::align_val_t{block_alignment});
                old = next;
            }
        }
    }

    static constexpr std::size_t slab_bytes(std::size_t count, std::size_t size) noexcept {
        const std::size_t front = sizeof(slab) + count * sizeof(void*);
        return (front + block_alignment - 1) / block_alignment * block_alignment + count * size;
    }

    /// One block, for a thread without a magazine. It stays inline, as does `give_one`: such
    /// threads call them for each task with a future.
    void* take_one(unsigned size_class) {
        shelf& s = shelves_[size_class];
        const std::size_t size = size_of(size_class);
        lock_.lock();
        while (s.empty()) {
            grow(s, size);
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
        lock_.lock();
        shelves_[size_class].push(block);
        leave(1);
    }
    /// Fills `blocks` from the shelf with as many as there are, but at least one.
    /// @returns how many.
    REGATTA_APART REGATTA_POOLS_API std::size_t take_shared(unsigned size_class,
                                                            std::span<void*> blocks);
    /// Adds a slab to the shelf, twice as large as the newest, within limits. The lock, which the
    /// caller holds, is not held during the call of the heap.
    REGATTA_RARE REGATTA_POOLS_API void grow(shelf& s, std::size_t size);
    REGATTA_APART REGATTA_POOLS_API void give_shared(unsigned size_class,
                                                     std::span<void* const> blocks) noexcept;
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
        workers_ = &worker;
    }
    void unlist(const worker_context& worker) noexcept {
        const std::lock_guard lock(lock_);
        worker_context** at = &workers_;
        while (*at != &worker) {
            at = &(*at)->next;
        }
        *at = worker.next;
    }

    alignas(destructive_alignment) adaptive_mutex lock_;
    std::array<shelf, classes> shelves_;
    std::size_t out_ = 0;               ///< Blocks in use or in magazines. Guarded by the lock.
    bool orphaned_ = false;             ///< The owner has been destroyed. Guarded by the lock.
    worker_context* workers_ = nullptr; ///< Those with a magazine. Guarded by the lock.
    const void* const pool_;
    const process_stamp stamp_;
    alignas(destructive_alignment) future_links links_;
};

/// Owns the blocks of one pool.
///
/// It may be destroyed before the objects in its blocks (a future may outlive its pool), but not
/// before a magazine.
/// Cost: the peak memory stays allocated until the cache and its last block are gone.
class block_cache {
public:
    /// @param pool the pool whose tasks use these blocks: its workers may run them.
    REGATTA_APART REGATTA_POOLS_API explicit block_cache(const void* pool = nullptr);
    block_cache(const block_cache&) = delete;
    block_cache& operator=(const block_cache&) = delete;
    REGATTA_APART REGATTA_POOLS_API ~block_cache();

    block_store& store() const noexcept { return *store_; }
    /// The number of blocks in use or in magazines.
    std::size_t taken() const noexcept {
        const std::lock_guard lock(store_->lock_);
        return store_->out_;
    }

private:
    block_store* const store_;
};

/// The free blocks of the calling worker. It takes and returns blocks without a lock. It exchanges
/// a handful with the store when it has none or too many.
///
/// Threads: one worker's. Its `worker_context` exists before and after.
class block_magazine {
public:
    REGATTA_APART REGATTA_POOLS_API explicit block_magazine(block_cache& cache);
    block_magazine(const block_magazine&) = delete;
    block_magazine& operator=(const block_magazine&) = delete;
    REGATTA_APART REGATTA_POOLS_API ~block_magazine();

private:
    friend class block_store;

    static constexpr std::size_t handful = 32;
    struct rounds {
        std::size_t count = 0;
        std::array<void*, 2 * handful> blocks;
    };

    void* take(unsigned size_class) {
        rounds& r = rounds_[size_class];
        if (r.count == 0) {
            r.count = store_->take_shared(size_class, {r.blocks.data(), handful});
        }
        return r.blocks[--r.count];
    }
    void give_back(void* block, unsigned size_class) noexcept {
        rounds& r = rounds_[size_class];
        if (r.count == r.blocks.size()) {
            // Returns the blocks that have rested longest; the others are still in this core's
            // cache.
            store_->give_shared(size_class, {r.blocks.data(), handful});
            std::copy(r.blocks.begin() + handful, r.blocks.end(), r.blocks.begin());
            r.count -= handful;
        }
        r.blocks[r.count++] = block;
    }

    block_store* const store_;
    std::array<rounds, block_store::classes> rounds_;
};

inline void* block_store::take(std::size_t size, std::size_t alignment) {
    const unsigned size_class = class_of(size, alignment);
    if (size_class == classes) {
        return take_large(size, alignment);
    }
    const worker_context* const context = worker_context::current();
    if (context != nullptr && context->magazine != nullptr && context->magazine->store_ == this) {
        return context->magazine->take(size_class);
    }
    return take_one(size_class);
}

inline void block_store::give_back(void* block, std::size_t size, std::size_t alignment) noexcept {
    const unsigned size_class = class_of(size, alignment);
    if (size_class == classes) {
        return give_large(block, alignment);
    }
    const worker_context* const context = worker_context::current();
    if (context != nullptr && context->magazine != nullptr && context->magazine->store_ == this) {
        return context->magazine->give_back(block, size_class);
    }
    give_one(block, size_class);
}

#if REGATTA_POOLS_DEFINITIONS

std::size_t block_store::take_shared(unsigned size_class, std::span<void*> blocks) {
    shelf& s = shelves_[size_class];
    const std::size_t size = size_of(size_class);
    lock_.lock();
    while (s.empty()) {
        grow(s, size);
    }
    std::size_t taken = 0;
    do {
        blocks[taken++] = s.pop(size);
    } while (taken < blocks.size() && !s.empty());
    out_ += taken;
    lock_.unlock();
    return taken;
}
void block_store::grow(shelf& s, std::size_t size) {
    const slab* const newest = s.newest;
    const std::size_t bytes =
        newest == nullptr ? smallest_slab : std::min(largest_slab, 2 * newest->count * size);
    lock_.unlock();
    const std::size_t count = bytes / size;
    slab* const more =
        ::new (::operator new (slab_bytes(count, size), std::align_val_t{block_alignment}))
            slab{nullptr, nullptr, count};
    lock_.lock();
    if (s.empty()) {
        s.add(more, size);
    } else { // Another thread was faster, or a block has come back.
        lock_.unlock();
        ::operator delete (static_cast<void*>(more), std::align_val_t{block_alignment});
        lock_.lock();
    }
}
void block_store::give_shared(unsigned size_class, std::span<void* const> blocks) noexcept {
    if (elsewhere()) [[unlikely]] {
        return;
    }
    lock_.lock();
    for (void* const block : blocks) {
        shelves_[size_class].push(block);
    }
    leave(blocks.size());
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
block_cache::block_cache(const void* pool) : store_(new block_store(pool)) {}
block_cache::~block_cache() {
    if (store_->elsewhere()) {
        return;
    }
    store_->lock_.lock();
    store_->orphaned_ = true;
    store_->leave(0);
}
block_magazine::block_magazine(block_cache& cache) : store_(&cache.store()) {
    worker_context* const context = worker_context::current();
    if (context == nullptr || context->magazine != nullptr) {
        fail_state("a block_magazine is constructed once, on a worker's thread");
    }
    context->magazine = this;
    store_->enlist(*context);
}
block_magazine::~block_magazine() {
    worker_context* const context = worker_context::current();
    context->magazine = nullptr;
    if (!store_->elsewhere()) {
        store_->unlist(*context);
    }
    for (unsigned c = 0; c < block_store::classes; ++c) {
        store_->give_shared(c, {rounds_[c].blocks.data(), rounds_[c].count});
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
