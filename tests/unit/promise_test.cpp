// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What `promise` promises; each test quotes the sentence that it checks.

#include "support/queue_executor.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/core/promise.hpp>
#include <regatta/core/task_errors.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace {

using regatta::promise;

/// A value whose copies throw.
struct no_copy {
    no_copy() = default;
    no_copy(const no_copy&) { throw std::runtime_error("no copy"); }
};

} // namespace

// "Makes the future ready with `R(args...)`".
TEST(promise, gives_its_future_a_value) {
    promise<std::string> text;
    auto later = text.get_future();
    EXPECT_FALSE(later.ready());
    std::thread other([text = std::move(text)]() mutable { text.set_value(3, 'a'); });
    EXPECT_EQ(later.get(), "aaa");
    other.join();
    promise<void> event;
    auto happened = event.get_future();
    event.set_value();
    EXPECT_TRUE(happened.ready());
    EXPECT_NO_THROW(happened.get());
    int there = 1;
    promise<int&> place;
    auto where = place.get_future();
    place.set_value(there);
    EXPECT_EQ(&where.get(), &there);
    promise<std::unique_ptr<int>> owner;
    auto owned = owner.get_future();
    owner.set_value(std::make_unique<int>(4));
    EXPECT_EQ(*owned.get(), 4);
}

// "Makes the future ready with an exception"; "What the construction throws is the future's
// exception."
TEST(promise, gives_its_future_an_exception) {
    promise<int> number;
    auto later = number.get_future();
    number.set_exception(std::make_exception_ptr(std::runtime_error("no number")));
    EXPECT_THROW(later.get(), std::runtime_error);
    promise<no_copy> copied;
    auto never = copied.get_future();
    const no_copy source;
    copied.set_value(source);
    EXPECT_THROW(static_cast<void>(never.get()), std::runtime_error);
}

// "A promise that is destroyed unset cancels the future."
TEST(promise, that_is_broken_cancels_its_future) {
    std::optional<promise<int>> number(std::in_place);
    auto later = number->get_future();
    number.reset();
    EXPECT_TRUE(later.ready());
    EXPECT_THROW(later.get(), regatta::task_cancelled);
}

// "`set_value`, `set_exception` and `get_future` throw `std::logic_error` when called once more."
TEST(promise, is_set_once) {
    promise<int> number;
    auto later = number.get_future();
    EXPECT_THROW(static_cast<void>(number.get_future()), std::logic_error);
    number.set_value(1);
    EXPECT_THROW(number.set_value(2), std::logic_error);
    EXPECT_THROW(number.set_exception(std::make_exception_ptr(1)), std::logic_error);
    EXPECT_EQ(later.get(), 1);
}

// "Whether nobody wants the result any more: the future was cancelled."
TEST(promise, may_be_set_though_its_future_was_cancelled) {
    promise<std::shared_ptr<int>> number;
    auto later = number.get_future();
    EXPECT_FALSE(number.cancelled());
    EXPECT_TRUE(later.cancel());
    EXPECT_TRUE(number.cancelled());
    auto value = std::make_shared<int>(1);
    number.set_value(value);
    EXPECT_THROW(later.get(), regatta::task_cancelled);
    EXPECT_EQ(value.use_count(), 1);
    promise<std::shared_ptr<int>> dropped;
    static_cast<void>(dropped.get_future()); // Destroyed at once.
    dropped.set_value(value);
    EXPECT_EQ(value.use_count(), 1);
}

// One thread sets while another cancels: one of them comes first.
TEST(promise, is_set_or_cancelled) {
    int values = 0;
    for (int i = 0; i < 300; ++i) {
        const auto value = std::make_shared<int>(i);
        promise<std::shared_ptr<int>> number;
        auto later = number.get_future();
        std::thread canceller([&] { later.cancel(); });
        number.set_value(value);
        canceller.join();
        ASSERT_TRUE(later.ready());
        try {
            values += *later.get() == i ? 1 : 0;
        } catch (const regatta::task_cancelled&) {
            ++values;
        }
        ASSERT_EQ(value.use_count(), 1);
    }
    EXPECT_EQ(values, 300);
}

// "What continues the future without an executor, and a coroutine that awaits it, run in
// `set_value`."
TEST(promise, continues_what_waits_for_it) {
    library_test::queue_executor executor(1);
    promise<int> number;
    int seen = 0;
    auto after = number.get_future().then([&](int n) { return seen = n; });
    number.set_value(5);
    EXPECT_EQ(seen, 5);
    EXPECT_EQ(after.get(), 5);
    promise<int> awaited;
    auto sum = regatta::co_spawn(executor, [](regatta::future<int> f) -> regatta::co_task<int> {
        co_return co_await std::move(f) + 1;
    }(awaited.get_future()));
    awaited.set_value(6);
    EXPECT_EQ(sum.get(), 7);
    promise<int> elsewhere;
    auto there = elsewhere.get_future().then(executor, [](int n) { return n + 2; });
    elsewhere.set_value(6);
    EXPECT_EQ(there.get(), 8);
    executor.stop();
}
