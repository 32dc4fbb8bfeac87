// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "seeded.hpp"
#include "support/threads.hpp"

#include <regatta/core/detail/segment_queue.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using library_test::dice;
using library_test::rounds;

/// A number, and a room that is filled with its lowest byte.
struct element {
    std::uint32_t number;
    unsigned char* room;
};
using queue_type = regatta::detail::segment_queue<element, 8>;

constexpr std::size_t room_size = 100;

} // namespace

using segment_queue_stress = library_test::stress;

// Short segments, so that they are left and filled again all the time; some elements with room.
TEST_F(segment_queue_stress, each_element_is_taken_once_and_whole) {
    constexpr unsigned producers = 3;
    constexpr unsigned consumers = 3;
    const auto each = static_cast<std::uint32_t>(rounds(30000));
    queue_type queue;
    std::vector<std::atomic<unsigned char>> taken(producers * each);
    std::atomic<std::uint32_t> left{producers * each};
    std::vector<std::thread> threads;
    for (unsigned p = 0; p < producers; ++p) {
        threads.emplace_back([&, p] {
            dice d(p);
            for (std::uint32_t i = 0; i < each;) {
                const auto count = std::min(each - i, 1u + static_cast<unsigned>(d.roll(12)));
                const std::uint32_t first = p * each + i;
                if (d.roll(4) == 0) {
                    i += static_cast<std::uint32_t>(
                        queue
                            .append(false, count, room_size,
                                    [&](queue_type::cell& c, std::size_t k, void* room) noexcept {
                                        const auto n = first + static_cast<std::uint32_t>(k);
                                        std::memset(room, static_cast<int>(n & 0xFF), room_size);
                                        c.emplace(element{n, static_cast<unsigned char*>(room)});
                                    })
                            .count);
                } else {
                    i += static_cast<std::uint32_t>(
                        queue
                            .append(false, count, 0,
                                    [&](queue_type::cell& c, std::size_t k, void*) noexcept {
                                        c.emplace(element{first + static_cast<std::uint32_t>(k),
                                                          nullptr});
                                    })
                            .count);
                }
                if (d.roll(50) == 0) {
                    std::this_thread::yield();
                }
            }
        });
    }
    for (unsigned c = 0; c < consumers; ++c) {
        threads.emplace_back([&, c] {
            dice d(100 + c);
            queue_type::tally done;
            while (left.load() != 0) {
                const auto batch = queue.take(1u + static_cast<std::size_t>(d.roll(10)));
                for (std::uint32_t i = 0; i < batch.size(); ++i) {
                    const element e = batch[i];
                    ++taken[e.number];
                    for (std::size_t b = 0; e.room != nullptr && b < room_size; ++b) {
                        EXPECT_EQ(e.room[b], e.number & 0xFF);
                    }
                    batch.destroy(i);
                }
                if (batch.size() != 0) {
                    done.finish(batch, batch.size());
                    left -= batch.size();
                } else {
                    done.flush();
                    std::this_thread::yield();
                }
            }
        });
    }
    for (auto& t : threads) {
        t.join();
    }
    for (const auto& times : taken) {
        ASSERT_EQ(times.load(), 1u);
    }
    EXPECT_EQ(queue.size(), 0u);
    EXPECT_EQ(queue.appended(), std::uint64_t{producers} * each);
    EXPECT_EQ(queue.taken(), queue.appended());
}

// What was accepted before the close is there afterwards, and nothing else.
TEST_F(segment_queue_stress, close_lets_nobody_in) {
    for (int round = 0; round < rounds(60); ++round) {
        queue_type queue;
        std::atomic<std::uint64_t> accepted{0};
        std::vector<std::thread> threads;
        for (unsigned p = 0; p < 3; ++p) {
            threads.emplace_back([&] {
                while (queue.emplace(element{0, nullptr})) {
                    ++accepted;
                }
            });
        }
        dice d(static_cast<unsigned>(round));
        for (int i = d.roll(20); i > 0; --i) {
            std::this_thread::yield();
        }
        queue.close();
        const auto appended = queue.appended();
        for (auto& t : threads) {
            t.join();
        }
        ASSERT_EQ(accepted.load(), appended);
        ASSERT_EQ(queue.appended(), appended);
        std::uint64_t taken = 0;
        queue_type::tally done;
        for (auto batch = queue.take(5); batch.size() != 0; batch = queue.take(5)) {
            taken += batch.size();
            done.finish(batch, batch.size());
        }
        ASSERT_EQ(taken, appended);
    }
}
