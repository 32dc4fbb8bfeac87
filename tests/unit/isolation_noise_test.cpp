// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/noise.hpp"
#include "machine/cpu_time.hpp"
#include "schemes/process_team.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/process/subprocess.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace regatta;
using namespace regatta::race;
using testing::HasSubstr;

namespace {

bool is_there(pid_t process) {
    return ::kill(process, 0) == 0;
}

std::string refusal_of(const std::string& text) {
    try {
        parse_noise(text);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return {};
}

unsigned last_allowed_cpu() {
    unsigned last = 0;
    for (const unsigned cpu : affinity_of_this_thread()) {
        last = cpu;
    }
    return last;
}

std::string allowed_cpus_of(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with("Cpus_allowed_list:")) {
            return line.substr(line.find('\t') + 1);
        }
    }
    return {};
}

} // namespace

TEST(isolation_noise, is_read_as_it_is_written) {
    for (const char* text : {"hostile:2", "spread:4", "bursty:64", "hostile:1"}) {
        EXPECT_EQ(parse_noise(text).to_string(), text);
    }
    EXPECT_EQ(parse_noise("spread:4"), (noise_plan{noise_kind::spread, 4}));
    EXPECT_EQ(parse_noise("none"), (noise_plan{noise_kind::none, 0}));
    EXPECT_EQ(parse_noise("none").to_string(), "none");
    EXPECT_TRUE(noise(parse_noise("none"), {0}, this_program()).processes().empty());
}

TEST(isolation_noise, says_what_is_wrong_and_what_is_allowed) {
    for (const char* text :
         {"", "hostile", "hostile:", "hostile:0", "hostile:65", "hostile:-1", "hostile:2x",
          "hostile: 2", "Hostile:2", "loud:2", ":2", "hostile:99999999999"}) {
        EXPECT_THAT(refusal_of(text), HasSubstr('"' + std::string(text) + '"')) << text;
        EXPECT_THAT(refusal_of(text),
                    HasSubstr("hostile:M, spread:M, bursty:M with M from 1 to 64"));
    }
}

TEST(isolation_noise, hostile_noise_runs_on_each_workers_cpu) {
    const unsigned cpu = last_allowed_cpu();
    noise some({noise_kind::hostile, 2}, {cpu}, this_program());
    ASSERT_EQ(some.processes().size(), 2u);
    for (const pid_t process : some.processes()) {
        EXPECT_EQ(allowed_cpus_of(process), std::to_string(cpu));
        EXPECT_GT(process_cpu_ns(process), 0);
    }
    some.stop();
}

TEST(isolation_noise, as_many_for_each_worker) {
    const unsigned cpu = last_allowed_cpu();
    noise some({noise_kind::hostile, 2}, {cpu, cpu}, this_program());
    EXPECT_EQ(some.processes().size(), 4u);
}

TEST(isolation_noise, other_noise_may_run_anywhere) {
    for (const noise_kind kind : {noise_kind::spread, noise_kind::bursty}) {
        noise some({kind, 3}, {last_allowed_cpu()}, this_program());
        ASSERT_EQ(some.processes().size(), 3u);
        for (const pid_t process : some.processes()) {
            EXPECT_EQ(allowed_cpus_of(process), affinity_of_this_thread().to_string());
        }
    }
}

TEST(isolation_noise, is_gone_once_it_was_stopped) {
    noise some({noise_kind::spread, 3}, {}, this_program());
    const auto processes = some.processes();
    some.stop();
    for (const pid_t process : processes) {
        EXPECT_FALSE(is_there(process));
    }
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    some.stop(); // of nothing
}

TEST(isolation_noise, its_cpu_time_is_counted_with_that_of_ended_children) {
    const std::int64_t before = children_cpu_ns();
    noise some({noise_kind::spread, 2}, {}, this_program());
    const std::int64_t used = some.cpu_ns();
    EXPECT_GT(used, 0);
    some.stop();
    EXPECT_GE(children_cpu_ns() - before, used - 2'000'000); // microseconds are cut off
}

TEST(isolation_noise, a_process_that_ended_before_its_time_is_told) {
    noise some({noise_kind::spread, 2}, {}, this_program());
    const auto processes = some.processes();
    ::kill(processes[1], SIGKILL);
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(processes[1]), &ended, WEXITED | WNOWAIT), 0);
    try {
        some.stop();
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("was killed by signal 9 (SIGKILL) before its time"));
    }
    EXPECT_FALSE(is_there(processes[0]));
}

TEST(isolation_noise, a_program_that_is_no_noise_is_told) {
    try {
        noise some({noise_kind::spread, 2}, {}, "/bin/true");
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("2 processes have ended instead"));
    }
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(isolation_noise, a_cpu_that_may_not_be_used_is_told) {
    EXPECT_THROW(noise({noise_kind::hostile, 1}, {cpu_set::max_width - 1}, this_program()),
                 std::runtime_error);
}

TEST(isolation_noise, dies_with_the_thread_that_made_it) {
    std::optional<noise> some;
    std::thread([&] {
        some.emplace(noise_plan{noise_kind::spread, 1}, std::vector<unsigned>(), this_program());
    }).join();
    const pid_t process = some->processes().front();
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(ended.si_status, SIGKILL);
    EXPECT_THROW(some->stop(), std::runtime_error);
}

TEST(isolation_noise, the_flag_is_for_the_experiment_alone) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--regatta-noise"},
                                                  {"--regatta-noise", "loud", "1"},
                                                  {"--regatta-noise", "spread", "x"},
                                                  {"--regatta-noise", "spread", "1", "2"}}) {
        subprocess child = spawn({.program = this_program(), .arguments = words});
        EXPECT_EQ(child.wait().code(), 2);
    }
}

int main(int argc, char** argv) {
    if (const auto status = run_as_noise(argc, argv)) {
        return *status;
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
