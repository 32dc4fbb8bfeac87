// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "contract/counting_new.hpp"
#include "process/process_pool/arena.hpp"
#include "process/process_pool/job_table.hpp"
#include "process/process_pool/oom_kills.hpp"
#include "process/process_pool/pool_arenas.hpp"
#include "process/segment_header.hpp"
#include "segment_fixture.hpp"
#include "support/eventually.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/shared_memory.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <new>
#include <random>
#include <thread>
#include <vector>

namespace {

/// Instead of each allocation of pages while it is set. @returns the error of the allocation.
std::function<int()> fills; // NOLINT: set while no other thread allocates.

} // namespace

// The linker prefers it to the one of the C library, which posix_fallocate(3) is in the library.
extern "C" int posix_fallocate64(int file, off64_t offset, off64_t bytes) {
    if (fills) {
        if (const int error = fills()) {
            return error;
        }
    }
    return ::fallocate64(file, 0, offset, bytes) == 0 ? 0 : errno;
}

namespace {

using process_test::error_of;
using regatta::detail::arena;
using regatta::detail::arena_space;
using regatta::detail::unique_descriptor;

constexpr std::uint64_t arena_layout = 0x1234;

/// Bytes as a file that could be taken for a segment.
unique_descriptor file_of(const std::vector<char>& bytes) {
    unique_descriptor file(::memfd_create("regatta test", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return file;
}

} // namespace

TEST(arena, is_shared_by_its_descriptor) {
    const auto one = arena::reserve("test", 1 << 20, arena_layout, false);
    one.fill(0, 4096, "test");
    const auto two = arena::attach(one.descriptor(), arena_layout, true);
    ASSERT_EQ(two.size(), 1u << 20);
    std::strcpy(reinterpret_cast<char*>(one.data()), "hello");
    EXPECT_STREQ(reinterpret_cast<const char*>(two.data()), "hello");
    EXPECT_EQ(error_of([&] { arena::attach(one.descriptor(), arena_layout + 1, true); }).first,
              EPROTO);
}

TEST(arena, one_that_is_sealed_for_others_is_mapped_by_them_to_read_only) {
    const auto one = arena::reserve("test", 1 << 20, arena_layout, true);
    one.fill(0, 4096, "test");
    one.data()[0] = std::byte{7};
    EXPECT_EQ(arena::attach(one.descriptor(), arena_layout, false).data()[0], std::byte{7});
    const int seals = ::fcntl(one.descriptor(), F_GET_SEALS);
    EXPECT_EQ(seals & (F_SEAL_SHRINK | F_SEAL_GROW), F_SEAL_SHRINK | F_SEAL_GROW);
    if ((seals & F_SEAL_FUTURE_WRITE) != 0) { // From Linux 5.1.
        EXPECT_EQ(error_of([&] { arena::attach(one.descriptor(), arena_layout, true); }).first,
                  EPERM);
    }
}

TEST(arena, attaching_random_bytes_is_an_error_and_no_crash) {
    const auto seed = std::random_device()();
    std::printf("seed %u\n", seed);
    std::mt19937 dice(seed);
    const regatta::detail::segment_header right{};
    for (int round = 0; round < 3000; ++round) {
        std::vector<char> bytes(dice() % 3 == 0 ? dice() % 200 : 4096 + dice() % 9000);
        for (char& byte : bytes) {
            byte = static_cast<char>(dice());
        }
        if (round % 2 == 0 && bytes.size() >= sizeof right) { // Right at first, wrong later.
            regatta::detail::segment_header header{};
            header.publish(arena_layout, bytes.size());
            std::memcpy(bytes.data(), static_cast<const void*>(&header), dice() % 24);
        }
        const auto file = file_of(bytes);
        ASSERT_EQ(error_of([&] { arena::attach(file.get(), arena_layout, true); }).first, EPROTO);
        ASSERT_EQ(error_of([&] { regatta::shared_memory::attach(file.get(), arena_layout); }).first,
                  EPROTO);
    }
    EXPECT_EQ(error_of([] { arena::attach(-1, arena_layout, true); }).first, EBADF);
}

TEST(arena_space, counts_what_is_free) {
    const auto memory = arena::reserve("test", 8 * arena_space::block, arena_layout, false);
    arena_space space(memory);
    std::vector<std::size_t> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(space.take(arena_space::block, "test"));
    }
    for (const std::size_t each : {all[1], all[3], all[4]}) {
        EXPECT_TRUE(space.give_back(each, arena_space::block));
    }
    EXPECT_EQ(error_of([&] { space.take(3 * arena_space::block, "test"); }).first, ENOMEM);
    EXPECT_EQ(space.take(2 * arena_space::block, "test"), all[3]);
    EXPECT_EQ(space.take(arena_space::block, "test"), all[1]);
    EXPECT_EQ(error_of([&] { space.take(1, "test"); }).first, ENOMEM);
}

TEST(arena_space, gives_out_and_takes_back) {
    const auto memory = arena::reserve("test", 10 * arena_space::block, arena_layout, false);
    arena_space space(memory);
    const auto first = space.take(1, "test");
    const auto second = space.take(3 * arena_space::block, "test");
    const auto third = space.take(arena_space::block, "test");
    EXPECT_EQ(first, 0u);
    EXPECT_EQ(second, arena_space::block);
    EXPECT_TRUE(space.has(second + 8, 3 * arena_space::block - 8));
    EXPECT_FALSE(space.has(second + 8, 3 * arena_space::block));
    memory.data()[second] = std::byte{1};
    for (const std::size_t other : {std::size_t{1}, arena_space::block, 4 * arena_space::block}) {
        EXPECT_FALSE(space.give_back(second, other));
    }
    EXPECT_TRUE(space.give_back(second, 3 * arena_space::block));
    EXPECT_FALSE(space.give_back(second, 3 * arena_space::block));
    EXPECT_FALSE(space.has(second, 1));
    EXPECT_EQ(space.take(arena_space::block, "test"), second); // First fit.
    EXPECT_EQ(memory.data()[second], std::byte{0});
    EXPECT_TRUE(space.give_back(second, arena_space::block));
    EXPECT_FALSE(space.give_back(first, arena_space::block));
    EXPECT_TRUE(space.give_back(first, 1)); // Joined with what is free behind it.
    EXPECT_EQ(space.take(4 * arena_space::block, "test"), first);
    EXPECT_TRUE(space.give_back(third, arena_space::block));
    EXPECT_EQ(error_of([&] { space.take(7 * arena_space::block, "test"); }).first, ENOMEM);
    EXPECT_EQ(error_of([&] { space.take(SIZE_MAX, "what"); }).second,
              "what: Cannot allocate memory");
}

// What is free at the end of what was ever given out is the begin of a larger part.
TEST(arena_space, gives_out_all_once_all_is_back) {
    const auto memory = arena::reserve("test", 10 * arena_space::block, arena_layout, false);
    arena_space space(memory);
    const auto first = space.take(arena_space::block, "test");
    const auto second = space.take(5 * arena_space::block, "test");
    std::memset(memory.data() + second, 1, 5 * arena_space::block);
    EXPECT_TRUE(space.give_back(second, 5 * arena_space::block));
    ASSERT_EQ(space.take(8 * arena_space::block, "test"), second);
    for (std::size_t i = 0; i < 8 * arena_space::block; ++i) {
        ASSERT_EQ(memory.data()[second + i], std::byte{0}) << i;
    }
    EXPECT_TRUE(space.has(second, 8 * arena_space::block));
    EXPECT_EQ(error_of([&] { space.take(2 * arena_space::block, "test"); }).first, ENOMEM);
    EXPECT_EQ(space.take(arena_space::block, "test"), 9 * arena_space::block); // The last one.
    EXPECT_TRUE(space.give_back(second, 8 * arena_space::block));
    EXPECT_EQ(space.take(8 * arena_space::block, "test"), second); // The count of what is free.
    EXPECT_TRUE(space.give_back(first, arena_space::block));
    EXPECT_TRUE(space.give_back(second, 8 * arena_space::block));
    EXPECT_TRUE(space.give_back(9 * arena_space::block, arena_space::block));
    EXPECT_EQ(space.take(10 * arena_space::block, "test"), 0u);
}

TEST(arena_space, loses_nothing_where_its_own_records_find_no_memory) {
    const auto memory = arena::reserve("test", 4 * arena_space::block, arena_layout, false);
    arena_space space(memory);
    ASSERT_TRUE(
        space.give_back(space.take(2 * arena_space::block, "test"), 2 * arena_space::block));
    library_test::allocations_left = 0;
    EXPECT_THROW(space.take(arena_space::block, "test"), std::bad_alloc);
    library_test::allocations_left = -1;
    EXPECT_EQ(space.take(2 * arena_space::block, "test"), 0u);
}

// "Jobs that have not ended have as much for themselves": what others had is there for jobs of any
// size.
TEST(pool_arenas, words_of_jobs_that_have_ended_serve_those_of_any_size) {
    constexpr std::size_t all = (1 << 20) / 8;
    regatta::detail::pool_arenas memory("test", 1 << 20);
    for (const std::size_t tasks : std::vector<std::size_t>{1, 30, all / 4, all, 600}) {
        SCOPED_TRACE(tasks);
        std::vector<std::size_t> words;
        const auto [error, text] = error_of([&] {
            for (;;) {
                words.push_back(memory.take_words(tasks));
            }
        });
        EXPECT_EQ(error, ENOMEM);
        EXPECT_EQ(words.size(), all / std::bit_ceil(std::max<std::size_t>(tasks, 16)));
        for (const std::size_t one : words) {
            memory.give_words(one, tasks);
        }
    }
    // Words that a job has stay its own, also those that share their block with unused ones.
    const std::size_t kept = memory.take_words(1);
    memory.give_words(memory.take_words(1), 1);
    std::vector<std::size_t> words;
    EXPECT_EQ(error_of([&] {
                  for (;;) {
                      words.push_back(memory.take_words(600));
                  }
              }).first,
              ENOMEM);
    EXPECT_EQ(words.size(), all / 1024 - 1);
    for (const std::size_t one : words) {
        EXPECT_TRUE(one + 1024 * 8 <= kept || kept + 16 * 8 <= one);
    }
}

// "`map`, `release`: never" block: also not while another thread waits for the pages of its memory.
TEST(pool_arenas, serve_others_while_one_gets_its_pages) {
    regatta::detail::pool_arenas memory("test", 1 << 20);
    using regatta::detail::pool_segment;
    const void* const first = memory.allocate(pool_segment::output, 4096, 1);
    std::atomic<bool> filling{false};
    std::atomic<bool> served{false};
    fills = [&] {
        filling = true;
        library_test::eventually("the release during the allocation",
                                 [&] { return served.load(); });
        return 0;
    };
    const void* second = nullptr;
    std::thread allocating([&] { second = memory.allocate(pool_segment::output, 8192, 1); });
    library_test::await([&] { return filling.load(); });
    EXPECT_EQ(memory.locate(first, 4096, 1).count, 4096u);
    memory.release(first, 4096);
    served = true;
    allocating.join();
    fills = nullptr;
    EXPECT_EQ(memory.locate(second, 8192, 1).count, 8192u);
    EXPECT_EQ(memory.allocate(pool_segment::output, 4096, 1), first);
}

// What finds no pages changes neither what is free nor what is given out.
TEST(pool_arenas, take_back_what_gets_no_pages) {
    constexpr std::size_t block = arena_space::block;
    regatta::detail::pool_arenas memory("test", 4 * block);
    const auto allocate = [&](std::size_t blocks) {
        return static_cast<std::byte*>(
            memory.allocate(regatta::detail::pool_segment::output, blocks * block, 1));
    };
    const auto fails_to_allocate = [&](std::size_t blocks) {
        EXPECT_EQ(error_of([&] { allocate(blocks); }).first, ENOSPC);
        fills = nullptr;
    };
    std::byte* const first = allocate(1);
    std::byte* const second = allocate(1);
    fills = [] { return ENOSPC; };
    fails_to_allocate(1); // After a part in use …
    memory.release(second, block);
    fills = [] { return ENOSPC; };
    fails_to_allocate(3); // … after a free one, which it would begin with …
    EXPECT_EQ(allocate(1), second);
    memory.release(second, block);
    fills = [&] {
        memory.release(first, block);
        return ENOSPC;
    };
    fails_to_allocate(3); // … and where the part before that one becomes free meanwhile.
    EXPECT_EQ(allocate(2), first);
    EXPECT_EQ(allocate(2), first + 2 * block);
}

TEST(job_table, a_job_that_cannot_wait_leaves_no_words) {
    regatta::detail::pool_arenas memory("test", 1 << 20);
    std::vector<std::size_t> words(1000);
    for (std::size_t& one : words) { // So that no job needs memory for its words.
        one = memory.take_words(1);
    }
    for (const std::size_t one : words) {
        memory.give_words(one, 1);
    }
    regatta::detail::process_function function{1, "test", nullptr};
    std::deque<regatta::detail::job_record> jobs;
    for (std::uint32_t number = 1; number < 1000; ++number) {
        regatta::detail::job_record& job = jobs.emplace_back(decltype(job.pool){});
        job.generation = number;
        job.function = &function;
        job.tasks = 1;
    }
    regatta::detail::job_table table(memory, 1, 0);
    auto next = jobs.begin();
    library_test::allocations_left = 0;
    const auto begin_all = [&] {
        for (; next != jobs.end(); ++next) {
            table.begin(*next);
        }
    };
    EXPECT_THROW(begin_all(), std::bad_alloc);
    library_test::allocations_left = -1;
    EXPECT_EQ(memory.take_words(1), next->words);
    EXPECT_EQ(table.counts.submitted, static_cast<std::uint64_t>(next - jobs.begin()));
}

TEST(oom_kills, are_read_where_the_kernel_counts_them) {
    EXPECT_EQ(regatta::detail::oom_kills_in("low 0\noom 3\noom_kill 2\noom_group_kill 9\n"), 2u);
    EXPECT_EQ(regatta::detail::oom_kills_in("nothing of the kind"), 0u);
    EXPECT_TRUE(regatta::detail::count_oom_kills().has_value());
    EXPECT_EQ(regatta::detail::count_oom_kills("/no/such/root"), std::nullopt);
}
