// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/pool/detail/task_queues.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace {

using regatta::priority;
using regatta::detail::queue_layout;
using regatta::detail::task_origin;
using regatta::detail::task_queues;
constexpr auto outside = task_queues::outside;
constexpr unsigned all = ~0u; // As a reach.

/// Queues whose tasks write letters.
class lettered {
public:
    explicit lettered(queue_layout layout, unsigned workers) : queues(layout, workers) {}

    bool append(char letter, unsigned worker = outside, priority level = priority::medium) {
        const auto task = [this, letter] { text_ += letter; };
        using closure = std::remove_const_t<decltype(task)>;
        const auto fill = [&](task_queues::cell& into, std::size_t, void* room) {
            into.emplace(closure(task), room);
        };
        return queues.append(level, worker, 1, 0, fill).count == 1;
    }
    /// Runs what the worker takes next. @returns its letter; ' ' if it found none.
    char take(unsigned worker, unsigned reach = all) { return take(worker, last_, reach); }
    /// The same for a worker with that memory of its thefts.
    char take(unsigned worker, task_queues::theft& last, unsigned reach = all) {
        return run(queues.take(worker, turn_, reach, last, from));
    }
    char take_oldest(priority level) { return run(queues.take_oldest(level)); }

    task_queues queues;
    task_origin from = task_origin::own;

private:
    char run(const task_queues::batch& b) {
        if (b.size() == 0) {
            return ' ';
        }
        ++turn_;
        b[0].run();
        b.destroy(0);
        task_queues::tally done;
        done.finish(b, 1);
        return text_.back();
    }

    std::string text_;
    std::uint32_t turn_ = 0;
    task_queues::theft last_;
};

} // namespace

TEST(task_queues, shared_is_one_queue_for_all) {
    lettered q(queue_layout::shared, 2);
    for (const char c : {'a', 'b', 'c'}) {
        EXPECT_TRUE(q.append(c, c == 'b' ? 1 : outside));
    }
    EXPECT_EQ(q.queues.size(), 3u);
    EXPECT_EQ(q.take(1), 'a');
    EXPECT_EQ(q.take(0), 'b');
    EXPECT_EQ(q.take(7), 'c'); // Whatever its number.
    EXPECT_EQ(q.take(0), ' ');
    EXPECT_EQ(q.queues.appended(), 3u);
}

/// "Of how many following workers' queues, counted round, it may steal."
TEST(task_queues, a_worker_steals_within_its_reach) {
    lettered q(queue_layout::per_worker, 4);
    for (unsigned worker = 0; worker < 3; ++worker) {
        q.append(static_cast<char>('a' + worker), worker);
    }
    EXPECT_FALSE(q.queues.ready(3, 0));
    EXPECT_TRUE(q.queues.ready(3, 1)); // That of worker 0.
    EXPECT_EQ(q.take(3, 1), 'a');
    EXPECT_EQ(q.from, task_origin::stolen);
    EXPECT_FALSE(q.queues.ready(3, 1));
    EXPECT_FALSE(q.queues.coming(3, 1));
    EXPECT_EQ(q.take(3, 1), ' ');
    EXPECT_TRUE(q.queues.coming(3, 2));
    EXPECT_EQ(q.take(3, 2), 'b');
    EXPECT_EQ(q.take(2, 1), 'c'); // Its own.
    EXPECT_EQ(q.from, task_origin::own);
}

/// "From a queue that had several it takes several at once: the first runs, and the others wait
/// beside its own queue, where any worker may take them."
TEST(task_queues, a_worker_steals_more_each_time_and_others_may_take_it) {
    lettered q(queue_layout::per_worker, 3);
    task_queues::theft last[3];
    for (char c = 'a'; c <= 'h'; ++c) {
        q.append(c, 0);
    }
    EXPECT_EQ(q.take(1, last[1]), 'a');
    EXPECT_EQ(q.from, task_origin::stolen);
    EXPECT_EQ(q.take(1, last[1]), 'b'); // And c.
    EXPECT_EQ(q.from, task_origin::stolen_among_others);
    EXPECT_EQ(q.queues.size(), 6u);
    EXPECT_EQ(q.queues.size(priority::medium), 6u);
    EXPECT_EQ(q.queues.taken(), 2u);
    EXPECT_TRUE(q.queues.ready(1, 0));
    EXPECT_EQ(q.take(1, last[1]), 'c');
    EXPECT_EQ(q.from, task_origin::stolen);
    EXPECT_EQ(q.take(1, last[1]), 'd'); // And e, f, g.
    EXPECT_EQ(q.take(0, last[0]), 'h');
    EXPECT_EQ(q.from, task_origin::own);
    last[2].appetite = 8;
    EXPECT_EQ(q.take(2, last[2]), 'e'); // And f: half of them.
    EXPECT_EQ(q.from, task_origin::stolen_among_others);
    EXPECT_EQ(last[2].appetite, 2u);
    EXPECT_TRUE(q.queues.ready(0, 0)); // Whatever its reach.
    EXPECT_EQ(q.take(0, last[0], 0), 'g');
    EXPECT_TRUE(q.queues.coming(0, all));
    EXPECT_EQ(q.take_oldest(priority::medium), 'f');
    EXPECT_FALSE(q.queues.coming(0, all));
    EXPECT_EQ(q.take(1, last[1]), ' ');
    EXPECT_EQ(q.queues.taken(), 8u);
}

/// "With a limited reach the others may not reach what this worker may."
TEST(task_queues, with_a_limited_reach_one_task_is_stolen_at_a_time) {
    lettered q(queue_layout::per_worker, 3);
    task_queues::theft last{.victim = 0, .appetite = 8};
    q.append('a', 0);
    q.append('b', 0);
    EXPECT_EQ(q.take(2, last, 1), 'a');
    EXPECT_EQ(q.from, task_origin::stolen);
    EXPECT_EQ(q.take(0, 0), 'b');
    EXPECT_EQ(q.from, task_origin::own);
}

/// What was stolen and never taken ends with the queues.
TEST(task_queues, stolen_tasks_end_with_the_queues) {
    struct holder { // Unlike a real task it ends with its cell.
        holder(std::shared_ptr<int> h, void*) noexcept : held(std::move(h)) {}
        std::shared_ptr<int> held;
    };
    using queues_of_holders = regatta::detail::basic_task_queues<holder, regatta::std_atomics>;
    const auto held = std::make_shared<int>(0);
    {
        queues_of_holders queues(queue_layout::per_worker, 2);
        for (int i = 0; i < 3; ++i) {
            const auto fill = [&](queues_of_holders::cell& into, std::size_t, void* room) {
                into.emplace(held, room);
            };
            queues.append(priority::medium, 0, 1, 0, fill);
        }
        EXPECT_EQ(held.use_count(), 4);
        queues_of_holders::theft last{.victim = 0, .appetite = 8};
        task_origin from = task_origin::own;
        const auto b = queues.take(1, 0, all, last, from);
        ASSERT_EQ(from, task_origin::stolen_among_others);
        b.destroy(0);
        queues_of_holders::tally done;
        done.finish(b, 1);
        EXPECT_EQ(held.use_count(), 3);
    }
    EXPECT_EQ(held.use_count(), 1);
}

/// "Of the others' it tries those of its own memory node first."
TEST(task_queues, a_worker_steals_within_its_node_first) {
    lettered q(queue_layout::per_worker, 6);
    for (const unsigned worker : {0u, 2u, 4u}) {
        q.queues.settle(worker, 1);
    }
    for (unsigned worker = 0; worker < 6; ++worker) {
        q.append(static_cast<char>('a' + worker), worker);
        q.append(static_cast<char>('A' + worker), worker);
    }
    std::string order;
    for (char c = q.take(3); c != ' '; c = q.take(3)) {
        order += c;
    }
    ASSERT_EQ(order.size(), 12u);
    EXPECT_EQ(order.substr(0, 2), "dD");
    EXPECT_EQ(order.substr(2, 4).find_first_not_of("bBfF"), std::string::npos) << order;
    EXPECT_EQ(order.substr(6).find_first_not_of("aAcCeE"), std::string::npos) << order;
}

TEST(task_queues, a_worker_takes_its_own_first_then_shared_then_others) {
    lettered q(queue_layout::both, 2);
    q.append('s');
    q.append('o', 1);
    q.append('m', 0);
    EXPECT_EQ(q.take(0), 'm');
    EXPECT_EQ(q.from, task_origin::own);
    EXPECT_EQ(q.take(0), 's');
    EXPECT_EQ(q.from, task_origin::own);
    EXPECT_EQ(q.take(0), 'o');
    EXPECT_EQ(q.from, task_origin::stolen);
}

TEST(task_queues, per_worker_spreads_what_comes_from_outside) {
    lettered q(queue_layout::per_worker, 2);
    for (int i = 0; i < 128; ++i) {
        q.append('x');
    }
    int mine = 0;
    while (q.take(0, 0) != ' ') {
        ++mine;
    }
    EXPECT_EQ(mine, 64);
    EXPECT_FALSE(q.queues.ready(0, 0));
    EXPECT_TRUE(q.queues.ready(0, all));
    EXPECT_TRUE(q.queues.ready(1, 0));
    EXPECT_EQ(q.take(0, all), 'x');
    EXPECT_EQ(q.from, task_origin::stolen);
}

/// "32 in a row, then into the shorter of two".
TEST(task_queues, what_comes_from_outside_goes_to_the_shorter_of_two) {
    lettered q(queue_layout::per_worker, 2);
    for (int i = 0; i < 200; ++i) {
        q.append('o', 1); // Of its own.
    }
    for (int i = 0; i < 128; ++i) {
        q.append('x');
    }
    int shorter = 0;
    while (q.take(0, 0) == 'x') {
        ++shorter;
    }
    EXPECT_EQ(shorter, 128);
}

TEST(task_queues, takes_by_priority) {
    lettered q(queue_layout::both, 1);
    q.append('l', outside, priority::low);
    q.append('m');
    q.append('h', outside, priority::high);
    EXPECT_TRUE(q.queues.ready(0, 0));
    EXPECT_EQ(q.take(0), 'h');
    EXPECT_EQ(q.take(0), 'm');
    EXPECT_EQ(q.take(0), 'l');
}

TEST(task_queues, every_8th_and_every_32nd_take_is_for_the_others) {
    lettered q(queue_layout::shared, 1);
    for (int i = 0; i < 64; ++i) {
        q.append('h', outside, priority::high);
        q.append('m');
        q.append('l', outside, priority::low);
    }
    std::string order;
    for (int i = 0; i < 64; ++i) {
        order += q.take(0);
    }
    for (std::size_t i = 0; i < 64; ++i) {
        ASSERT_EQ(order[i], i % 32 == 31 ? 'l' : i % 8 == 7 ? 'm' : 'h') << i;
    }
    while (q.take(0) != ' ') {
    }
}

TEST(task_queues, finds_the_oldest_of_a_priority) {
    lettered q(queue_layout::per_worker, 2);
    q.append('a', outside, priority::low);
    q.append('b');
    q.append('c', 1);
    EXPECT_EQ(q.take_oldest(priority::high), ' ');
    EXPECT_EQ(q.take_oldest(priority::medium), 'b');
    EXPECT_EQ(q.take_oldest(priority::medium), 'c');
    EXPECT_EQ(q.take_oldest(priority::low), 'a');
}

TEST(task_queues, closed_ones_take_only_from_workers) {
    lettered q(queue_layout::both, 2);
    q.queues.close();
    for (const auto level : {priority::low, priority::medium, priority::high}) {
        EXPECT_FALSE(q.append('x', outside, level));
        EXPECT_TRUE(q.append('y', 1, level));
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(q.take(1), 'y');
    }
}
