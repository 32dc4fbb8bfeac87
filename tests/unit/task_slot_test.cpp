// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/counted.hpp"

#include <regatta/base/config.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/detail/task_slot.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>

using library_test::counted;
using regatta::detail::task_slot;

namespace {

/// Says whether it ran, as told.
struct told {
    using says_whether_it_ran = void;
    bool answer;
    bool operator()() const { return answer; }
    bool drop() const { return answer; }
};
struct thrower {
    thrower() = default;
    thrower(thrower&&) noexcept(false) {}
    void operator()() const {}
};
/// Its operator `&` gives no address.
struct without_address {
    int* calls;
    void operator()() const { ++*calls; }
    void operator&() const = delete;
};
template<std::size_t Size>
struct sized {
    std::array<char, Size> bytes{};
    void operator()() const {}
};

} // namespace

TEST(task_slot, knows_what_fits_where) {
    static_assert(task_slot::fits_cell<sized<48>>);
    static_assert(!task_slot::fits_cell<sized<49>>);
    static_assert(task_slot::fits_room<sized<regatta::detail::task_room_size>>);
    static_assert(!task_slot::fits_room<sized<regatta::detail::task_room_size + 1>>);
    static_assert(!task_slot::fits_cell<thrower> && !task_slot::fits_room<thrower>);
    EXPECT_LE(sizeof(task_slot), 56u);
}

TEST(task_slot, takes_closures_that_overload_the_operator_for_an_address) {
    int calls = 0;
    task_slot run(without_address{&calls}, nullptr);
    EXPECT_TRUE(run.run());
    task_slot dropped(without_address{&calls}, nullptr);
    EXPECT_FALSE(dropped.drop());
    EXPECT_EQ(calls, 1);
}

TEST(task_slot, runs_and_destroys_in_the_cell_and_beside_it) {
    std::atomic<int> alive{0};
    int sum = 0;
    task_slot small([&sum, c = counted(alive, 1)] { sum += c.value(); }, nullptr);
    alignas(std::max_align_t) std::byte room[regatta::detail::task_room_size];
    task_slot large([&sum, c = counted(alive, 2),
                     bytes = std::array<char, 200>{}] { sum += c.value() + bytes[0]; },
                    room);
    EXPECT_EQ(alive.load(), 2);
    EXPECT_TRUE(small.run());
    EXPECT_TRUE(large.run());
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(alive.load(), 0);
}

TEST(task_slot, drops_unrun) {
    std::atomic<int> alive{0};
    int runs = 0;
    task_slot slot([&runs, c = counted(alive, 1)] { runs += c.value(); }, nullptr);
    EXPECT_FALSE(slot.drop());
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(runs, 0);
}

TEST(task_slot, passes_on_what_the_closure_says) {
    EXPECT_TRUE(task_slot(told{true}, nullptr).run());
    EXPECT_FALSE(task_slot(told{false}, nullptr).run());
    EXPECT_TRUE(task_slot(told{true}, nullptr).drop());
    EXPECT_FALSE(task_slot(told{false}, nullptr).drop());
    std::stop_source source;
    const auto stoppable = [&] {
        return regatta::detail::stoppable_closure<sized<8>>{{}, source.get_token()};
    };
    EXPECT_TRUE(task_slot(stoppable(), nullptr).run());
    source.request_stop();
    EXPECT_FALSE(task_slot(stoppable(), nullptr).run());
    using large = regatta::detail::stoppable_closure<sized<500>>;
    EXPECT_FALSE(
        task_slot(regatta::detail::queueable(large{{}, source.get_token()}), nullptr).run());
}

#if REGATTA_EXCEPTIONS
TEST(task_slot, destroys_the_closure_if_it_throws) {
    std::atomic<int> alive{0};
    task_slot slot([c = counted(alive, 1)] { throw std::runtime_error("as asked"); }, nullptr);
    EXPECT_THROW(slot.run(), std::runtime_error);
    EXPECT_EQ(alive.load(), 0);
}
#endif

TEST(task_closure, binds_by_value_and_by_reference) {
    int target = 0;
    auto bound = regatta::detail::bind_closure([](int& to, std::unique_ptr<int> p) { to += *p; },
                                               std::ref(target), std::make_unique<int>(5));
    bound();
    EXPECT_EQ(target, 5);
}
