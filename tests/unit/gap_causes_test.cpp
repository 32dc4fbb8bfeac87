// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/gap_attribution.hpp"
#include "inspect/steal_time.hpp"
#include "inspect/tick_phase.hpp"
#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/jitter.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace {

using regatta::cpu_verdict;
using regatta::gap;
using regatta::gap_cause;
using regatta::detail::gap_attribution;
using regatta::detail::tick_phase;

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t us = 1'000;
constexpr std::int64_t period = 4 * ms;

gap interrupted(std::int64_t start, std::int64_t length) {
    return {start, length, false};
}
gap displaced(std::int64_t start, std::int64_t length) {
    return {start, length, true};
}

} // namespace

TEST(tick_phase, finds_the_rhythm_among_other_interruptions) {
    tick_phase phase(period);
    EXPECT_FALSE(phase.known());
    EXPECT_FALSE(phase.matches(0));
    std::uint64_t random = 88172645463325252u;
    for (int i = 0; i < 200; ++i) {
        phase.add(1'000'000'007 + i * period);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        phase.add(static_cast<std::int64_t>(random % (800 * ms)));
    }
    EXPECT_TRUE(phase.known());
    EXPECT_TRUE(phase.matches(1'000'000'007 + 12345 * period));
    EXPECT_TRUE(phase.matches(1'000'000'007 + 20 * us));
    EXPECT_FALSE(phase.matches(1'000'000'007 + period / 2));
    EXPECT_FALSE(phase.matches(1'000'000'007 + 300 * us));
}

// The moment of a tick varies across the beginning of the period.
TEST(tick_phase, the_end_of_a_period_is_next_to_its_beginning) {
    tick_phase phase(period);
    for (int i = 0; i < 200; ++i) {
        phase.add(i * period);
    }
    EXPECT_TRUE(phase.matches(7 * period - us));
    EXPECT_TRUE(phase.matches(7 * period + us));
}

TEST(tick_phase, finds_none_where_there_is_none) {
    tick_phase even(period);
    for (int i = 0; i < 6400; ++i) {
        even.add(i * (period / 64));
    }
    EXPECT_FALSE(even.known());
    tick_phase unknown(0);
    unknown.add(5);
    EXPECT_FALSE(unknown.known());
    tick_phase seldom(period);
    for (int i = 0; i < 5; ++i) {
        seldom.add(i * period);
    }
    EXPECT_FALSE(seldom.known());
}

TEST(gap_attribution, gives_a_gap_to_the_task_that_had_the_most_of_it) {
    gap_attribution causes(true, period);
    causes.ran(3, gap_cause::kernel_thread, 1 * ms, 1 * ms + 10 * us);
    causes.ran(7, gap_cause::user_task, 1 * ms + 10 * us, 3 * ms);
    causes.ran(8, gap_cause::user_task, 3 * ms, 3 * ms + 5 * us);
    causes.add(displaced(1 * ms - us, 2 * ms + 7 * us));
    causes.ran(3, gap_cause::kernel_thread, 5 * ms, 5 * ms + 10 * us);
    causes.add(displaced(5 * ms - us, 12 * us));
    causes.ran(9, gap_cause::checker, 6 * ms, 7 * ms);
    causes.add(displaced(6 * ms, 1 * ms));
    causes.finish();
    EXPECT_EQ(causes[gap_cause::user_task].count(), 1u);
    EXPECT_EQ(causes[gap_cause::kernel_thread].count(), 1u);
    EXPECT_EQ(causes[gap_cause::checker].count(), 1u);
    ASSERT_EQ(causes.longest().size(), 3u);
    EXPECT_EQ(causes.longest()[0].task, 7u);
    EXPECT_EQ(causes.longest()[0].length_ns, 2 * ms + 7 * us);
    EXPECT_EQ(causes.longest()[2].task, 3u);
}

// Two that take turns: neither has the longest one alone.
TEST(gap_attribution, adds_up_the_turns_that_a_task_had_in_a_gap) {
    gap_attribution causes(true, period);
    causes.ran(7, gap_cause::user_task, 1 * ms, 3 * ms);
    causes.ran(8, gap_cause::kernel_thread, 3 * ms, 6 * ms);
    causes.ran(7, gap_cause::user_task, 6 * ms, 8 * ms);
    causes.add(displaced(1 * ms, 7 * ms));
    causes.finish();
    EXPECT_EQ(causes[gap_cause::user_task].count(), 1u);
    ASSERT_EQ(causes.longest().size(), 1u);
    EXPECT_EQ(causes.longest()[0].task, 7u);
}

// Otherwise a check with a high threshold, whose gaps are all too short, would hold them for days.
TEST(gap_attribution, forgets_tasks_that_ran_before_the_loop_had_its_cpu) {
    gap_attribution causes(true, period);
    causes.ran(7, gap_cause::user_task, 1 * ms, 2 * ms);
    causes.looped(2 * ms);
    causes.settle({});
    causes.add(displaced(1 * ms, 1 * ms)); // The loop told of it after the trace was read.
    causes.settle({});
    EXPECT_EQ(causes[gap_cause::user_task].count(), 1u);
    causes.ran(7, gap_cause::user_task, 3 * ms, 4 * ms);
    causes.looped(4 * ms);
    causes.settle({});
    causes.settle({});
    causes.add(displaced(3 * ms, 1 * ms));
    causes.finish();
    EXPECT_EQ(causes[gap_cause::user_task].count(), 1u);
    EXPECT_EQ(causes.all().count(), 2u);
}

TEST(gap_attribution, knows_a_loop_that_was_held_back) {
    gap_attribution causes(true, period);
    causes.ran(0, gap_cause::held_back, 1 * ms, 50 * ms); // the CPU was idle
    causes.add(displaced(1 * ms - us, 50 * ms));
    causes.finish();
    EXPECT_EQ(causes[gap_cause::held_back].count(), 1u);
    EXPECT_EQ(causes[gap_cause::user_task].count(), 0u);
}

TEST(gap_attribution, without_a_trace_a_displaced_loop_means_a_task) {
    gap_attribution causes(false, period);
    causes.add(displaced(1 * ms, 3 * ms));
    causes.add(interrupted(5 * ms, 3 * us));
    causes.finish();
    EXPECT_EQ(causes[gap_cause::user_task].count(), 1u);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 1u);
}

TEST(gap_attribution, a_trace_that_shows_nobody_outweighs_the_count_of_switches) {
    gap_attribution causes(true, period);
    causes.ran(4, gap_cause::user_task, 1 * ms, 2 * ms); // between two gaps
    causes.add(displaced(2 * ms + us, 4 * us));
    causes.settle({.devices = 1});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::user_task].count(), 0u);
    EXPECT_EQ(causes[gap_cause::device].count(), 1u);
}

TEST(gap_attribution, tells_ticks_from_other_interrupts_one_by_one) {
    gap_attribution causes(true, period);
    std::int64_t now = 1000 * ms;
    for (int stretch = 0; stretch < 20; ++stretch) {
        for (int i = 0; i < 5; ++i, now += period) {
            causes.add(interrupted(now, 5 * us));
            if (i == 2) {
                causes.add(interrupted(now + period / 2, 9 * us));
            }
        }
        causes.settle({.ticks = 5, .devices = 1});
    }
    causes.finish();
    EXPECT_EQ(causes[gap_cause::tick].count(), 100u);
    EXPECT_EQ(causes[gap_cause::tick].longest_ns(), 5 * us);
    EXPECT_EQ(causes[gap_cause::device].count(), 20u);
    EXPECT_EQ(causes[gap_cause::device].longest_ns(), 9 * us);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 0u);
}

TEST(gap_attribution, calls_no_more_gaps_ticks_than_there_were) {
    gap_attribution causes(true, period);
    std::int64_t now = 0;
    for (int stretch = 0; stretch < 20; ++stretch) {
        for (int i = 0; i < 5; ++i, now += period) {
            causes.add(interrupted(now, 5 * us));
        }
        causes.settle({.ticks = 0}); // in the rhythm, but the timer counted nothing
    }
    causes.finish();
    EXPECT_EQ(causes[gap_cause::tick].count(), 0u);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 100u);
}

TEST(gap_attribution, matches_by_number_what_has_no_rhythm) {
    gap_attribution causes(true, 0);
    causes.add(interrupted(1 * ms, 2 * us));
    causes.add(interrupted(2 * ms, 9 * ms)); // stolen
    causes.add(interrupted(13 * ms, 20 * us));
    causes.add(interrupted(14 * ms, 3 * us));
    causes.settle({.devices = 1, .interprocessor = 1, .steal_ns = 10 * ms});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::steal].longest_ns(), 9 * ms);
    EXPECT_EQ(causes[gap_cause::device].longest_ns(), 20 * us);
    EXPECT_EQ(causes[gap_cause::interprocessor].longest_ns(), 3 * us);
    EXPECT_EQ(causes[gap_cause::unexplained].longest_ns(), 2 * us);
}

TEST(gap_attribution, an_interrupt_may_be_counted_before_its_gap_ends_but_not_much) {
    gap_attribution causes(true, 0);
    causes.settle({.devices = 1});
    causes.add(interrupted(1 * ms, 2 * us)); // that one
    causes.settle({});
    causes.settle({});
    causes.add(interrupted(30 * ms, 2 * us)); // nothing came for this
    causes.settle({});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::device].count(), 1u);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 1u);
}

// The kernel counts an interrupt while the counts are read, and stolen time up to a tick later.
TEST(gap_attribution, what_is_counted_after_its_gap_explains_it) {
    gap_attribution causes(true, period);
    causes.add(interrupted(1 * ms, 2 * us)); // nothing came for this
    causes.add(interrupted(15 * ms, 3 * ms));
    causes.add(interrupted(20 * ms + 5 * us, 2 * us));
    causes.settle({.read_ns = 20 * ms});
    causes.settle({.devices = 1, .steal_ns = 10 * ms, .read_ns = 40 * ms});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::steal].count(), 1u);
    EXPECT_EQ(causes[gap_cause::device].count(), 1u);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 1u);
    EXPECT_EQ(causes.all().count(), 3u);
}

TEST(gap_attribution, a_gap_waits_for_its_count_once) {
    gap_attribution causes(true, period);
    causes.add(interrupted(19 * ms, 2 * us));
    causes.settle({.read_ns = 20 * ms});
    causes.settle({.read_ns = 40 * ms});
    causes.settle({.devices = 1, .read_ns = 60 * ms});
    causes.add(interrupted(79 * ms, 3 * us));
    causes.settle({.read_ns = 80 * ms});
    causes.finish(); // Nothing is lost that waits at the end.
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 1u);
    EXPECT_EQ(causes[gap_cause::device].count(), 1u);
    EXPECT_EQ(causes.all().count(), 2u);
}

TEST(gap_attribution, a_tick_of_long_ago_explains_no_gap) {
    gap_attribution causes(true, period);
    causes.settle({.ticks = 2});
    causes.settle({});
    causes.add(interrupted(30 * ms, 2 * us));
    causes.settle({});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::tick].count(), 0u);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 1u);
}

TEST(gap_attribution, a_gap_of_most_of_a_period_is_no_tick) {
    gap_attribution causes(true, period);
    causes.add(interrupted(1 * ms, 3 * ms));
    causes.settle({.ticks = 1});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::tick].count(), 0u);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 1u);
}

TEST(gap_attribution, a_long_gap_in_the_rhythm_is_no_tick) {
    gap_attribution causes(true, period);
    std::int64_t now = 0;
    for (int i = 0; i < 20; ++i, now += period) {
        causes.add(interrupted(now, 5 * us));
    }
    causes.add(interrupted(now, 3 * ms));
    causes.settle({.ticks = 21});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::tick].count(), 20u);
    EXPECT_EQ(causes[gap_cause::unexplained].longest_ns(), 3 * ms);
}

TEST(gap_attribution, an_old_request_of_another_cpu_explains_no_gap) {
    gap_attribution causes(true, 0);
    causes.settle({.interprocessor = 1});
    causes.settle({});
    causes.add(interrupted(30 * ms, 2 * us));
    causes.settle({});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::interprocessor].count(), 0u);
}

// Ticks of the first second are told apart, too, once the rhythm is known.
TEST(gap_attribution, the_first_gaps_wait_for_the_rhythm) {
    gap_attribution causes(true, period);
    std::int64_t now = 0;
    for (int stretch = 0; stretch < 20; ++stretch, now += period) {
        causes.add(interrupted(now, 5 * us));
        causes.add(interrupted(now + period / 3, 9 * us)); // nothing came for this
        causes.settle({.ticks = 1});
    }
    causes.finish();
    EXPECT_EQ(causes[gap_cause::tick].longest_ns(), 5 * us);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 20u);
}

// The last one may be longer than what is left: the kernel counts in ticks.
TEST(gap_attribution, no_more_is_put_down_to_steal_time_than_was_stolen) {
    gap_attribution causes(true, 0);
    for (int i = 0; i < 3; ++i) {
        causes.add(interrupted(i * 20 * ms, 9 * ms));
    }
    causes.settle({.steal_ns = 10 * ms});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::steal].count(), 2u);
    EXPECT_EQ(causes[gap_cause::unexplained].count(), 1u);
}

// The kernel's counter of steal time may fall.
TEST(gap_attribution, steal_time_that_falls_leaves_no_debt) {
    gap_attribution causes(true, 0);
    causes.settle({.steal_ns = 10 * ms});
    causes.settle({.steal_ns = -5 * ms});
    causes.add(interrupted(30 * ms, 3 * ms));
    causes.settle({.steal_ns = 3 * ms});
    causes.finish();
    EXPECT_EQ(causes[gap_cause::steal].count(), 1u);
}

TEST(steal_time, a_reading_that_fails_does_not_count_all_since_boot) {
    using regatta::detail::steal_since;
    std::optional<std::int64_t> last = 900 * ms;
    EXPECT_EQ(steal_since(last, std::nullopt), 0);
    EXPECT_EQ(steal_since(last, 910 * ms), 10 * ms);
    EXPECT_EQ(steal_since(last, 905 * ms), 0);
    EXPECT_EQ(steal_since(last, 907 * ms), 2 * ms);
    last.reset();
    EXPECT_EQ(steal_since(last, 900 * ms), 0);
    EXPECT_EQ(steal_since(last, 901 * ms), 1 * ms);
}

TEST(gap_attribution, keeps_the_longest_only) {
    gap_attribution causes(false, 0);
    for (int i = 1; i <= 1000; ++i) {
        causes.add(displaced(i * ms, (i * 37 % 1001) * us));
    }
    causes.finish();
    ASSERT_EQ(causes.longest().size(), 16u);
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(causes.longest()[i].length_ns, (1000 - static_cast<std::int64_t>(i)) * us);
    }
    EXPECT_EQ(causes.all().count(), 1000u);
}

TEST(cpu_verdict, depends_on_who_ran_and_on_the_tick) {
    regatta::cpu_check check;
    check.end_ns = 2'000 * ms;
    check.gaps.emplace();
    check.counts_ticks = true;
    EXPECT_EQ(check.verdict(), cpu_verdict::quiet); // Not even a tick came.
    const auto interrupt = [](regatta::interrupt_kind kind, std::uint64_t count) {
        return regatta::interrupt_count{"", "", kind, count};
    };
    check.interrupts = {interrupt(regatta::interrupt_kind::tick, 500)};
    EXPECT_EQ(check.verdict(), cpu_verdict::exclusive);
    check.interrupts = {interrupt(regatta::interrupt_kind::tick, 2)};
    EXPECT_EQ(check.verdict(), cpu_verdict::quiet);
    // Nobody knows whether any tick came.
    check.counts_ticks = false;
    check.interrupts = {interrupt(regatta::interrupt_kind::device, 2)};
    EXPECT_EQ(check.verdict(), cpu_verdict::exclusive);
    check.counts_ticks = true;
    regatta::task_presence task;
    task.role = regatta::task_role::kernel;
    task.time_ns = 5;
    check.tasks = {task};
    EXPECT_EQ(check.verdict(), cpu_verdict::quiet);
    task.role = regatta::task_role::intruder;
    check.tasks.insert(check.tasks.begin(), task);
    EXPECT_EQ(check.verdict(), cpu_verdict::soft);

    // Without a loop an idle CPU has no ticks, which proves nothing; one that its owner keeps busy
    // does.
    check.tasks.clear();
    check.gaps.reset();
    EXPECT_EQ(check.verdict(), cpu_verdict::exclusive);
    task.role = regatta::task_role::owner;
    task.time_ns = 1'900 * ms;
    check.tasks = {task};
    EXPECT_EQ(check.verdict(), cpu_verdict::quiet);
}

TEST(exclusivity_report, is_as_good_as_its_worst_cpu) {
    regatta::exclusivity_report report;
    report.cpus.resize(3);
    for (auto& one : report.cpus) {
        one.traced = true;
    }
    EXPECT_EQ(report.verdict(), cpu_verdict::exclusive);
    EXPECT_TRUE(report.exclusive());
    EXPECT_TRUE(report.certain());
    report.cpus[1].lost_records = 1;
    EXPECT_FALSE(report.certain());
    report.cpus[1].lost_records = 0;
    report.sees_all_tasks = false;
    EXPECT_FALSE(report.certain());
    report.cpus[2].tasks.emplace_back();
    EXPECT_EQ(report.verdict(), cpu_verdict::soft);
    EXPECT_FALSE(report.exclusive());
}

TEST(exclusivity_report, that_rests_on_nothing_is_not_conclusive) {
    regatta::exclusivity_report report;
    report.cpus.resize(2);
    EXPECT_TRUE(report.conclusive()); // /proc shows all.
    report.lists_all_tasks = false;
    EXPECT_FALSE(report.conclusive());
    report.cpus[0].traced = true;
    EXPECT_FALSE(report.conclusive());
    report.cpus[1].gaps.emplace();
    EXPECT_TRUE(report.conclusive());
    report.cpus[1].gaps.reset();
    report.cpus[1].tasks.emplace_back(); // An intruder
    EXPECT_TRUE(report.conclusive());
}
