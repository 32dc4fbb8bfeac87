// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/worker_context.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using regatta::detail::block_cache;
using regatta::detail::block_magazine;
using regatta::detail::block_store;
using regatta::detail::worker_context;

} // namespace

TEST(block_store, has_a_class_for_every_size) {
    EXPECT_EQ(block_store::class_of(0), 0u);
    EXPECT_EQ(block_store::class_of(1), 0u);
    EXPECT_EQ(block_store::class_of(64), 0u);
    EXPECT_EQ(block_store::class_of(65), 1u);
    EXPECT_EQ(block_store::class_of(128), 1u);
    EXPECT_EQ(block_store::class_of(129), 2u);
    EXPECT_EQ(block_store::class_of(256), 2u);
    EXPECT_EQ(block_store::class_of(257), 3u);
    EXPECT_EQ(block_store::class_of(512), 3u);
    EXPECT_EQ(block_store::class_of(513), block_store::classes);
    EXPECT_EQ(block_store::class_of(8, 128), block_store::classes);
    for (std::size_t size = 1; size <= block_store::largest_block; ++size) {
        EXPECT_LE(size, block_store::size_of(block_store::class_of(size)));
    }
}

TEST(block_cache, gives_blocks_that_do_not_overlap) {
    block_cache cache;
    block_store& store = cache.store();
    for (const std::size_t size : {1u, 64u, 100u, 256u, 300u, 512u, 2000u}) {
        std::vector<unsigned char*> blocks;
        for (int i = 0; i < 3000; ++i) {
            blocks.push_back(static_cast<unsigned char*>(store.take(size)));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % regatta::cache_line_size,
                      0u);
            std::memset(blocks.back(), i % 251, size);
        }
        EXPECT_EQ(cache.taken(), blocks.size());
        for (int i = 0; i < 3000; ++i) {
            for (std::size_t b = 0; b < size; ++b) {
                ASSERT_EQ(blocks[static_cast<std::size_t>(i)][b], i % 251);
            }
            store.give_back(blocks[static_cast<std::size_t>(i)], size);
        }
        EXPECT_EQ(cache.taken(), 0u);
    }
}

TEST(block_cache, gives_the_same_blocks_again) {
    block_cache cache;
    block_store& store = cache.store();
    std::set<void*> first;
    std::vector<void*> blocks(5000);
    for (int round = 0; round < 3; ++round) {
        for (void*& block : blocks) {
            block = store.take(64);
            if (round == 0) {
                first.insert(block);
            }
            EXPECT_TRUE(first.contains(block));
        }
        for (void* block : blocks) {
            store.give_back(block, 64);
        }
    }
    EXPECT_EQ(first.size(), blocks.size());
}

TEST(block_cache, aligns_as_told) {
    block_cache cache;
    void* const block = cache.store().take(300, 4096);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0u);
    cache.store().give_back(block, 300, 4096);
    EXPECT_EQ(cache.taken(), 0u);
}

// "It ends with its owner or with the last block that is out": the leak checker sees if not.
TEST(block_cache, outlives_its_owner_until_the_last_block_is_back) {
    auto cache = std::make_unique<block_cache>();
    block_store& store = cache->store();
    void* const small = store.take(10);
    void* const large = store.take(10000);
    void* const middle = store.take(200);
    cache.reset();
    std::memset(small, 1, 10);
    std::memset(large, 1, 10000);
    store.give_back(small, 10);
    store.give_back(large, 10000);
    std::memset(middle, 1, 200);
    store.give_back(middle, 200);
}

TEST(block_magazine, belongs_to_a_worker) {
    block_cache cache;
    EXPECT_THROW(block_magazine{cache}, std::logic_error);
    const worker_context context(&cache, 0);
    const block_magazine magazine(cache);
    EXPECT_THROW(block_magazine{cache}, std::logic_error);
}

TEST(block_magazine, carries_blocks_in_handfuls_and_brings_all_back) {
    block_cache cache;
    block_cache another;
    std::thread([&] {
        const worker_context context(&cache, 0);
        const block_magazine magazine(cache);
        std::vector<void*> blocks;
        for (int i = 0; i < 1000; ++i) {
            blocks.push_back(cache.store().take(64));
        }
        EXPECT_GE(cache.taken(), 1000u);
        EXPECT_LT(cache.taken(), 1100u);
        for (void* block : blocks) {
            cache.store().give_back(block, 64);
        }
        EXPECT_LT(cache.taken(), 100u);
        // Those of another store go back there at once.
        void* const foreign = another.store().take(64);
        EXPECT_EQ(another.taken(), 1u);
        another.store().give_back(foreign, 64);
        EXPECT_EQ(another.taken(), 0u);
    }).join();
    EXPECT_EQ(cache.taken(), 0u);
}

// Blocks go from an outside thread to a worker and back without end, and their number stays.
TEST(block_magazine, blocks_go_round_between_threads) {
    block_cache cache;
    std::set<void*> seen;
    for (int round = 0; round < 50; ++round) {
        std::vector<void*> blocks;
        for (int i = 0; i < 200; ++i) {
            blocks.push_back(cache.store().take(128));
            std::memset(blocks.back(), round, 128);
            seen.insert(blocks.back());
        }
        std::thread([&] {
            const worker_context context(&cache, 0);
            const block_magazine magazine(cache);
            for (void* block : blocks) {
                cache.store().give_back(block, 128);
            }
        }).join();
        EXPECT_EQ(cache.taken(), 0u);
    }
    EXPECT_EQ(seen.size(), 200u);
}
