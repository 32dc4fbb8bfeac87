// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What is said of the schemes in Python, of races that never took place.

#include "report/race/python_words.hpp"

#include "race_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

using namespace regatta::race;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

struct python_race : fakes::result_maker {
    explicit python_race(double std_thread_ms) { add("std_thread", std_thread_ms); }

    python_race& python(const std::string& name, double ms, double interpreted_ms = 0,
                        double sent_bytes = 0, double threads = 2) {
        add(name, ms);
        result.schemes.back().figures = {{"interpreter_start_ns", 80e6},
                                         {"threads", threads},
                                         {"cpu_ns", 100e6},
                                         {"interpreted_ns", interpreted_ms * 1e6},
                                         {"sent_bytes", sent_bytes}};
        return *this;
    }
};

/// The words of a race, those that begin so; empty without.
std::string words_of(const race_result& result, const std::string& begin) {
    for (const std::string& text : python_words(result, {})) {
        if (text.starts_with(begin)) {
            return text;
        }
    }
    return {};
}

} // namespace

TEST(python_words, are_none_without_a_scheme_in_python) {
    EXPECT_THAT(python_words(fakes::result_maker().add("std_thread", 10).finish(), {}), IsEmpty());
    EXPECT_THAT(python_words(fakes::result_maker()
                                 .add("std_thread", 10)
                                 .add_skipped("python_threads", "no Python")
                                 .finish(),
                             {}),
                IsEmpty());
}

TEST(python_words, explain_a_race_with_every_scheme_in_python) {
    python_race race(50);
    race.python("python_serial", 120, 0.1).python("python_serial_1blas", 100, 0.1);
    race.python("python_threads", 200, 0.4).python("python_threads_1blas", 52, 0.4);
    race.python("python_processes", 220).python("python_processes_1blas", 60);
    race.python("python_pool_map", 260, 0, 64e6).python("python_pool_map_1blas", 90, 0, 64e6);
    race_result result = race.finish();
    EXPECT_THAT(
        python_words(result, {}),
        ElementsAre(
            AllOf(HasSubstr("of the CPU time of python_threads_1blas"),
                  HasSubstr("0.4 % went into code of Python"),
                  HasSubstr("python_serial_1blas 101 ms, python_threads_1blas 52.2 ms: "
                            "python_serial_1blas takes 1.9")),
            AllOf(HasSubstr("it computes with 2 in each process unless OPENBLAS_NUM_THREADS=1"),
                  HasSubstr("python_serial takes 1.2"), HasSubstr("python_threads takes 3.8"),
                  HasSubstr("python_processes takes 3.6"), HasSubstr("python_pool_map takes 2.9")),
            AllOf(HasSubstr("Starting workers: a process of python_processes_1blas"),
                  HasSubstr("a thread of python_threads_1blas"),
                  HasSubstr("python_processes_1blas takes 1.15× as long")),
            AllOf(HasSubstr("python_pool_map_1blas sent 64.0 MB"),
                  HasSubstr("where python_processes_1blas shares memory"),
                  HasSubstr("python_pool_map_1blas takes 1.50× as long")),
            AllOf(HasSubstr("The fastest in Python and the fastest in C++"),
                  HasSubstr("python_threads_1blas 52.2 ms, std_thread"), HasSubstr("1.04×")),
            AllOf(HasSubstr("Not in these times: starting the interpreter"),
                  HasSubstr("80.0 ms in each run"))));
}

// Threads whose time goes into Python itself need the lock nearly always.
TEST(python_words, tell_how_much_needed_the_lock) {
    python_race race(1);
    race.python("python_serial", 100, 99, 0, 1);
    race.python("python_threads", 101, 99, 0, 1);
    EXPECT_THAT(
        words_of(race.finish(), "Python's lock"),
        AllOf(HasSubstr("99 % went into code"), HasSubstr("no difference of 1.0 % or more")));
}

TEST(python_words, do_not_speak_of_what_did_not_run) {
    python_race race(50);
    race.python("python_pool_map", 90, 0, 1000);
    race.add_failed("python_processes", "it died", false);
    const race_result result = race.finish();
    EXPECT_EQ(words_of(result, "Python's lock"), "");
    EXPECT_EQ(words_of(result, "Threads of numpy"), "");
    EXPECT_EQ(words_of(result, "Starting workers"), "");
    EXPECT_THAT(words_of(result, "Pickling"),
                AllOf(HasSubstr("sent 1.00 kB"), Not(HasSubstr("python_processes"))));
}

// A variant is compared with the same variant, and with no other.
TEST(python_words, compare_like_with_like) {
    python_race race(50);
    race.python("python_threads_1blas", 55, 1);
    race.python("python_serial", 60, 1).python("python_pool_map_1blas", 70, 0, 1000);
    race.python("python_processes", 65);
    const race_result result = race.finish();
    EXPECT_THAT(words_of(result, "Python's lock"), Not(HasSubstr("python_serial")));
    EXPECT_THAT(words_of(result, "Pickling"), Not(HasSubstr("python_processes")));
}

TEST(python_words, call_nothing_a_difference_within_the_noise) {
    python_race race(50);
    race.python("python_threads", 50.1, 1).python("python_threads_1blas", 50);
    EXPECT_THAT(words_of(race.finish(), "Threads of numpy"),
                HasSubstr("no difference of 1.0 % or more"));
}

TEST(python_words, say_that_there_are_no_threads_to_switch_off) {
    python_race race(50);
    race.python("python_serial", 90, 1, 0, 1);
    race.python("python_serial_1blas", 90, 1, 0, 1);
    EXPECT_THAT(words_of(race.finish(), "Threads of numpy"),
                HasSubstr("there were none, so OPENBLAS_NUM_THREADS=1 changes nothing"));
}

TEST(python_words, keep_to_ascii_where_that_is_asked_for) {
    python_race race(50);
    race.python("python_threads", 90, 1).python("python_threads_1blas", 60);
    for (const std::string& text : python_words(race.finish(), {.unicode = false})) {
        EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) << text;
    }
}
