// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Memory for tasks and futures that is recycled instead of returned to the heap.

#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_store.hpp>
#include <regatta/core/detail/worker_context.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

namespace regatta::detail {

/// Owns the blocks of one pool.
///
/// It may be destroyed before the objects in its blocks (a future may outlive its pool), but not
/// before a magazine.
/// Cost: the peak memory stays allocated until the cache and its last block are gone.
class block_cache {
public:
    /// @param pool the pool whose tasks use these blocks: its workers may run them.
    REGATTA_APART REGATTA_POOLS_API explicit block_cache(const void* pool = nullptr,
                                                         const block_nodes& nodes = {});
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
/// On a machine of several memory nodes it gives blocks of one node: that on which the worker runs
/// when it starts. It collects returned blocks of other nodes apart, a handful a size, and then
/// returns them with one lock. Up to 31 of a size wait in it for that.
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
    template<std::size_t Most>
    struct rounds {
        std::size_t count = 0;
        std::array<void*, Most> blocks;
    };

    void* take(unsigned size_class) {
        auto& r = rounds_[size_class];
        if (r.count == 0) {
            r.count = store_->take_shared(size_class, node_, {r.blocks.data(), handful});
        }
        return r.blocks[--r.count];
    }
    void give_back(void* block, unsigned size_class) noexcept {
        if (several_nodes_ && block_chunk::home(block) != node_) [[unlikely]] {
            return send_home(block, size_class);
        }
        auto& r = rounds_[size_class];
        if (r.count == r.blocks.size()) {
            return_handful(size_class);
        }
        r.blocks[r.count++] = block;
    }

    /// Makes room in a full stock.
    REGATTA_APART REGATTA_POOLS_API void return_handful(unsigned size_class) noexcept;
    /// Returns a block of another node, or keeps it until there is a handful.
    REGATTA_APART REGATTA_POOLS_API void send_home(void* block, unsigned size_class) noexcept;

    block_store* const store_;
    const bool several_nodes_;
    const unsigned node_; ///< That of the blocks that it gives.
    std::array<rounds<2 * handful>, block_store::classes> rounds_;
    std::array<rounds<handful>, block_store::classes> foreign_; ///< Blocks of other nodes.
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

block_cache::block_cache(const void* pool, const block_nodes& nodes)
    : store_(new block_store(pool, nodes)) {}
block_cache::~block_cache() {
    if (store_->elsewhere()) {
        return;
    }
    store_->lock_.lock();
    store_->orphaned_ = true;
    store_->leave(0);
}
block_magazine::block_magazine(block_cache& cache)
    : store_(&cache.store())
    , several_nodes_(store_->several_nodes())
    , node_(store_->node_here()) {
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
        if (foreign_[c].count != 0) {
            store_->give_shared(c, {foreign_[c].blocks.data(), foreign_[c].count});
        }
    }
}
void block_magazine::return_handful(unsigned size_class) noexcept {
    // The blocks that have rested longest; the others are still in this core's cache.
    auto& r = rounds_[size_class];
    store_->give_shared(size_class, {r.blocks.data(), handful});
    std::copy(r.blocks.begin() + handful, r.blocks.end(), r.blocks.begin());
    r.count -= handful;
}
void block_magazine::send_home(void* block, unsigned size_class) noexcept {
    auto& r = foreign_[size_class];
    r.blocks[r.count++] = block;
    if (r.count == r.blocks.size()) {
        store_->give_shared(size_class, {r.blocks.data(), r.count});
        r.count = 0;
    }
}

#endif

} // namespace regatta::detail
