// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/pool_functions.hpp"

#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace pool_calls {

std::uint64_t mix(std::uint64_t x) {
    return pool_test::mixed(x);
}
double scaled(const regatta::process_task& task, double x, double factor) {
    return x * factor + static_cast<double>(task.index);
}
struct tally {
    std::array<int, 4> counts;
};
void count_bits(const std::uint64_t& x, tally& sum) {
    for (int bit = 0; bit < 64; ++bit) {
        sum.counts[static_cast<std::size_t>(bit / 16)] += static_cast<int>(x >> bit & 1);
    }
}
void sum_before(const regatta::process_task& task, std::span<const int> in, std::span<int> out) {
    out[task.index] = std::accumulate(in.begin(), in.begin() + static_cast<long>(task.index), 0);
}
/// Throws a long text: that many bytes of another character, then characters of this one alone.
void throw_much(int before, std::array<char, 8> character) {
    std::string text(static_cast<std::size_t>(before), '.');
    for (int i = 0; i < 400; ++i) {
        text += character.data();
    }
    throw std::runtime_error(text);
}
/// Whether a worker is told that the pool is for its parent to make.
bool is_refused_a_pool() {
    try {
        regatta::process_pool(1u).wait();
        return false;
    } catch (const std::logic_error& error) {
        return std::string(error.what()).starts_with("a task of a process pool");
    }
}
struct alignas(4096) page {
    int value;
};
/// -1 where the elements are not aligned as their type wants it.
void check_page(const page& in, page& out) {
    const auto at = reinterpret_cast<std::uintptr_t>(&in) | reinterpret_cast<std::uintptr_t>(&out);
    out.value = at % alignof(page) == 0 ? in.value + 1 : -1;
}
int add(int a, int b) {
    return a + b;
}
void nothing() {}
void fill(std::span<int> to, int value) {
    for (int& one : to) {
        one = value;
    }
}
int sum_of_four(std::span<const int, 4> from) {
    return std::accumulate(from.begin(), from.end(), 0);
}
int refuse(int x) {
    if (x % 2 != 0) {
        throw std::out_of_range("no odd number: " + std::to_string(x));
    }
    return x;
}
void throw_number() {
    throw 5;
}
regatta::process_task whose(const regatta::process_task& task, int) {
    return task;
}
int wait_for_byte(int x) {
    // Its standard input is empty: what it reads comes from a pipe with a name.
    const int pipe = ::open(std::getenv("POOL_TEST_PIPE"), O_RDONLY);
    char byte = 0;
    while (::read(pipe, &byte, 1) < 0 && errno == EINTR) {
    }
    ::close(pipe);
    return x;
}

} // namespace pool_calls

using pool_test::process_pool;
using namespace pool_calls;

TEST_F(process_pool, maps_a_function_of_elements) { // "its result becomes element i of the output"
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<std::uint64_t>(1000);
    const auto out = pool.allocate<std::uint64_t>(1000);
    std::iota(in.begin(), in.end(), 7u);
    pool.map<mix>(in, out).get();
    for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], pool_test::mixed(i + 7)) << i;
    }
    EXPECT_EQ(pool.stats().run, 1000u);
    EXPECT_EQ(pool.stats().submitted, 1000u);
}

TEST_F(process_pool, passes_more_arguments_and_the_task) { // "passed at the end", "in front"
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<double>(10);
    const auto out = pool.allocate<double>(10);
    std::fill(in.begin(), in.end(), 2.0);
    pool.map<scaled>(in, out, 5, 10.0).get(); // Only the first five.
    EXPECT_EQ(out[4], 24.0);
    EXPECT_EQ(out[5], 0.0);
}

TEST_F(process_pool, an_element_that_accumulates_begins_value_initialised_in_each_attempt) {
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<std::uint64_t>(100);
    const auto out = pool.allocate<tally>(100);
    std::fill(in.begin(), in.end(), 0x0001'0003'0007'000Fu);
    pool.map<count_bits>(in, out).get();
    for (const tally& one : out) {
        ASSERT_EQ(one.counts, (std::array<int, 4>{4, 3, 2, 1}));
    }
}

TEST_F(process_pool, maps_a_function_of_whole_ranges) { // "sees the whole ranges"
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<int>(50);
    const auto out = pool.allocate<int>(50);
    std::iota(in.begin(), in.end(), 0);
    pool.map<sum_before>(in, out).get();
    EXPECT_EQ(out[49], 48 * 49 / 2);
}

TEST_F(process_pool, submits_calls_with_results) {
    regatta::process_pool pool(2);
    std::vector<regatta::future<int>> results;
    for (int i = 0; i < 300; ++i) { // More than can be at work at once.
        results.push_back(pool.submit<add>(i, 1000));
    }
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(results[static_cast<std::size_t>(i)].get(), i + 1000);
    }
    pool.submit<nothing>().get();
    EXPECT_EQ(pool.submit<add>(1, 2).then([](int n) { return n * 10; }).get(), 30);
}

TEST_F(process_pool, a_task_cannot_make_a_pool_of_its_program_and_is_told_so) {
    regatta::process_pool pool(1);
    EXPECT_TRUE(pool.submit<pool_calls::is_refused_a_pool>().get());
}

TEST_F(process_pool, a_span_of_its_memory_is_an_argument) {
    regatta::process_pool pool(1);
    const auto to = pool.allocate<int>(100);
    pool.submit<fill>(to.subspan(10, 20), 9).get();
    EXPECT_EQ(to[9], 0);
    EXPECT_EQ(to[10], 9);
    EXPECT_EQ(to[29], 9);
    EXPECT_EQ(to[30], 0);
    EXPECT_EQ(pool.submit<sum_of_four>(to.subspan(8).first<4>()).get(), 18);
    int elsewhere[4] = {};
    EXPECT_THROW(pool.submit<sum_of_four>(std::span<const int, 4>(elsewhere)),
                 std::invalid_argument);
    EXPECT_THROW(pool.submit<fill>(std::span<int>(elsewhere), 9), std::invalid_argument);
    EXPECT_THROW(pool.submit<fill>(std::span<int>(to.data() + 90, 2000), 9), std::invalid_argument);
    EXPECT_THROW(pool.submit<fill>(std::span<int>(to.data(), SIZE_MAX / sizeof(int) + 2), 9),
                 std::invalid_argument);
    for (const auto part : {to.first(1), to.last(1), to.first(0)}) {
        EXPECT_THROW(pool.release(part), std::invalid_argument);
    }
    pool.release(to);
    EXPECT_THROW(pool.submit<fill>(to, 9), std::invalid_argument);
    EXPECT_THROW(pool.release(to), std::invalid_argument);
}

TEST_F(process_pool, elements_are_aligned_up_to_a_page) { // "aligned to 4096 bytes"
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<pool_calls::page>(3);
    const auto out = pool.allocate<pool_calls::page>(3);
    for (int i = 0; i < 3; ++i) {
        in[static_cast<std::size_t>(i)].value = i;
    }
    pool.map<pool_calls::check_page>(in, out).get();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(out[static_cast<std::size_t>(i)].value, i + 1);
    }
}

TEST_F(process_pool, memory_that_was_given_back_is_all_zeros_again) {
    regatta::process_pool pool({.workers = 1, .shared_memory = 1 << 20});
    const auto first = pool.allocate<int>(200000);
    first[3] = 3;
    EXPECT_THROW(pool.allocate<int>(200000), std::system_error); // "ENOMEM"
    pool.release(first);
    EXPECT_EQ(pool.allocate<int>(200000)[3], 0);
}

TEST_F(process_pool, refuses_more_tasks_than_elements) {
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<std::uint64_t>(10);
    const auto out = pool.allocate<std::uint64_t>(20);
    EXPECT_THROW(pool.map<mix>(in, out), std::invalid_argument);
    EXPECT_TRUE(pool.map<mix>(in, out, 0).done());
}

// "an attempt that is begun again would compute from what the one before it has written"
TEST_F(process_pool, refuses_to_compute_elements_from_themselves) {
    regatta::process_pool pool(1);
    const auto x = pool.allocate<std::uint64_t>(4);
    EXPECT_THROW(pool.map<pool_calls::mix>(x, x), std::invalid_argument);
    EXPECT_THROW(pool.map<pool_calls::mix>(x.first(3), x.last(3)), std::invalid_argument);
    EXPECT_THROW(pool.map<pool_calls::mix>(x.last(3), x.first(3)), std::invalid_argument);
    pool.map<pool_calls::mix>(x.first(3), x.last(3), 1).get(); // The first elements are apart.
    pool.map<pool_calls::mix>(x.first(2), x.last(2)).get();
    EXPECT_EQ(x[2], pool_calls::mix(0));
    pool.map<pool_calls::mix>(x.first(0), x.first(0)).get();
}

TEST_F(process_pool, more_tasks_than_memory_can_hold_are_an_error) {
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<int>(1);
    const auto out = pool.allocate<int>(1);
    for (const std::size_t tasks : {SIZE_MAX / 16, SIZE_MAX / 4, SIZE_MAX}) {
        EXPECT_THROW(pool.map<sum_before>(in, out, tasks), std::system_error);
    }
    pool.map<sum_before>(in, out, 1).get();
}

TEST_F(process_pool, what_a_function_throws_is_thrown_by_its_future) { // "`remote_error`"
    regatta::process_pool pool(1);
    auto odd = pool.submit<refuse>(3);
    try {
        odd.get();
        FAIL() << "nothing was thrown";
    } catch (const regatta::remote_error& error) {
        EXPECT_EQ(error.type(), "std::out_of_range");
        EXPECT_EQ(error.failure().text, "no odd number: 3");
        EXPECT_EQ(error.failure().attempts, 1u); // An exception is an answer: it runs once.
        EXPECT_STREQ(error.what(), "task 0: std::out_of_range: no odd number: 3");
    }
    EXPECT_EQ(pool.submit<refuse>(4).get(), 4);
}

// "what it says, at most 375 bytes": and no half of a character, which no reader of UTF-8 takes.
TEST_F(process_pool, a_long_text_of_an_exception_ends_with_a_whole_character) {
    regatta::process_pool pool(1);
    const auto length = [&](int before, std::array<char, 8> character) {
        try {
            pool.submit<pool_calls::throw_much>(before, character).get();
        } catch (const regatta::remote_error& error) {
            return error.failure().text.size();
        }
        return std::size_t{0};
    };
    EXPECT_EQ(length(0, {"x"}), 375u);
    EXPECT_EQ(length(0, {"\xc3\xa9"}), 374u); // Two bytes each.
    EXPECT_EQ(length(1, {"\xc3\xa9"}), 375u);
    EXPECT_EQ(length(1, {"\xf0\x9f\x9a\xa3"}), 373u); // Four bytes each.
    EXPECT_EQ(length(0, {"\x9a"}), 375u);             // No UTF-8.
}

TEST_F(process_pool, a_job_tells_which_tasks_failed_and_the_rest_is_done) {
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<int>(100);
    const auto out = pool.allocate<int>(100);
    std::iota(in.begin(), in.end(), 0);
    const auto job = pool.map<refuse>(in, out);
    const auto failures = job.failures();
    ASSERT_EQ(failures.size(), 50u);
    EXPECT_EQ(failures[0].task, 1u);
    EXPECT_EQ(failures[49].task, 99u);
    EXPECT_EQ(out[98], 98);
    EXPECT_THROW(job.get(), regatta::remote_error);
    EXPECT_EQ(pool.stats().errors, 50u);
    const auto without = std::find_if(failures.begin(), failures.end(),
                                      [](const auto& one) { return one.type.empty(); });
    ASSERT_NE(without, failures.end()); // "keeps the texts of its first 16"
    EXPECT_EQ(without->describe(), "task " + std::to_string(without->task) +
                                       ": the job keeps the texts of its first 16 exceptions");
}

// "Tells which tasks failed and how, in the order of their index": those included that were
// cancelled between others.
TEST_F(process_pool, a_job_that_is_cancelled_tells_what_became_of_each_task) {
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<int>(100'000);
    const auto out = pool.allocate<int>(in.size());
    std::iota(in.begin(), in.end(), 0);
    const auto job = pool.map<refuse>(in, out);
    library_test::await([&] { return job.progress() > 3; });
    const std::size_t cancelled = job.cancel();
    const auto failures = job.failures();
    std::size_t told = 0;
    for (std::size_t i = 0; i < failures.size(); ++i) {
        EXPECT_TRUE(i == 0 || failures[i - 1].task < failures[i].task);
        told += failures[i].cause == regatta::failure_cause::cancelled ? 1 : 0;
    }
    EXPECT_EQ(told, cancelled);
    EXPECT_EQ(failures.front().task, 1u); // Which threw.
    EXPECT_THROW(job.get(), regatta::remote_error);
    const auto stats = pool.stats();
    EXPECT_EQ(stats.cancelled, cancelled);
    EXPECT_EQ(stats.errors, failures.size() - cancelled);
    EXPECT_EQ(stats.run, in.size() - cancelled);
    EXPECT_EQ(stats.poisoned, 0u);
}

TEST_F(process_pool, what_is_thrown_and_says_nothing_is_told_by_its_type) {
    regatta::process_pool pool(1);
    try {
        pool.submit<throw_number>().get();
        FAIL() << "nothing was thrown";
    } catch (const regatta::remote_error& error) {
        EXPECT_STREQ(error.what(), "task 0: int");
    }
}

TEST_F(process_pool, failures_of_execute_go_to_the_error_sink) {
    std::atomic<int> reported{0};
    regatta::process_pool pool({.workers = 1, .on_error = [&](std::exception_ptr error) {
                                    EXPECT_THROW(std::rethrow_exception(error),
                                                 regatta::remote_error);
                                    ++reported;
                                }});
    pool.execute<refuse>(2);
    pool.execute<refuse>(3);
    pool.wait();
    EXPECT_EQ(reported.load(), 1);
}

TEST_F(process_pool, prints_the_first_error_without_a_sink) { // "prints the first"
    testing::internal::CaptureStderr();
    {
        regatta::process_pool pool(1);
        for (const int x : {1, 3, 5}) {
            pool.execute<refuse>(x);
            pool.wait();
        }
        EXPECT_EQ(pool.stats().errors, 3u);
    }
    const auto printed = testing::internal::GetCapturedStderr();
    EXPECT_NE(printed.find("no odd number: 1"), std::string::npos) << printed;
    EXPECT_EQ(printed.find("no odd number: 3"), std::string::npos) << printed;
    EXPECT_EQ(printed.find("no odd number: 5"), std::string::npos) << printed;
}

TEST_F(process_pool, hands_each_attempt_its_key) { // "{job, index} is the same for each attempt"
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<int>(20);
    const auto out = pool.allocate<regatta::process_task>(20);
    const auto job = pool.map<whose>(in, out);
    job.get();
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(out[i].job, job.number());
        EXPECT_EQ(out[i].index, i);
        EXPECT_EQ(out[i].attempt, 1u);
        EXPECT_LT(out[i].worker, 2u);
    }
}

TEST_F(process_pool, cancels_what_has_not_begun) {
    const std::string pipe = "/tmp/regatta_pool_" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    regatta::process_pool_options options{.workers = 1};
    options.environment.set("POOL_TEST_PIPE", pipe);
    {
        regatta::process_pool pool(options);
        const auto in = pool.allocate_input<int>(100);
        const auto out = pool.allocate<int>(100);
        const auto job = pool.map<wait_for_byte>(in, out);
        auto later = pool.submit<add>(1, 2);
        const int hold = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC); // Opens once a task has.
        EXPECT_FALSE(job.wait_for(std::chrono::milliseconds(1)));
        EXPECT_FALSE(pool.wait_for(std::chrono::milliseconds(1)));
        EXPECT_FALSE(job.done());
        EXPECT_TRUE(later.cancel());
        EXPECT_EQ(job.cancel(), 99u); // "@returns how many those were"
        EXPECT_EQ(job.progress(), 99u);
        std::vector<regatta::process_job> jobs; // More than workers can take part in at once.
        for (int i = 0; i < 100; ++i) {
            jobs.push_back(pool.map<wait_for_byte>(in, out));
        }
        EXPECT_EQ(jobs.back().cancel(), 100u);
        EXPECT_TRUE(jobs.back().done());
        EXPECT_EQ(jobs.back().cancel(), 0u);
        jobs.pop_back();
        for (const auto& one : jobs) {
            EXPECT_EQ(one.cancel(), 100u);
        }
        EXPECT_EQ(::write(hold, "x", 1), 1);
        ::close(hold);
        const auto failures = job.failures();
        ASSERT_EQ(failures.size(), 99u);
        EXPECT_EQ(failures[0].cause, regatta::failure_cause::cancelled);
        pool.wait();
        EXPECT_EQ(pool.stats().cancelled, 100u + 100 * 100u);
        EXPECT_THROW(later.get(), regatta::task_cancelled);
    }
    ::unlink(pipe.c_str());
}
