// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
//
// On the machine's own CPUs, whose other tenants are unknown: each test looks for its own intruder.

#include "exclusive_fakes.hpp"
#include "intruder.hpp"
#include "support/time_namespace.hpp"

#include "inspect/exclusivity_checker.hpp"
#include "inspect/switch_trace.hpp"
#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/jitter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

namespace {

using namespace std::chrono_literals;
using library_test::intruder;
using regatta::check_exclusivity;
using regatta::cpu_check;
using regatta::cpu_set;
using regatta::exclusivity_check_options;
using regatta::task_presence;
using regatta::task_role;

constexpr const char* moved = "another program has taken the CPU meanwhile";

/// The last CPU that this process may use.
unsigned some_cpu() {
    unsigned last = 0;
    for (const unsigned cpu : regatta::affinity_of_this_thread()) {
        last = cpu;
    }
    return last;
}

const task_presence* find(const cpu_check& check, int pid) {
    for (const task_presence& one : check.tasks) {
        if (one.pid == pid) {
            return &one;
        }
    }
    return nullptr;
}

const task_presence* find(const cpu_check& check, const std::string& name, task_role role) {
    for (const task_presence& one : check.tasks) {
        if (one.name == name && one.role == role) {
            return &one;
        }
    }
    return nullptr;
}

bool can_trace() {
    int error = 0;
    return regatta::detail::switch_trace::open(some_cpu(), error).has_value();
}

exclusivity_check_options options_of(std::chrono::nanoseconds duration) {
    exclusivity_check_options options;
    options.duration = duration;
    return options;
}

/// Until the intruder has run some rounds during the check; on a busy machine that may take long.
exclusivity_check_options options_until_seen(const intruder& planted) {
    auto options = options_of(60s);
    options.stop = [&planted, start = std::optional<unsigned>()]() mutable {
        if (!start) {
            start = planted.rounds();
        }
        constexpr unsigned enough = 3;
        return planted.rounds() >= *start + enough || !planted.in_place();
    };
    return options;
}

} // namespace

TEST(exclusivity_check, refuses_what_cannot_be_checked) {
    const auto check = [](const cpu_set& cpus, const exclusivity_check_options& options) {
        check_exclusivity(cpus, options);
    };
    const cpu_set cpu{some_cpu()};
    EXPECT_THROW(check({}, {}), std::invalid_argument);
    EXPECT_THROW(check({regatta::detail::configured_cpus() + 3}, {}), std::invalid_argument);
    EXPECT_THROW(check(cpu, options_of(0s)), std::invalid_argument);
    auto options = options_of(1ms);
    options.threshold = 50ns;
    EXPECT_THROW(check(cpu, options), std::invalid_argument);
    options = options_of(1ms);
    options.owners = {-1};
    EXPECT_THROW(check(cpu, options), std::invalid_argument);
    options.owners = {4'194'303 + 5};
    EXPECT_THROW(check(cpu, options), std::invalid_argument);
    // A thread: /proc has a folder of that number, but its process would be the intruder.
    std::thread([&] {
        options.owners = {regatta::number_of_this_thread()};
        EXPECT_THROW(check(cpu, options), std::invalid_argument);
        options.owners = {::getpid()};
        EXPECT_NO_THROW(check(cpu, options));
    }).join();
}

TEST(exclusivity_check, a_trace_names_the_intruder_and_tells_its_time) {
    if (!can_trace()) {
        GTEST_SKIP() << "the kernel does not tell this process of switches";
    }
    const unsigned cpu = some_cpu();
    const intruder planted(cpu, "planted spin", intruder::manner::spinning);
    const auto report = check_exclusivity(cpu_set{cpu}, options_until_seen(planted));
    if (!planted.in_place()) {
        GTEST_SKIP() << moved;
    }
    ASSERT_EQ(report.cpus.size(), 1u);
    const cpu_check& check = report.cpus.front();
    EXPECT_TRUE(check.traced);
    const task_presence* const found = find(check, planted.pid());
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->name, "planted spin");
    EXPECT_EQ(found->role, task_role::intruder);
    EXPECT_GT(found->time_ns, 0);
    EXPECT_LT(found->time_ns, check.elapsed_ns());
    EXPECT_GE(found->longest_ns * static_cast<std::int64_t>(found->turns + 1), found->time_ns);
    EXPECT_FALSE(report.exclusive());
    // The loop felt it.
    ASSERT_TRUE(check.gaps);
    EXPECT_GT((*check.gaps)[regatta::gap_cause::user_task].count(), 0u);
    // The longest of all may be the hypervisor's.
    const auto& longest = check.gaps->longest;
    const auto felt = std::ranges::find(longest, regatta::gap_cause::user_task,
                                        [](const auto& gap) { return gap.cause; });
    ASSERT_NE(felt, longest.end());
    EXPECT_LT(felt->task, check.tasks.size());
    // Every moment belongs to somebody, or to nobody: never to two.
    std::int64_t sum = 0;
    for (const task_presence& one : check.tasks) {
        sum += one.time_ns;
    }
    EXPECT_LE(sum, check.elapsed_ns());
}

// There the kernel's own clock is not this process's.
TEST(exclusivity_check, a_trace_names_the_intruder_in_a_time_namespace) {
    if (!can_trace()) {
        GTEST_SKIP() << "the kernel does not tell this process of switches";
    }
    const intruder planted(some_cpu(), "planted spin", intruder::manner::spinning);
    const auto status = library_test::in_time_namespace([&] {
        const auto report = check_exclusivity(cpu_set{some_cpu()}, options_until_seen(planted));
        const cpu_check& check = report.cpus.at(0);
        return check.traced && find(check, planted.pid()) != nullptr && check.gaps &&
                       (*check.gaps)[regatta::gap_cause::user_task].count() > 0
                   ? 0
                   : 1;
    });
    if (!status || !planted.in_place()) {
        GTEST_SKIP() << (status ? moved : "this user may not make time namespaces");
    }
    EXPECT_EQ(*status, 0);
}

TEST(exclusivity_check, a_trace_names_the_intruder_each_time) {
    if (!can_trace()) {
        GTEST_SKIP() << "the kernel does not tell this process of switches";
    }
    const unsigned cpu = some_cpu();
    for (int i = 0; i < 20; ++i) {
        const std::string name = "planted " + std::to_string(i);
        const intruder planted(cpu, name, intruder::manner::bursts);
        auto options = options_until_seen(planted);
        options.gap_loop = i % 2 == 0;
        const auto report = check_exclusivity(cpu_set{cpu}, options);
        if (!planted.in_place()) {
            GTEST_SKIP() << moved;
        }
        EXPECT_NE(find(report.cpus.front(), name, task_role::intruder), nullptr) << i;
    }
}

TEST(exclusivity_check, a_trace_names_those_that_live_but_a_moment) {
    if (!can_trace()) {
        GTEST_SKIP() << "the kernel does not tell this process of switches";
    }
    const unsigned cpu = some_cpu();
    const intruder planted(cpu, "planted brief", intruder::manner::brief);
    auto options = options_until_seen(planted);
    options.gap_loop = false;
    const auto report = check_exclusivity(cpu_set{cpu}, options);
    if (!planted.in_place()) {
        GTEST_SKIP() << moved;
    }
    int children = 0;
    for (const task_presence& one : report.cpus.front().tasks) {
        children += one.name == "planted brief" && one.pid != planted.pid() ? 1 : 0;
    }
    EXPECT_GT(children, 0); // They have no name but their parent's.
}

TEST(exclusivity_check, without_a_trace_somebody_is_known_to_have_run) {
    const unsigned cpu = some_cpu();
    const intruder planted(cpu, "planted quiet", intruder::manner::spinning);
    auto options = options_until_seen(planted);
    options.trace = false;
    const auto report = check_exclusivity(cpu_set{cpu}, options);
    if (!planted.in_place()) {
        GTEST_SKIP() << moved;
    }
    const cpu_check& check = report.cpus.front();
    EXPECT_FALSE(check.traced);
    EXPECT_FALSE(report.certain());
    EXPECT_FALSE(report.exclusive());
    EXPECT_GT(check.switches, 0u);
    EXPECT_GT((*check.gaps)[regatta::gap_cause::user_task].total_ns(), 0);
    // A spinner is there at each look, so it is named, too.
    EXPECT_NE(find(check, "planted quiet", task_role::intruder), nullptr);
}

TEST(exclusivity_check, owners_and_their_children_are_no_intruders) {
    const unsigned cpu = some_cpu();
    for (const bool trace : {true, false}) {
        const intruder planted(cpu, "planted owner", intruder::manner::brief);
        auto options = options_until_seen(planted);
        options.owners = {planted.pid()};
        options.gap_loop = false;
        options.trace = trace;
        const auto report = check_exclusivity(cpu_set{cpu}, options);
        if (!planted.in_place()) {
            GTEST_SKIP() << moved;
        }
        const cpu_check& check = report.cpus.front();
        EXPECT_NE(find(check, "planted owner", task_role::owner), nullptr) << trace;
        EXPECT_EQ(find(check, "planted owner", task_role::intruder), nullptr) << trace;
        EXPECT_FALSE(check.gaps);
    }
}

TEST(exclusivity_check, does_not_take_itself_for_an_intruder) {
    const unsigned cpu = some_cpu();
    const cpu_set before = regatta::affinity_of_this_thread();
    for (const bool trace : {true, false}) {
        // On one CPU, and on all, where the check has nowhere else to go.
        for (const cpu_set& cpus : {cpu_set{cpu}, before}) {
            auto options = options_of(100ms);
            options.trace = trace;
            const auto report = check_exclusivity(cpus, options);
            EXPECT_EQ(report.cpus.size(), cpus.count());
            for (const cpu_check& check : report.cpus) {
                for (const task_presence& one : check.tasks) {
                    if (one.pid == ::getpid()) { // Another process may check, too.
                        EXPECT_NE(one.role, task_role::intruder)
                            << one.name << " on CPU " << check.cpu;
                        EXPECT_TRUE(one.name != "regatta_probe" || one.role == task_role::checker);
                    }
                }
            }
        }
        EXPECT_EQ(regatta::affinity_of_this_thread(), before);
    }
}

TEST(exclusivity_check, other_threads_of_this_process_are_the_owners) {
    const unsigned cpu = some_cpu();
    std::atomic<unsigned> rounds{0};
    std::jthread other([&](const std::stop_token& stop) {
        regatta::try_pin_this_thread(cpu_set{cpu});
        while (!stop.stop_requested()) {
            regatta::measure_jitter(200us);
            ++rounds;
        }
    });
    auto options = options_of(60s);
    options.gap_loop = false;
    options.stop = [&, start = std::optional<unsigned>()]() mutable {
        start = start.value_or(rounds);
        return rounds >= *start + 3;
    };
    const auto report = check_exclusivity(cpu_set{cpu}, options);
    const task_presence* const found = find(report.cpus.front(), ::getpid());
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->role, task_role::owner);
}

TEST(exclusivity_check, says_what_a_loop_there_would_suffer) {
    const unsigned cpu = some_cpu();
    auto options = options_of(200ms);
    int prepared = 0;
    options.prepare = [&] { ++prepared; };
    const auto report = check_exclusivity(cpu_set{cpu}, options);
    const cpu_check& check = report.cpus.front();
    EXPECT_EQ(prepared, 1);
    ASSERT_TRUE(check.gaps);
    EXPECT_EQ(check.gaps->threshold_ns, 1000);
    EXPECT_GT(check.gaps->reads, 0u);
    std::uint64_t sum = 0;
    for (const auto& one : check.gaps->by_cause) {
        sum += one.count();
    }
    EXPECT_EQ(sum, check.gaps->all.count());
    EXPECT_LE(check.gaps->all.total_ns(), check.elapsed_ns());
}

TEST(exclusivity_check, ends_early_when_it_is_told_to) {
    for (const std::chrono::nanoseconds duration :
         {std::chrono::nanoseconds(1h), std::chrono::nanoseconds::max()}) {
        auto options = options_of(duration);
        options.gap_loop = false;
        std::atomic<int> asked{0};
        options.stop = [&] { return ++asked == 3; };
        const auto report = check_exclusivity(cpu_set{some_cpu()}, options);
        EXPECT_TRUE(report.stopped);
        EXPECT_EQ(asked, 3);
    }
}

TEST(exclusivity_check, throws_what_its_preparation_throws) {
    auto options = options_of(1h);
    options.prepare = [] { throw std::range_error("not prepared"); };
    EXPECT_THROW(check_exclusivity(cpu_set{some_cpu()}, options), std::range_error);
}

TEST(exclusivity_check, fails_when_its_cpus_go_offline) {
    const exclusive_test::root_folder root;
    const std::string online = "/sys/devices/system/cpu/online";
    const cpu_set cpus = regatta::affinity_of_this_thread();
    const cpu_set cpu{some_cpu()};
    if (cpus == cpu) {
        GTEST_SKIP() << "one CPU";
    }
    for (const bool gap_loop : {true, false}) {
        root.file(online, cpus.to_string() + "\n");
        auto options = options_of(60s);
        options.gap_loop = gap_loop;
        int asked = 0;
        options.stop = [&] {
            if (++asked == 2) {
                root.file(online, (cpus - cpu).to_string() + "\n");
            }
            return asked == 5; // Where it goes on, the check ends here.
        };
        try {
            regatta::detail::check_exclusivity_below(root.path(), cpu, options);
            FAIL() << "exclusive";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::no_such_device);
            EXPECT_NE(std::string(error.what()).find("CPUs " + cpu.to_string() + " went offline"),
                      std::string::npos)
                << error.what();
        }
    }
}

// As the kernel does with the loop when its CPU goes offline, even for a moment.
TEST(exclusivity_check, fails_when_its_loop_was_moved) {
    const cpu_set cpus = regatta::affinity_of_this_thread();
    const cpu_set cpu{some_cpu()};
    if (cpus == cpu) {
        GTEST_SKIP() << "one CPU";
    }
    regatta::thread_number loop = 0;
    auto options = options_of(60s);
    options.prepare = [&] { loop = regatta::number_of_this_thread(); };
    int asked = 0;
    options.stop = [&] {
        if (++asked == 1) {
            EXPECT_EQ(regatta::try_pin_thread(loop, cpus), 0);
        }
        return asked == 3;
    };
    EXPECT_THROW(check_exclusivity(cpu, options), std::system_error);
}

TEST(exclusivity_check, judges_no_cpu_by_a_list_that_cannot_be_read) {
    const exclusive_test::root_folder root;
    const cpu_set cpu{some_cpu()};
    auto options = options_of(1ms);
    options.gap_loop = false;
    const auto report = regatta::detail::check_exclusivity_below(root.path(), cpu, options);
    EXPECT_EQ(report.cpus.size(), 1u);
}

TEST(switch_trace, says_why_it_cannot_be_had) {
    int error = 0;
    EXPECT_FALSE(
        regatta::detail::switch_trace::open(regatta::detail::configured_cpus() + 900, error));
    EXPECT_NE(error, 0);
}
