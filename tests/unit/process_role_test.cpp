// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A program that starts itself, and does not look for what it was started for: it is told so, and
// there is an end to it.

#include "support/process_peer.hpp"

#include "schemes/process_role.hpp"
#include "schemes/scheme.hpp"
#include "schemes/temporary_folder.hpp"
#include "workloads/workload.hpp"

#include <regatta/base/config.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

using namespace regatta::race;
using testing::AllOf;
using testing::EndsWith;
using testing::MatchesRegex;
using testing::StartsWith;

namespace {

/// What the careless program prints. It runs where no regatta-worker is installed.
std::string output_of(const std::string& part, const std::string& way) {
    const temporary_folder folder;
    const std::string program = folder.path() + "/careless";
    std::filesystem::copy_file(CARELESS_PROGRAM, program);
    regatta::spawn_options options{.program = program};
    options.environment.set("CARELESS_PART", part).set("CARELESS_WAY", way);
    const process_test::program_result result = process_test::run(options);
    EXPECT_TRUE(result.status.success()) << result.status.describe();
    return result.output;
}

/// Why that scheme cannot be tested here; empty where it can.
std::string missing(const std::string& name) {
    const scheme_info* scheme = find_scheme(name);
    if (REGATTA_THREAD_SANITIZER != 0 && scheme->traits.synchronises_unseen) {
        return name + ": not built for the thread sanitizer";
    }
    return scheme->missing(*find_workload("primes")->make({.size = 1}));
}

const std::string what_main_has_to_do =
    "this program cannot start itself with --regatta-worker: its main has to begin with "
    "run_as_worker(argc, argv), and to end where that returns a status";

} // namespace

TEST(process_role, is_played_where_the_first_argument_says_so) {
    process_role role("--role", "run_as_role");
    const char* const words[] = {"program", "--role", "x"};
    EXPECT_TRUE(role.is_played(3, words));
    EXPECT_THROW(role.program(), std::logic_error) << "a process that plays it starts no other";
    EXPECT_FALSE(role.is_played(1, words));
    EXPECT_EQ(role.program(), std::filesystem::canonical("/proc/self/exe"));
}

TEST(process_role, names_what_main_has_to_do_and_what_else_would_help) {
    const process_role role("--role", "run_as_role");
    try {
        role.program("; or all else has to be done");
        ADD_FAILURE() << "no error";
    } catch (const std::logic_error& error) {
        EXPECT_STREQ(error.what(),
                     "this program cannot start itself with --role: its main has to begin with "
                     "run_as_role(argc, argv), and to end where that returns a status; or all else "
                     "has to be done");
    }
}

TEST(careless_program, starts_no_worker_of_processes) {
    EXPECT_EQ(output_of("processes", "never"),
              "0: " + what_main_has_to_do +
                  "; or regatta-worker has to be installed in ../libexec/regatta of its folder\n");
}

TEST(careless_program, starts_no_worker_of_zmq_ipc) {
    if (const std::string reason = missing("zmq_ipc"); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    EXPECT_EQ(output_of("zmq_ipc", "never"), "0: " + what_main_has_to_do + "\n");
}

TEST(careless_program, starts_no_noise) {
    EXPECT_EQ(output_of("noise", "never"),
              "0: this program cannot start itself with --regatta-noise: its main has to begin "
              "with run_as_noise(argc, argv), and to end where that returns a status\n");
}

// Its worker does not find out that it is one, and is refused workers of its own; its parent sees
// that no work was done, although the worker ended well.
TEST(careless_program, whose_worker_does_not_know_its_arguments_starts_no_more) {
    EXPECT_THAT(output_of("processes", "without_arguments"),
                AllOf(StartsWith("1: " + what_main_has_to_do),
                      EndsWith("/careless ended well without\n"),
                      MatchesRegex("1: .*\n0: only 0 of 1 workers did their work: .*\n")));
    if (missing("zmq_ipc").empty()) {
        EXPECT_THAT(output_of("zmq_ipc", "without_arguments"),
                    MatchesRegex("1: " + what_main_has_to_do.substr(0, 30) +
                                 ".*\n0: worker 0 .process [0-9]+. exited with status 0\n"));
    }
}

// Its worker does the work, and would then go on as if it were none.
TEST(careless_program, whose_worker_goes_on_starts_no_more) {
    EXPECT_THAT(output_of("processes", "unheeded"),
                AllOf(StartsWith("1: " + what_main_has_to_do), EndsWith("\n0: done\n")));
}
