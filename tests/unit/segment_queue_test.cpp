// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/counted.hpp"

#include <regatta/core/detail/segment_queue.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <set>
#include <vector>

using library_test::counted;
using regatta::detail::segment_queue;

namespace {

using numbers = segment_queue<int, 4>;

/// Takes up to `max` numbers.
template<class Queue>
std::vector<int> take(Queue& queue, std::size_t max, typename Queue::tally& done) {
    const auto batch = queue.take(max);
    std::vector<int> got;
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
        got.push_back(batch[i]);
        batch.destroy(i);
    }
    if (batch.size() != 0) {
        done.finish(batch, batch.size());
    }
    return got;
}

} // namespace

TEST(segment_queue, is_first_in_first_out_over_many_segments) {
    numbers queue;
    numbers::tally done;
    EXPECT_FALSE(queue.ready());
    int next = 0;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(queue.emplace(2 * i));
        EXPECT_TRUE(queue.emplace(2 * i + 1));
        EXPECT_EQ(take(queue, 1, done), std::vector<int>{next++});
    }
    EXPECT_TRUE(queue.ready());
    EXPECT_EQ(queue.size(), 1000u);
    EXPECT_EQ(queue.appended(), 2000u);
    EXPECT_EQ(queue.taken(), 1000u);
    while (next != 2000) {
        for (const int i : take(queue, 3, done)) {
            EXPECT_EQ(i, next++);
        }
    }
    EXPECT_FALSE(queue.ready());
    EXPECT_TRUE(take(queue, 3, done).empty());
    EXPECT_EQ(queue.size(), 0u);
}

TEST(segment_queue, appends_neighbours_up_to_the_end_of_a_segment) {
    numbers queue;
    const auto append = [&](std::size_t count) {
        return queue.append(false, count, 0, [](numbers::cell& c, std::size_t i, void* room) {
            EXPECT_EQ(room, nullptr);
            c.emplace(static_cast<int>(i));
        });
    };
    auto run = append(3);
    EXPECT_EQ(run.count, 3u);
    EXPECT_EQ(run.end, 3u);
    run = append(3);
    EXPECT_EQ(run.count, 1u);
    EXPECT_EQ(run.end, 4u);
    run = append(9);
    EXPECT_EQ(run.count, 4u);
    numbers::tally done;
    EXPECT_EQ(take(queue, 9, done), (std::vector<int>{0, 1, 2, 0}));
    EXPECT_EQ(take(queue, 9, done), (std::vector<int>{0, 1, 2, 3}));
}

TEST(segment_queue, fills_used_segments_again) {
    segment_queue<int, 4> queue;
    segment_queue<int, 4>::tally done;
    std::set<const void*> cells;
    for (int i = 0; i < 1000; ++i) {
        queue.append(false, 1, 0, [&](numbers::cell& c, std::size_t, void*) {
            cells.insert(&c);
            c.emplace(i);
        });
        EXPECT_EQ(take(queue, 1, done), std::vector<int>{i});
    }
    EXPECT_LE(cells.size(), 12u);
}

TEST(segment_queue, gives_each_element_a_room_of_its_own) {
    using queue_type = segment_queue<char*, 4>;
    queue_type queue;
    for (char i = 0; i < 20; ++i) {
        queue.append(false, 1, 240, [&](queue_type::cell& c, std::size_t, void* room) {
            std::memset(room, i, 240);
            c.emplace(static_cast<char*>(room));
        });
    }
    for (char i = 0; i < 20; ++i) {
        const auto batch = queue.take(1);
        ASSERT_EQ(batch.size(), 1u);
        EXPECT_EQ(batch[0][0], i);
        EXPECT_EQ(batch[0][239], i);
        queue_type::tally done;
        done.finish(batch, 1);
    }
}

TEST(segment_queue, a_closed_one_takes_only_from_those_who_may) {
    numbers queue;
    numbers::tally done;
    for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(queue.emplace(i));
    }
    queue.close();
    queue.close();
    EXPECT_FALSE(queue.emplace(6));
    for (int i = 6; i < 20; ++i) { // Also in segments that are added later.
        EXPECT_EQ(
            (queue.append(true, 1, 0, [&](numbers::cell& c, std::size_t, void*) { c.emplace(i); })
                 .count),
            1u);
        EXPECT_FALSE(queue.emplace(100));
    }
    EXPECT_EQ(queue.appended(), 20u);
    int next = 0;
    while (next != 20) {
        for (const int i : take(queue, 4, done)) {
            EXPECT_EQ(i, next++);
        }
    }
}

TEST(segment_queue, destroys_what_was_never_taken) {
    std::atomic<int> alive{0};
    {
        segment_queue<counted, 4> queue;
        for (int i = 0; i < 30; ++i) {
            EXPECT_TRUE(queue.emplace(alive, i));
        }
        segment_queue<counted, 4>::tally done;
        const auto batch = queue.take(2);
        batch.destroy(0);
        batch.destroy(1);
        done.finish(batch, 2);
        EXPECT_EQ(alive.load(), 28);
    }
    EXPECT_EQ(alive.load(), 0);
}

TEST(segment_queue, one_tally_serves_several_queues) {
    numbers one;
    numbers other;
    numbers::tally done;
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(one.emplace(i));
        EXPECT_TRUE(other.emplace(-i));
        EXPECT_EQ(take(one, 1, done), std::vector<int>{i});
        EXPECT_EQ(take(other, 1, done), std::vector<int>{-i});
    }
    done.flush();
    done.flush();
}
