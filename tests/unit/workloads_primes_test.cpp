// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/primes.hpp"
#include "workloads/settings.hpp"
#include "workloads/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

using namespace regatta::race;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

std::string what_of(const workload_options& options) {
    try {
        make_primes(options);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

// "How many primes there are from 3 on and below that number": numbers that are well known, less
// one for the 2.
TEST(primes, counts_what_number_theory_knows) {
    EXPECT_EQ(count_primes(3), 0u);
    EXPECT_EQ(count_primes(4), 1u); // the 3
    EXPECT_EQ(count_primes(100), 25u - 1);
    EXPECT_EQ(count_primes(1000), 168u - 1);
    EXPECT_EQ(count_primes(10'000), 1229u - 1);
    EXPECT_EQ(sieve_primes(1'000'000), 78'498u - 1);
}

// Squares of primes are where a comparison with the square root shows.
TEST(primes, both_ways_agree_around_squares) {
    for (const std::uint64_t square : {4u, 9u, 25u, 49u, 121u, 961u, 1024u, 1369u}) {
        for (std::uint64_t below = square - 1; below <= square + 2; ++below) {
            EXPECT_EQ(count_primes(below), sieve_primes(below)) << below;
        }
    }
}

TEST(primes, each_item_must_be_right) {
    const auto work = make_primes({.size = 3, .max_prime = 1000});
    const auto shared = attach_primes(work->descriptor()); // as in another process
    EXPECT_EQ(shared->items(), 3u);
    work->run(0);
    shared->run(2);
    EXPECT_THAT(work->verify().message,
                AllOf(HasSubstr("item 1 counted nothing"), HasSubstr("expected 167 primes")));
    work->run(1);
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
    work->reset();
    EXPECT_THAT(work->verify().message, HasSubstr("item 0"));
}

TEST(primes, a_run_amounts_to_its_events) {
    const amount all = make_primes({.size = 7})->work_of_run();
    EXPECT_EQ(all.value, 7);
    EXPECT_EQ(all.unit, "events");
}

TEST(primes, numbers_out_of_range_are_refused_with_the_range) {
    EXPECT_THAT(what_of({.size = 0}), HasSubstr("size 0 is out of range 1 to 1000000"));
    EXPECT_THAT(what_of({.max_prime = 999}), AllOf(HasSubstr("primes"), HasSubstr("max-prime 999"),
                                                   HasSubstr("1000 to 10000000")));
    EXPECT_THAT(what_of({.max_prime = 10'000'001}), HasSubstr("1000 to 10000000"));
    EXPECT_EQ(what_of({.size = 1, .max_prime = 10'000'000}), "accepted");
}

TEST(settings, are_those_that_the_workload_reads_with_the_values_that_it_runs_with) {
    const workload_info& primes = *find_workload("primes");
    EXPECT_TRUE(reads_option(primes, "max_prime"));
    EXPECT_TRUE(reads_option(primes, "max-prime"));
    EXPECT_FALSE(reads_option(primes, "max"));
    EXPECT_FALSE(reads_option(primes, "seed"));
    EXPECT_THAT(settings_of(primes, {}),
                ElementsAre(Pair("size", "1000"), Pair("max_prime", "10000")));
    EXPECT_THAT(settings_of(primes, {.size = 3, .max_prime = 2000}),
                ElementsAre(Pair("size", "3"), Pair("max_prime", "2000")));
    EXPECT_THAT(settings_of(*find_workload("matmul"), {.kernel = "tiled", .seed = 5}),
                ElementsAre(Pair("size", "512"), Pair("kernel", "tiled"), Pair("seed", "5")));
    EXPECT_THAT(settings_of(*find_workload("products"), {.items = 3, .type = "double"}),
                ElementsAre(Pair("size", "512"), Pair("items", "3"), Pair("type", "double"),
                            Pair("seed", "1")));
}
