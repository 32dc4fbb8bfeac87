// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Blocks on machines of several memory nodes, which these tests make up.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/core/detail/block_cache.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#if REGATTA_LINUX
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using regatta::detail::block_cache;
using regatta::detail::block_chunk;
using regatta::detail::block_magazine;
using regatta::detail::block_nodes;
using regatta::detail::block_store;
using regatta::detail::worker_context;

thread_local unsigned node_here = 0; ///< The node that this thread says it runs on.

block_nodes made_up(unsigned count) {
    return {.count = count, .here = []() noexcept { return node_here; }};
}

std::vector<void*> take(block_cache& cache, unsigned node, std::size_t size, std::size_t count) {
    node_here = node;
    std::vector<void*> blocks(count);
    for (void*& block : blocks) {
        block = cache.store().take(size);
        std::memset(block, 0xAB, size);
    }
    return blocks;
}
void give_back(block_cache& cache, unsigned node, std::size_t size, std::span<void* const> blocks) {
    node_here = node;
    for (void* block : blocks) {
        cache.store().give_back(block, size);
    }
}
std::set<unsigned> homes(const std::vector<void*>& blocks) {
    std::set<unsigned> found;
    for (void* block : blocks) {
        found.insert(block_chunk::home(block));
    }
    return found;
}
std::set<void*> set_of(const std::vector<void*>& blocks) {
    return {blocks.begin(), blocks.end()};
}

/// Runs `use` in a thread that is a worker of the cache, on that node.
template<class Use>
void as_worker(block_cache& cache, unsigned node, Use use) {
    std::thread([&] {
        node_here = node;
        const worker_context context(&cache, 0);
        const block_magazine magazine(cache);
        use();
    }).join();
}

} // namespace

TEST(block_nodes, a_thread_gets_blocks_of_its_node_and_every_block_goes_home) {
    for (const std::size_t size : {64u, 128u, 256u, 512u}) {
        block_cache cache(nullptr, made_up(3));
        constexpr std::size_t count = 5000; // Slabs of one chunk, of two, of four and so on.
        const auto at_0 = take(cache, 0, size, count);
        const auto at_2 = take(cache, 2, size, count);
        EXPECT_EQ(homes(at_0), std::set<unsigned>{0});
        EXPECT_EQ(homes(at_2), std::set<unsigned>{2});
        EXPECT_EQ(set_of(at_0).size(), count);
        std::set<std::uintptr_t> lines; // No two blocks overlap, and none is the head of a chunk.
        for (void* block : at_0) {
            const auto address = reinterpret_cast<std::uintptr_t>(block);
            EXPECT_EQ(address % regatta::cache_line_size, 0u);
            EXPECT_NE(address % block_chunk::bytes, 0u);
            EXPECT_LE(address % block_chunk::bytes + size, block_chunk::bytes);
            for (std::size_t b = 0; b < size; b += regatta::cache_line_size) {
                EXPECT_TRUE(lines.insert(address + b).second);
            }
        }
        give_back(cache, 1, size, at_0); // On another node than that of the blocks.
        give_back(cache, 0, size, at_2);
        EXPECT_EQ(cache.taken(), 0u);
        const auto again = take(cache, 2, size, count);
        EXPECT_EQ(set_of(again), set_of(at_2));
        const auto other = take(cache, 0, size, count);
        EXPECT_EQ(set_of(other), set_of(at_0));
        give_back(cache, 2, size, again);
        give_back(cache, 2, size, other);
    }
}

// "A node that was not there when the store was made counts as node 0."
TEST(block_nodes, an_unknown_node_counts_as_the_first) {
    block_cache cache(nullptr, made_up(2));
    const auto blocks = take(cache, 7, 64, 10);
    EXPECT_EQ(homes(blocks), std::set<unsigned>{0});
    give_back(cache, 7, 64, blocks);
    as_worker(cache, 7, [&] {
        const auto own = take(cache, 1, 64, 10);
        EXPECT_EQ(homes(own), std::set<unsigned>{0});
        give_back(cache, 7, 64, own);
    });
    EXPECT_EQ(cache.taken(), 0u);
}

// "It gives blocks of one node: that on which the worker runs when it starts."
TEST(block_nodes, a_magazine_gives_blocks_of_the_node_where_its_worker_started) {
    block_cache cache(nullptr, made_up(2));
    as_worker(cache, 1, [&] {
        const auto blocks = take(cache, 0, 128, 1000); // The worker has moved to node 0.
        EXPECT_EQ(homes(blocks), std::set<unsigned>{1});
        give_back(cache, 0, 128, blocks);
        EXPECT_LT(cache.taken(), 100u); // The others are on the shelf.
    });
    EXPECT_EQ(cache.taken(), 0u);
}

// "It collects returned blocks of other nodes apart, a handful a size, and then returns them."
TEST(block_nodes, a_magazine_sends_blocks_of_other_nodes_home_by_handfuls) {
    block_cache cache(nullptr, made_up(3));
    const auto at_0 = take(cache, 0, 64, 50);
    const auto at_2 = take(cache, 2, 64, 50);
    as_worker(cache, 1, [&] {
        const std::span<void* const> first(at_0);
        give_back(cache, 1, 64, first.first(31));
        EXPECT_EQ(cache.taken(), 100u);
        give_back(cache, 1, 64, first.subspan(31, 1));
        EXPECT_EQ(cache.taken(), 68u);
        // Those of several nodes go together, each home.
        give_back(cache, 1, 64, first.subspan(32));
        EXPECT_EQ(cache.taken(), 68u);
        give_back(cache, 1, 64, std::span<void* const>(at_2).first(14));
        EXPECT_EQ(cache.taken(), 36u);
        // None of them is given to this worker, nor does another size wait for a handful.
        const auto own = take(cache, 1, 64, 200);
        EXPECT_EQ(homes(own), std::set<unsigned>{1});
        give_back(cache, 1, 64, own);
        give_back(cache, 1, 64, std::span<void* const>(at_2).subspan(14));
    });
    EXPECT_EQ(cache.taken(), 0u);
    const auto again_2 = take(cache, 2, 64, 50);
    const auto again_0 = take(cache, 0, 64, 50);
    EXPECT_EQ(set_of(again_2), set_of(at_2));
    EXPECT_EQ(set_of(again_0), set_of(at_0));
    give_back(cache, 0, 64, again_2);
    give_back(cache, 0, 64, again_0);
}

TEST(block_nodes, a_store_without_its_owner_takes_back_the_blocks_of_all_nodes) {
    auto cache = std::make_unique<block_cache>(nullptr, made_up(2));
    block_store& store = cache->store();
    const auto at_0 = take(*cache, 0, 256, 300);
    const auto at_1 = take(*cache, 1, 512, 300);
    void* const large = store.take(1000);
    cache.reset();
    node_here = 1;
    store.give_back(large, 1000);
    for (void* block : at_0) {
        std::memset(block, 1, 256);
        store.give_back(block, 256);
    }
    for (void* block : at_1) {
        std::memset(block, 1, 512);
        store.give_back(block, 512); // The last one ends the store: the leak checker sees if not.
    }
}

// Blocks go from each thread to each other, with and without a magazine, and stay what they are.
TEST(block_nodes, blocks_go_round_between_threads_of_all_nodes) {
    constexpr unsigned nodes = 2;
    constexpr unsigned rounds = REGATTA_THREAD_SANITIZER ? 100 : 400;
    block_cache cache(nullptr, made_up(nodes));
    std::mutex lock;
    std::vector<void*> passed; // Guarded by the lock.
    const auto exchange = [&](unsigned node) {
        for (unsigned round = 0; round < rounds; ++round) {
            auto blocks = take(cache, node, 512, 40);
            EXPECT_EQ(homes(blocks), std::set<unsigned>{node});
            {
                const std::lock_guard guard(lock);
                blocks.swap(passed);
            }
            give_back(cache, node, 512, blocks);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 2 * nodes; ++i) {
        threads.emplace_back([&, i] { exchange(i % nodes); });
        threads.emplace_back([&, i] { as_worker(cache, i % nodes, [&] { exchange(i % nodes); }); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    give_back(cache, 0, 512, passed);
    EXPECT_EQ(cache.taken(), 0u);
}

#if REGATTA_LINUX
// "Then nothing is taken or given back any more", by no way.
TEST(block_nodes, a_fork_gives_nothing_back) {
    block_cache cache(nullptr, made_up(2));
    const auto at_0 = take(cache, 0, 64, 40);
    const auto at_1 = take(cache, 1, 64, 40);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        give_back(cache, 0, 64, std::span<void* const>(at_1).first(5));
        bool kept = cache.taken() == 80;
        {
            node_here = 1;
            const worker_context context(&cache, 0);
            const block_magazine magazine(cache);
            give_back(cache, 1, 64, at_0);
            kept = kept && cache.taken() == 80;
        }
        ::_exit(kept && cache.taken() == 80 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    give_back(cache, 0, 64, at_1);
    give_back(cache, 0, 64, at_0);
    EXPECT_EQ(cache.taken(), 0u);
}
#endif

// With a single node nobody asks for it, and the blocks lie as they always did: in slabs that
// begin with 16 KiB of blocks and double.
TEST(block_nodes, a_single_node_costs_nothing) {
    static bool asked = false;
    asked = false;
    block_cache cache(nullptr, {.count = 1, .here = []() noexcept {
                                    asked = true;
                                    return 0u;
                                }});
    for (const std::size_t size : {64u, 128u, 256u, 512u}) {
        std::vector<void*> blocks;
        for (const std::size_t bytes : {16u, 32u, 64u, 128u, 256u, 512u, 1024u, 1024u}) {
            const auto slab = take(cache, 0, size, bytes * 1024 / size);
            for (std::size_t i = 1; i < slab.size(); ++i) {
                ASSERT_EQ(static_cast<std::byte*>(slab[i]) - static_cast<std::byte*>(slab[0]),
                          static_cast<std::ptrdiff_t>(i * size));
            }
            blocks.insert(blocks.end(), slab.begin(), slab.end());
        }
        give_back(cache, 0, size, blocks);
        // The last block that came back is the next one.
        void* const next = cache.store().take(size);
        EXPECT_EQ(next, blocks.back());
        cache.store().give_back(next, size);
        as_worker(cache, 0, [&] {
            auto* const first = static_cast<std::byte*>(cache.store().take(size));
            EXPECT_EQ(cache.taken(), 32u); // A handful.
            give_back(cache, 0, size, std::vector<void*>{first});
        });
        EXPECT_EQ(cache.taken(), 0u);
    }
    EXPECT_FALSE(asked);
}

#if REGATTA_LINUX
// "1 + the last number of a list as "0-1,4"; 1 if the file has a single number or cannot be read."
TEST(block_nodes, are_counted_from_the_lists_of_the_kernel) {
    namespace platform = regatta::detail::platform;
    const auto path =
        std::filesystem::temp_directory_path() / ("regatta_nodes." + std::to_string(::getpid()));
    const auto nodes_in = [&](const char* text) {
        std::FILE* const file = std::fopen(path.c_str(), "w");
        EXPECT_NE(file, nullptr);
        std::fputs(text, file);
        std::fclose(file);
        return platform::listed_nodes(path.c_str());
    };
    EXPECT_EQ(nodes_in("0\n"), 1u);
    EXPECT_EQ(nodes_in("12\n"), 1u);
    EXPECT_EQ(nodes_in("\n"), 1u);
    EXPECT_EQ(nodes_in(""), 1u);
    EXPECT_EQ(nodes_in("0-1\n"), 2u);
    EXPECT_EQ(nodes_in("0-1,4\n"), 5u);
    EXPECT_EQ(nodes_in("0,8-15\n"), 16u);
    std::filesystem::remove(path);
    EXPECT_EQ(platform::listed_nodes(path.c_str()), 1u);
    EXPECT_LT(platform::node_of_this_thread(), 1024u);
    EXPECT_GE(platform::memory_nodes(), 1u);
}
#endif
