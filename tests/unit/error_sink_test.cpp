// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/config.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/core/error_sink.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

using regatta::error_sink;

TEST(error_sink, hands_every_error_to_its_callable) {
    int calls = 0;
    error_sink sink([&calls](std::exception_ptr) { ++calls; });
    sink.report(nullptr, 0, "pool", "mine");
    sink.report(nullptr, 1, "pool", "mine");
    error_sink moved(std::move(sink));
    moved.report(nullptr, 2, "pool", "mine");
    EXPECT_EQ(calls, 3);
}

TEST(error_sink, takes_callables_that_cannot_be_copied) {
    auto count = std::make_unique<int>(0);
    int* const seen = count.get();
    error_sink sink([mine = std::move(count)](const std::exception_ptr&) { ++*mine; });
    sink.report(nullptr, 0, "pool", "mine");
    EXPECT_EQ(*seen, 1);
}

// "Copies share the callable."
TEST(error_sink, is_shared_by_its_copies) {
    int last = 0;
    error_sink sink(
        [calls = std::make_unique<int>(0), &last](const std::exception_ptr&) { last = ++*calls; });
    const error_sink copy = sink;
    sink.report(nullptr, 0, "pool", "mine");
    copy.report(nullptr, 0, "pool", "mine");
    error_sink other;
    other = copy;
    sink = error_sink();
    other.report(nullptr, 0, "pool", "mine");
    EXPECT_EQ(last, 3);
}

#if REGATTA_EXCEPTIONS
TEST(error_sink, prints_the_first_error_by_default_and_no_other) {
    error_sink sink;
    const auto error = std::make_exception_ptr(std::runtime_error("the cause"));
    testing::internal::CaptureStderr();
    sink.report(error, 0, "pool", "mine");
    const std::string first = testing::internal::GetCapturedStderr();
    EXPECT_EQ(first,
              "regatta: unhandled exception in the pool 'mine': the cause (its later ones are "
              "only counted)\n");
    testing::internal::CaptureStderr();
    sink.report(error, 1, "pool", "mine");
    sink.report(error, 2, "pool", "mine");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// "An empty one, as a default constructed `std::function`, stands for the default."
TEST(error_sink, takes_an_empty_callable_for_the_default) {
    const auto error = std::make_exception_ptr(std::runtime_error("the cause"));
    void (*const no_function)(std::exception_ptr) = nullptr;
    const std::function<void(std::exception_ptr)> empty;
    for (const error_sink& sink : {error_sink(empty), error_sink(no_function),
                                   error_sink(regatta::inline_task<void(std::exception_ptr)>())}) {
        testing::internal::CaptureStderr();
        sink.report(error, 0, "pool", "mine");
        EXPECT_NE(testing::internal::GetCapturedStderr().find("the cause"), std::string::npos);
    }
}

TEST(error_sink, prints_what_is_no_standard_exception) {
    error_sink sink;
    testing::internal::CaptureStderr();
    sink.report(std::make_exception_ptr(42), 0, "pool", "mine");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("unknown type"), std::string::npos);
}

TEST(error_sink, ignores_what_the_callable_throws) {
    error_sink sink([](std::exception_ptr) { throw std::runtime_error("in the sink"); });
    sink.report(nullptr, 0, "pool", "mine");
    sink.report(nullptr, 1, "pool", "mine");
}

TEST(error_sink, passes_the_exception_itself) {
    std::string text;
    error_sink sink([&text](std::exception_ptr error) {
        try {
            std::rethrow_exception(std::move(error));
        } catch (const std::exception& e) {
            text = e.what();
        }
    });
    sink.report(std::make_exception_ptr(std::logic_error("whole")), 0, "pool", "mine");
    EXPECT_EQ(text, "whole");
}
#endif
