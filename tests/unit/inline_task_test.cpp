// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/counted.hpp"

#include <regatta/base/config.hpp>
#include <regatta/base/inline_task.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using library_test::counted;
using regatta::inline_task;

template<std::size_t Size>
struct closure_of {
    std::array<std::byte, Size> bytes{};
    int operator()() const { return static_cast<int>(bytes[Size - 1]); }
};

struct throwing_move {
    throwing_move() = default;
    throwing_move(throwing_move&&) noexcept(false) {}
    int operator()() const { return 7; }
};

struct alignas(128) wide {
    int operator()() const { return reinterpret_cast<std::uintptr_t>(this) % 128 == 0 ? 1 : 0; }
};

} // namespace

// A class that can be made of a task can be copied and moved: whether a task can be made of it is
// decided without asking whether it can be made of itself, which clang does not know yet.
TEST(inline_task, may_be_what_another_class_is_made_of) {
    struct job {
        explicit job(inline_task<int()> t) : call(std::move(t)) {}
        inline_task<int()> call;
    };
    static_assert(std::is_move_constructible_v<job>);
    job first([] { return 3; });
    job second(std::move(first));
    EXPECT_EQ(second.call(), 3);
}

TEST(inline_task, is_empty_until_it_gets_a_callable) {
    inline_task<int()> task;
    EXPECT_FALSE(task);
    task = [] { return 5; };
    ASSERT_TRUE(task);
    EXPECT_EQ(task(), 5);
}

TEST(inline_task, says_which_closures_stay_inside) {
    using task = inline_task<int()>;
    EXPECT_TRUE(task::fits_inline<closure_of<48>>);
    EXPECT_FALSE(task::fits_inline<closure_of<49>>);
    EXPECT_FALSE(task::fits_inline<throwing_move>);
    EXPECT_FALSE(task::fits_inline<wide>);
    using small = inline_task<int(), 1>;
    EXPECT_TRUE(small::fits_inline<closure_of<1>>);
    EXPECT_FALSE(small::fits_inline<closure_of<2>>);
}

TEST(inline_task, calls_closures_of_every_size_inside_and_on_the_heap) {
    const auto check = []<std::size_t Size>(closure_of<Size> f) {
        f.bytes[Size - 1] = std::byte{42};
        inline_task<int()> first(f);
        inline_task<int()> second(std::move(first));
        EXPECT_FALSE(first); // NOLINT: what was moved from is empty
        EXPECT_EQ(second(), 42);
    };
    check(closure_of<1>{});
    check(closure_of<48>{});
    check(closure_of<49>{});
    check(closure_of<1000>{});
}

TEST(inline_task, keeps_a_closure_whose_move_may_throw_on_the_heap) {
    inline_task<int()> task{throwing_move{}};
    inline_task<int()> moved(std::move(task));
    EXPECT_EQ(moved(), 7);
}

TEST(inline_task, keeps_the_alignment_of_a_closure_on_the_heap) {
    inline_task<int()> task{wide{}};
    inline_task<int()> moved(std::move(task));
    EXPECT_EQ(moved(), 1);
}

TEST(inline_task, takes_closures_that_cannot_be_copied) {
    inline_task<int()> task([p = std::make_unique<int>(9)] { return *p; });
    EXPECT_FALSE(std::is_copy_constructible_v<inline_task<int()>>);
    EXPECT_EQ(task(), 9);
}

TEST(inline_task, destroys_its_closure_once) {
    const auto check = []<std::size_t Padding>(std::integral_constant<std::size_t, Padding>) {
        std::atomic<int> alive{0};
        const auto make = [&alive](int value) {
            return [c = counted(alive, value), padding = std::array<char, Padding>{}] {
                static_cast<void>(padding);
                return c.value();
            };
        };
        {
            inline_task<int()> one(make(1));
            inline_task<int()> other(make(2));
            EXPECT_EQ(alive.load(), 2);
            one = std::move(other);
            EXPECT_EQ(alive.load(), 1);
            EXPECT_EQ(one(), 2);
            inline_task<int()> third(std::move(one));
            EXPECT_EQ(alive.load(), 1);
            auto& same = third;
            third = std::move(same);
            EXPECT_EQ(third(), 2);
            third = inline_task<int()>();
            EXPECT_EQ(alive.load(), 0);
            third = make(3);
        }
        EXPECT_EQ(alive.load(), 0);
    };
    check(std::integral_constant<std::size_t, 1>{});
    check(std::integral_constant<std::size_t, 100>{});
}

TEST(inline_task, destroys_what_a_closure_leaves_where_it_was) {
    struct copied_by_move {
        std::shared_ptr<int> held;
        explicit copied_by_move(std::shared_ptr<int> h) noexcept : held(std::move(h)) {}
        copied_by_move(copied_by_move&& other) noexcept : held(other.held) {}
        void operator()() const {}
    };
    const auto held = std::make_shared<int>(0);
    inline_task<void()> first{copied_by_move(held)};
    inline_task<void()> second(std::move(first));
    EXPECT_EQ(held.use_count(), 2);
    first = std::move(second);
    EXPECT_EQ(held.use_count(), 2);
}

TEST(inline_task, passes_arguments_and_results_as_they_are) {
    inline_task<std::unique_ptr<int>(std::unique_ptr<int>, int&)> task(
        [](std::unique_ptr<int> p, int& n) {
            n += *p;
            return p;
        });
    int n = 1;
    EXPECT_EQ(*task(std::make_unique<int>(4), n), 4);
    EXPECT_EQ(n, 5);
    int value = 0;
    inline_task<int&()> reference([&value]() -> int& { return value; });
    reference() = 3;
    EXPECT_EQ(value, 3);
    inline_task<void()> dropped([] { return std::string("a result nobody wants"); });
    dropped();
}

TEST(inline_task, keeps_state_between_calls_and_takes_functions) {
    inline_task<int()> counter([n = 0]() mutable { return ++n; });
    counter();
    EXPECT_EQ(counter(), 2);
    inline_task<int(int)> function(+[](int n) { return n * n; });
    EXPECT_EQ(function(6), 36);
}

// "Any type that can be called as `R(Args...)`".
TEST(inline_task, takes_pointers_to_members) {
    struct row {
        int index = 3;
        int next() { return ++index; }
    };
    row one;
    inline_task<int(row&)> next(&row::next);
    EXPECT_EQ(next(one), 4);
    inline_task<int(row*)> index(&row::index);
    EXPECT_EQ(index(&one), 4);
}

TEST(inline_task, knows_what_it_can_hold) {
    const auto only_moves = [owned = std::make_unique<int>(1)] {};
    using closure = std::remove_const_t<decltype(only_moves)>;
    EXPECT_TRUE((std::is_constructible_v<inline_task<void()>, closure>));
    EXPECT_FALSE((std::is_constructible_v<inline_task<void()>, closure&>));
}

TEST(inline_task, may_be_assigned_to_by_what_it_destroys) {
    inline_task<int()> task;
    int ended = 0;
    auto at_end = [&](int*) {
        ++ended;
        task = [] { return 2; };
    };
    int owned = 0;
    task = [end = std::unique_ptr<int, decltype(at_end)>(&owned, at_end)] { return 0; };
    task = [] { return 1; };
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(task(), 2);
}

#if REGATTA_EXCEPTIONS
TEST(inline_task, lets_an_exception_out_and_stays_usable) {
    inline_task<int(bool)> task([](bool fail) {
        if (fail) {
            throw std::runtime_error("as asked");
        }
        return 1;
    });
    EXPECT_THROW(task(true), std::runtime_error);
    EXPECT_EQ(task(false), 1);
}

TEST(inline_task, leaves_nothing_behind_when_the_closure_cannot_be_built) {
    struct fragile {
        fragile() = default;
        fragile(const fragile&) { throw std::runtime_error("no copy"); }
        void operator()() const {}
    };
    const fragile original;
    EXPECT_THROW(inline_task<void()>{original}, std::runtime_error);
}
#endif
