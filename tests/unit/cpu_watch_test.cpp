// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
//
// One CPU under watch: what counts of its tasks and gaps, and what its trace loses.

#include "inspect/cpu_watch.hpp"
#include "inspect/gap_probe.hpp"
#include "inspect/sight_limits.hpp"
#include "inspect/switch_trace.hpp"
#include "inspect/task_directory.hpp"
#include "inspect/task_history.hpp"
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/exclusivity_check.hpp>

#include "support/eventually.hpp"

#include <gtest/gtest.h>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using regatta::cpu_check;
using regatta::cpu_set;
using regatta::task_presence;
using regatta::task_role;
using regatta::detail::cpu_watch;
using regatta::detail::monotonic_ns;
using regatta::detail::switch_record;
using regatta::detail::switch_trace;
using regatta::detail::task_delta;
using regatta::detail::task_directory;
using regatta::detail::watch_context;

constexpr const char* untraced = "the kernel does not tell this process of switches";

unsigned first_cpu() {
    return *regatta::affinity_of_this_thread().begin();
}

watch_context context_of(const std::vector<int>& owners = {}) {
    return {task_directory(owners, "/nonexistent"), {}, true, 1};
}

/// A task that ran for 5 ns on CPU 3.
task_delta ran(int pid, int tid, std::uint64_t started, const std::string& name) {
    task_delta made;
    made.now.cpu = 3;
    made.now.pid = pid;
    made.now.tid = tid;
    made.now.started = started;
    made.now.name = name;
    made.run_ns = 5;
    return made;
}

/// A thread that has ended, and how often it had lost its CPU while it could run: at that moment,
/// or soon after.
struct ended_thread {
    regatta::thread_number tid = 0;
    std::int64_t counted_ns = 0;
    std::uint64_t preemptions = 0;
};

/// What the kernel has counted of the calling thread.
ended_thread this_thread_so_far() {
    const std::int64_t now = monotonic_ns();
    rusage used{};
    ::getrusage(RUSAGE_THREAD, &used);
    return {regatta::number_of_this_thread(), now, static_cast<std::uint64_t>(used.ru_nivcsw)};
}

/// Two threads that hand CPU `cpu` to each other.
std::array<ended_thread, 2> take_turns(unsigned cpu, long rounds) {
    std::binary_semaphore one{1};
    std::binary_semaphore other{0};
    std::array<ended_thread, 2> ended;
    const auto run = [&](std::binary_semaphore& mine, std::binary_semaphore& yours) {
        regatta::try_pin_this_thread(cpu_set{cpu});
        for (long i = 0; i < rounds; ++i) {
            mine.acquire();
            yours.release();
        }
        return this_thread_so_far();
    };
    std::thread first([&] { ended[0] = run(one, other); });
    std::thread second([&] { ended[1] = run(other, one); });
    first.join();
    second.join();
    return ended;
}

/// What a trace of that CPU, opened before, tells of the time between two moments.
cpu_check found_in(std::optional<switch_trace> trace, unsigned cpu, std::int64_t begin_ns,
                   std::int64_t end_ns) {
    watch_context context = context_of();
    cpu_watch watch(cpu, std::move(trace));
    watch.begin(begin_ns);
    watch.end(end_ns);
    watch.gather(context, {}, end_ns);
    return watch.finish(context, {});
}

/// What a check has seen of each of those threads.
std::vector<std::pair<ended_thread, task_presence>>
presences_of(const cpu_check& check, const std::array<ended_thread, 2>& threads) {
    std::vector<std::pair<ended_thread, task_presence>> seen;
    for (const ended_thread& thread : threads) {
        for (const task_presence& one : check.tasks) {
            if (one.tid == thread.tid) {
                seen.emplace_back(thread, one);
            }
        }
    }
    return seen;
}

/// A CPU whose switches are recorded from the begin of the test on.
class traced_cpu : public testing::Test {
protected:
    void SetUp() override {
        int error = 0;
        trace = switch_trace::open(cpu, error);
        if (!trace) {
            GTEST_SKIP() << untraced;
        }
    }
    const unsigned cpu = first_cpu();
    std::optional<switch_trace> trace;
};

} // namespace

// Within days all numbers are used again. Without a trace only its start tells a task from another.
TEST(cpu_watch, an_intruder_is_not_forgotten_when_its_number_is_another_tasks) {
    watch_context context = context_of({20});
    cpu_watch watch(3, std::nullopt);
    watch.begin(0);
    watch.estimate(context, std::vector{ran(500, 500, 7, "intruder")});
    watch.estimate(context, std::vector{ran(500, 500, 7, "intruder")});
    watch.estimate(context, std::vector{ran(20, 500, 9, "owner")});
    watch.end(100);
    const cpu_check check = watch.finish(context, {});
    ASSERT_EQ(check.tasks.size(), 2u);
    EXPECT_EQ(check.tasks[0].name, "intruder");
    EXPECT_EQ(check.tasks[0].role, task_role::intruder);
    EXPECT_EQ(check.tasks[0].time_ns, 10);
    EXPECT_EQ(check.tasks[1].name, "owner");
    EXPECT_EQ(check.tasks[1].time_ns, 5);
}

TEST(cpu_watch, intruders_come_first_and_tasks_of_other_cpus_not_at_all) {
    watch_context context = context_of({20});
    cpu_watch watch(3, std::nullopt);
    watch.begin(0);
    const task_delta owner = ran(20, 20, 1, "owner");
    task_delta elsewhere = ran(600, 600, 1, "elsewhere");
    elsewhere.now.cpu = 4;
    watch.estimate(context, {owner, elsewhere});
    watch.estimate(context, {owner, ran(700, 700, 1, "intruder")});
    watch.end(100);
    const cpu_check check = watch.finish(context, {});
    ASSERT_EQ(check.tasks.size(), 2u);
    EXPECT_TRUE(check.intruded());
    EXPECT_EQ(check.tasks[0].name, "intruder");
    EXPECT_EQ(check.tasks[1].time_ns, 10);
}

TEST(cpu_watch, gaps_before_and_after_the_check_do_not_count) {
    const unsigned cpu = first_cpu();
    // At this threshold every turn is a gap, on any machine.
    auto owned = std::make_unique<regatta::detail::gap_probe>(cpu, 1, std::function<void()>());
    regatta::detail::gap_probe& probe = *owned;
    watch_context context = context_of();
    cpu_watch watch(cpu, std::nullopt);
    watch.take_probe(std::move(owned), 1);
    watch.begin(INT64_MAX);
    watch.gather(context, {}, 0); // Makes room in the ring for the gaps of some ms.
    const std::int64_t moment = monotonic_ns();
    while (monotonic_ns() < moment + 500'000) {
    }
    watch.begin(moment);
    probe.stop();
    watch.end(moment);
    watch.gather(context, {}, moment);
    const cpu_check check = watch.finish(context, {});
    ASSERT_TRUE(check.gaps);
    EXPECT_GT(check.gaps->reads, 0u);
    EXPECT_EQ(check.gaps->all.count(), 0u);
    EXPECT_EQ(check.notes.size(), check.gaps->shortest_ns >= 1 ? 1u : 0u); // Its clock is too slow.
}

// The owner of a CPU of its own, say. With the kernel's throttling it leaves others some time in
// each second.
TEST(gap_probe, leaves_a_cpu_that_a_real_time_task_keeps) {
    cpu_set others = regatta::affinity_of_this_thread();
    if (others.count() < 2) {
        GTEST_SKIP() << "this test needs two CPUs";
    }
    const unsigned cpu = first_cpu();
    others.erase(cpu);
    const regatta::scoped_pin off(others);
    std::atomic<int> refused{-1};
    std::jthread keeper([&](const std::stop_token& stop) {
        regatta::try_pin_this_thread(cpu_set{cpu});
        refused = regatta::try_schedule_this_thread({regatta::scheduling_policy::fifo, 1});
        const auto end = std::chrono::steady_clock::now() + library_test::patience();
        while (refused == 0 && !stop.stop_requested() && std::chrono::steady_clock::now() < end) {
        }
    });
    library_test::await([&] { return refused != -1; });
    if (refused != 0) {
        GTEST_SKIP() << "real-time scheduling is not permitted";
    }
    for (int i = 0; i < 10; ++i) {
        regatta::detail::gap_probe probe(cpu, 1000, {});
        static_cast<void>(probe.await_start(std::chrono::steady_clock::now()));
        // Without a move it could wait for the task there without end.
        probe.stop(std::chrono::milliseconds(0));
        EXPECT_EQ(probe.error(), 0);
    }
}

TEST_F(traced_cpu, tasks_before_and_after_the_check_do_not_count) {
    take_turns(cpu, 100);
    const std::int64_t moment = monotonic_ns();
    take_turns(cpu, 100);
    const cpu_check check = found_in(std::move(trace), cpu, moment, moment);
    EXPECT_TRUE(check.tasks.empty());
    EXPECT_EQ(check.switches, 0u);
}

TEST_F(traced_cpu, knows_the_longest_of_many_turns) {
    const std::int64_t begin = monotonic_ns();
    constexpr long rounds = 100;
    take_turns(cpu, rounds);
    const cpu_check check = found_in(std::move(trace), cpu, begin, monotonic_ns());
    int found = 0;
    for (const task_presence& one : check.tasks) {
        if (one.turns >= rounds) {
            ++found;
            EXPECT_GT(one.longest_ns, 0);
            EXPECT_LT(one.longest_ns, one.time_ns);
        }
    }
    EXPECT_GE(found, 2);
}

// "How often it lost the CPU while it was ready to run": as the kernel counts it of the thread.
TEST_F(traced_cpu, a_task_that_waits_is_no_more_often_preempted_than_the_kernel_counts) {
    const std::int64_t begin = monotonic_ns();
    const auto waiting = take_turns(cpu, 100);
    // Until the first of them counts: on its way to its end a thread may be preempted again.
    const std::int64_t end = std::min(waiting[0].counted_ns, waiting[1].counted_ns);
    const cpu_check check = found_in(std::move(trace), cpu, begin, end);
    const auto found = presences_of(check, waiting);
    EXPECT_EQ(found.size(), 2u);
    for (const auto& [thread, one] : found) {
        EXPECT_LE(one.preemptions, thread.preemptions);
    }
}

TEST_F(traced_cpu, tasks_that_spin_on_one_cpu_are_preempted) {
    const std::int64_t begin = monotonic_ns();
    std::atomic<int> preempted{0};
    std::array<ended_thread, 2> spinning;
    std::vector<std::thread> threads;
    for (ended_thread& mine : spinning) {
        threads.emplace_back([&] {
            regatta::try_pin_this_thread(cpu_set{cpu});
            const std::uint64_t before = this_thread_so_far().preemptions;
            library_test::await([&] { return this_thread_so_far().preemptions > before; });
            ++preempted;
            library_test::await([&] { return preempted == 2; });
            mine = this_thread_so_far();
        });
    }
    for (std::thread& one : threads) {
        one.join();
    }
    const cpu_check check = found_in(std::move(trace), cpu, begin, monotonic_ns());
    const auto found = presences_of(check, spinning);
    EXPECT_EQ(found.size(), 2u);
    for (const auto& [thread, one] : found) {
        EXPECT_GT(one.preemptions, 0u);
    }
}

TEST(cpu_watch, without_a_switch_the_cpu_was_that_of_the_task_that_ran_for_most_of_the_time) {
    const unsigned cpu = first_cpu();
    for (const std::int64_t run_ns : {40, 60}) {
        int error = 0;
        auto trace = switch_trace::open(cpu, error);
        if (!trace) {
            GTEST_SKIP() << untraced;
        }
        watch_context context = context_of();
        cpu_watch watch(cpu, std::move(trace));
        watch.begin(1000);
        watch.end(1100);
        task_delta here = ran(500, 500, 7, "busy");
        here.now.cpu = cpu;
        here.run_ns = run_ns;
        task_delta elsewhere = here;
        elsewhere.now.pid = elsewhere.now.tid = 600;
        elsewhere.now.cpu = cpu + 1;
        elsewhere.run_ns = 90;
        const cpu_check check = watch.finish(context, {here, elsewhere}); // Its trace is not read.
        ASSERT_EQ(check.tasks.size(), run_ns > 50 ? 1u : 0u);
        EXPECT_TRUE(check.tasks.empty() || check.tasks[0].tid == 500);
        EXPECT_TRUE(check.tasks.empty() || check.tasks[0].time_ns == 100);
    }
}

TEST(cpu_watch, every_moment_of_a_busy_cpu_belongs_to_a_task) {
    const unsigned cpu = first_cpu();
    std::int64_t sum = -1;
    std::int64_t elapsed = 0;
    // Where others are busy a task may begin and end between two looks.
    for (int attempt = 0; attempt < 20 && sum != elapsed; ++attempt) {
        std::optional<switch_trace> trace;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::thread([&] {
            regatta::try_pin_this_thread(cpu_set{cpu});
            int error = 0;
            trace = switch_trace::open(cpu, error); // The first switch ends a turn of this thread.
            begin = monotonic_ns();
            do {
                end = monotonic_ns();
            } while (end < begin + 2'000'000);
        }).join();
        if (!trace || !regatta::detail::limits_of_sight().sees_all_tasks || regatta::cpu_quota()) {
            GTEST_SKIP() << "tasks stay unseen here, or are held back";
        }
        const cpu_check check = found_in(std::move(trace), cpu, begin, end);
        elapsed = check.elapsed_ns();
        sum = 0;
        for (const task_presence& one : check.tasks) {
            sum += one.time_ns;
        }
    }
    EXPECT_EQ(sum, elapsed);
}

// As the kernel does with the traces of a CPU that goes offline, even for a moment.
TEST(switch_trace, that_has_ended_is_no_quiet_one) {
    const unsigned cpu = first_cpu();
    int error = 0;
    if (!switch_trace::open(cpu, error)) {
        GTEST_SKIP() << untraced;
    }
    for (const bool ends : {false, true}) {
        regatta::exclusivity_check_options options;
        options.gap_loop = false;
        options.duration = library_test::patience();
        int asked = 0;
        options.stop = [&] {
            for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
                std::error_code gone;
                const auto file = std::filesystem::read_symlink(entry.path(), gone);
                if (ends && file == "anon_inode:[perf_event]") {
                    ::ioctl(std::stoi(entry.path().filename()), PERF_EVENT_IOC_DISABLE, 0);
                }
            }
            return ++asked == 3;
        };
        const auto check = [&] { regatta::check_exclusivity(cpu_set{cpu}, options); };
        if (ends) {
            EXPECT_THROW(check(), std::system_error);
        } else {
            EXPECT_NO_THROW(check());
        }
    }
}

// The kernel tells of them only when the next task gets that CPU.
TEST_F(traced_cpu, tells_of_lost_switches_at_once) {
    // Each is two switches with two records of 32 bytes. The ring has at most 128 pages.
    const long rounds = 2 * ::sysconf(_SC_PAGESIZE);
    take_turns(cpu, rounds);
    std::uint64_t switches = 0;
    std::uint64_t lost = 0;
    trace->drain([&](const switch_record& record) {
        switches += record.what == switch_record::kind::runs ? 1 : 0;
        lost += record.count;
    });
    EXPECT_GT(switches, 0u);
    EXPECT_GT(lost, 0u);
}
