// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A sample of a race: how many runs it has, and where their time went.

#include "machine/cpu_time.hpp"
#include "race_of_fakes.hpp"
#include "sampling/race.hpp"
#include "sampling/scheme_run.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using regatta::race::fakes::race_of_fakes;

TEST_F(race_of_fakes, short_runs_are_repeated_and_each_is_verified) {
    int runs = 0;
    enter(fakes::info("short", [&runs](race::run_context& c) {
        ++runs;
        fakes::run_serially(c);
    }));
    enter(fakes::info("long", [](race::run_context& c) {
        fakes::run_serially(c);
        const auto until = regatta::detail::monotonic_ns() + 60'000'000;
        while (regatta::detail::monotonic_ns() < until) {
        }
    }));
    int late = 0;
    enter(fakes::info("wrong_at_last", [&late](race::run_context& c) {
        if (++late < 6) {
            fakes::run_serially(c);
        }
    }));
    // So long that the first run of "short" takes less than half of it on any machine.
    options.shortest_sample = std::chrono::milliseconds(50);
    options.baseline = "long";
    const auto result = run();
    const auto& one = *result.find("short");
    EXPECT_GT(one.runs_a_sample, 1u);
    EXPECT_EQ(one.measured.samples.size(), 7u);
    // The calibration, and seven samples and what was taken again.
    EXPECT_GE(runs, static_cast<int>(7 * one.runs_a_sample));
    EXPECT_EQ(result.find("long")->runs_a_sample, 1u);
    EXPECT_TRUE(result.find("wrong_at_last")->wrong_result);
}

TEST(race_sample, that_takes_twenty_times_as_long_as_it_should_ends) {
    fakes::counting work({.size = 10});
    race::race_control control;
    int runs = 0;
    bool busy = false; // each run waits for a CPU, as it were
    const race::scheme_info one = fakes::info("one", [&](race::run_context& c) {
        ++runs;
        fakes::run_serially(c);
        const auto until = regatta::detail::monotonic_ns() + (busy ? 30'000'000 : 0);
        while (regatta::detail::monotonic_ns() < until) {
        }
    });
    race::run_conditions how;
    how.shortest_sample = std::chrono::milliseconds(1);
    race::scheme_run run(one, {.workers = 1}, work, control, how);
    ASSERT_EQ(run.run_sample().failure, "");
    busy = true;
    runs = 0;
    ASSERT_EQ(run.run_sample().failure, "");
    EXPECT_EQ(runs, 1) << "of " << run.repeats();
}

// A pool whose caller is the pinned worker 0: who runs next begins with all CPUs again.
TEST(race_sample, leaves_the_thread_as_it_was) {
    const regatta::cpu_set before = regatta::affinity_of_this_thread();
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    ASSERT_EQ(sigismember(&blocked, SIGUSR2), 0);
    fakes::counting work({.size = 10});
    race::race_control control;
    std::vector<regatta::cpu_set> begun_on;
    const race::scheme_info one = fakes::info("one", [&](race::run_context& c) {
        begun_on.push_back(regatta::affinity_of_this_thread());
        regatta::pin_this_thread({*before.begin()});
        std::fesetround(FE_UPWARD);
        sigset_t more;
        sigemptyset(&more);
        sigaddset(&more, SIGUSR2);
        ::pthread_sigmask(SIG_BLOCK, &more, nullptr);
        fakes::run_serially(c);
    });
    race::run_conditions how;
    how.shortest_sample = std::chrono::milliseconds(1);
    race::scheme_run run(one, {.workers = 1}, work, control, how);
    ASSERT_EQ(run.run_sample().failure, "");
    EXPECT_GT(begun_on.size(), 1u);
    EXPECT_EQ(std::ranges::count(begun_on, before), std::ssize(begun_on));
    EXPECT_EQ(regatta::affinity_of_this_thread(), before);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGUSR2), 0);
}

TEST(race_sample, a_look_at_items_leaves_the_thread_as_it_was) {
    class pinning final : public fakes::counting {
    public:
        using counting::counting;
        void run(std::size_t item) noexcept override {
            regatta::try_pin_this_thread({*regatta::affinity_of_this_thread().begin()});
            counting::run(item);
        }
    };
    const regatta::cpu_set before = regatta::affinity_of_this_thread();
    pinning work({.size = 10});
    static_cast<void>(race::items_are_short(work));
    EXPECT_EQ(regatta::affinity_of_this_thread(), before);
}

/// Needs a while before each run, as one that starts threads.
class slow_to_prepare final : public race::scheme {
public:
    slow_to_prepare(const std::int64_t& start_ns, int& runs) : start_ns_(start_ns), runs_(runs) {}
    static race::scheme_info info(const std::int64_t& start_ns, int& runs) {
        race::scheme_info one = fakes::info("one", fakes::run_serially);
        one.make = [&](const race::scheme_options&) {
            return std::make_unique<slow_to_prepare>(start_ns, runs);
        };
        return one;
    }
    void prepare(race::run_context&) override { spend(runs_ == 1 ? 0 : start_ns_); }
    void run(race::run_context& context) override {
        ++runs_;
        spend(10'000);
        fakes::run_serially(context);
    }

private:
    static void spend(std::int64_t ns) {
        const auto until = regatta::detail::monotonic_ns() + ns;
        while (regatta::detail::monotonic_ns() < until) {
        }
    }

    const std::int64_t& start_ns_;
    int& runs_; ///< One of them may begin at once.
};

// "Only a sample … that has taken 80 times as long with all between them": as threads that are
// started for each run, on a machine that is busy now and then.
TEST(race_sample, that_takes_eighty_times_as_long_with_all_between_its_runs_ends) {
    fakes::counting work({.size = 1});
    race::race_control control;
    const std::int64_t start_ns = 30'000'000;
    int runs = 0;
    const race::scheme_info one = slow_to_prepare::info(start_ns, runs);
    race::run_conditions how;
    how.shortest_sample = std::chrono::milliseconds(1);
    race::scheme_run run(one, {.workers = 1}, work, control, how);
    for (int sample = 0; sample < 2; ++sample) {
        runs = 0;
        ASSERT_EQ(run.run_sample().failure, "");
        EXPECT_LE(runs, 4); // 80 ms, and one for nothing
    }
}

// "Where what surrounds the runs of a sample (making them ready, …) would take more than 40 times
// as long as they should": on a machine that is busy from the begin on.
TEST(race_sample, has_fewer_runs_where_making_them_ready_takes_long) {
    fakes::counting work({.size = 1});
    race::race_control control;
    const std::int64_t start_ns = 20'000'000;
    int runs = 2; // all of them begin slowly
    const race::scheme_info one = slow_to_prepare::info(start_ns, runs);
    race::run_conditions how;
    how.shortest_sample = std::chrono::milliseconds(1);
    race::scheme_run run(one, {.workers = 1}, work, control, how);
    ASSERT_EQ(run.run_sample().failure, "");
    EXPECT_LE(runs, 4);
    EXPECT_LE(run.repeats(), 2u); // of 40 ms
    EXPECT_TRUE(run.short_samples());
}

// "two at least": the first run of all may be cold.
TEST(race_sample, has_many_runs_where_only_the_first_of_all_is_long) {
    fakes::counting work({.size = 10});
    race::race_control control;
    int runs = 0;
    const race::scheme_info one = fakes::info("one", [&](race::run_context& c) {
        fakes::run_serially(c);
        const auto until = regatta::detail::monotonic_ns() + (runs++ == 0 ? 250'000'000 : 0);
        while (regatta::detail::monotonic_ns() < until) {
        }
    });
    race::run_conditions how;
    // Long beside a thread that loses its CPU in its second run.
    how.shortest_sample = std::chrono::milliseconds(200);
    race::scheme_run run(one, {.workers = 1}, work, control, how);
    ASSERT_EQ(run.run_sample().failure, "");
    EXPECT_GT(run.repeats(), 2u);
}

/// Verifies slowly; the first time more slowly, as one that makes what it compares with.
class slow_to_verify final : public fakes::counting {
public:
    explicit slow_to_verify(std::int64_t ns, std::int64_t times = 3)
        : counting({.size = 1})
        , ns_(ns)
        , times_(times) {}
    race::verification verify() const override {
        const auto until =
            regatta::detail::monotonic_ns() + (verified_++ == 0 ? times_ * ns_ : ns_);
        while (regatta::detail::monotonic_ns() < until) {
        }
        return counting::verify();
    }
    int verified() const { return verified_; }

private:
    std::int64_t ns_;
    std::int64_t times_; ///< As long the first one takes.
    mutable int verified_ = 0;
};

TEST(race_sample, has_fewer_runs_where_verifying_takes_long) {
    race::race_control control;
    const race::scheme_info one = fakes::info("one", fakes::run_serially);
    race::run_conditions how;
    how.shortest_sample = std::chrono::milliseconds(5);

    slow_to_verify slow(100'000'000);
    race::scheme_run few(one, {.workers = 1}, slow, control, how);
    ASSERT_EQ(few.run_sample().failure, "");
    EXPECT_LE(few.repeats(), 2u); // of 200 ms
    EXPECT_TRUE(few.short_samples());
    EXPECT_LE(slow.verified(), 2);
    EXPECT_GE(control.longest_run_ns(), 100'000'000) << "with its verification";

    slow_to_verify quick(1000, 300'000); // What makes the first one long is not done again.
    race::scheme_run many(one, {.workers = 1}, quick, control, how);
    ASSERT_EQ(many.run_sample().failure, "");
    EXPECT_GT(many.repeats(), 2u);
}

TEST_F(race_of_fakes, pools_are_reused_after_their_first_job) {
    int made = 0;
    int runs = 0;
    class pool final : public race::scheme {
    public:
        explicit pool(int& runs) : runs_(runs) {}
        void run(race::run_context& context) override {
            ++runs_;
            EXPECT_EQ(context.log.seen.load(), 0u); // As if nothing had run.
            fakes::run_serially(context);
        }

    private:
        int& runs_;
    };
    race::scheme_info kept = fakes::info("kept", fakes::run_serially);
    kept.make = [&](const race::scheme_options&) {
        ++made;
        return std::make_unique<pool>(runs);
    };
    kept.reusable = true;
    enter(kept);
    enter(fakes::info("fresh", fakes::run_serially));
    options.baseline = "fresh";
    options.reuse = true;
    const auto result = run();
    EXPECT_TRUE(result.find("kept")->reused);
    EXPECT_FALSE(result.find("fresh")->reused);
    EXPECT_EQ(runs, 2 * made); // the first job is not timed
    EXPECT_EQ(result.find("kept")->measured.samples.size(), 7u);
}

// "`unlogged`: workers that keep no log", and "Workers that fork keep no log. Of their time `work`
// is what `serial` needs": a program, and workers that were killed, do not fork.
TEST_F(race_of_fakes, only_the_workers_of_a_scheme_that_forks_fork) {
    class forking final : public fakes::counting {
        using counting::counting;
        bool forks() const noexcept override { return true; }
    };
    enter(fakes::info("serial", fakes::run_serially));
    enter(fakes::info("forks", fakes::run_serially, false));
    infos.back()->forks = true;
    enter(fakes::info("does_not", fakes::run_serially, false));
    race::workload_info workload = fakes::counting_info();
    workload.make = [](const race::workload_options& o) { return std::make_unique<forking>(o); };
    const auto result = race::run_race(workload, entrants, options, control, observer);
    EXPECT_TRUE(result.find("forks")->runs_items());
    EXPECT_FALSE(result.find("does_not")->runs_items());
    EXPECT_NEAR(result.find("does_not")->where.share(race::part::unlogged), 1, 1e-9);
}

// "Runs in which no worker was replaced do not count": a figure is the mean of the runs that have
// it, and of these the median.
TEST_F(race_of_fakes, a_run_without_a_figure_does_not_count_in_it) {
    class sometimes final : public race::scheme {
    public:
        explicit sometimes(int run) : run_(run) {}
        void run(race::run_context& context) override { fakes::run_serially(context); }
        std::vector<race::run_figure> figures() const override {
            std::vector<race::run_figure> all{{"runs", 1}};
            if (run_ % 3 != 0) {
                all.push_back({"mostly", 6});
            }
            return all;
        }

    private:
        int run_;
    };
    int runs = 0;
    race::scheme_info scheme = fakes::info("std_thread", fakes::run_serially);
    scheme.make = [&](const race::scheme_options&) { return std::make_unique<sometimes>(runs++); };
    enter(scheme);
    const auto one_run = run();
    EXPECT_EQ(one_run.find("std_thread")->figure("runs"), 1);
    // On a busy machine perhaps no round counts but those without.
    EXPECT_EQ(one_run.find("std_thread")->figure("mostly").value_or(6), 6);
    options.shortest_sample = std::chrono::milliseconds(20);
    const auto many_runs = run();
    const auto& of_many = *many_runs.find("std_thread");
    if (of_many.runs_a_sample > 6) { // A busy machine has no time for so many.
        EXPECT_EQ(of_many.figure("mostly"), 6);
    }
}

TEST_F(race_of_fakes, the_parts_of_the_time_sum_to_workers_times_wall) {
    enter(fakes::info("serial", fakes::run_serially));
    enter(fakes::info("std_thread", fakes::run_on_threads));
    enter(fakes::info(
        "silent", [](race::run_context& c) { fakes::run_serially(c); }, false));
    options.scheme.workers = 3;
    const auto result = run();
    for (const auto& one : result.schemes) {
        double sum = 0;
        for (const double ns : one.where.ns) {
            EXPECT_GE(ns, 0) << one.name;
            sum += ns;
        }
        ASSERT_GT(one.where.wall_ns, 0);
        EXPECT_NEAR(sum / (one.where.workers * one.where.wall_ns), 1, 0.02) << one.name;
        EXPECT_TRUE(one.where.has_reference);
    }
    EXPECT_GT(result.find("serial")->where.share(race::part::idle), 0.6);
    EXPECT_NEAR(result.find("silent")->where.share(race::part::unlogged), 1, 1e-9);
}

/// The parts as they come from the log, before anything is scaled.
TEST(race_split, of_a_real_run_sums_to_workers_times_wall) {
    for (const unsigned workers : {1u, 2u, 3u, 64u}) {
        fakes::counting work({.size = 2000});
        race::race_control control;
        race::run_context context{work, control.log(), control.descriptor(), workers};
        race::run_facts facts;
        facts.workers = workers;
        const std::int64_t cpu = race::own_cpu_ns();
        facts.begin_ns = regatta::detail::monotonic_ns();
        fakes::run_on_threads(context);
        facts.end_ns = regatta::detail::monotonic_ns();
        facts.cpu_ns = race::own_cpu_ns() - cpu;
        const race::time_split split = race::split_time(control.log(), facts);
        EXPECT_EQ(split.workers, workers);
        EXPECT_NEAR(split.sum_ns() / (split.wall_ns * workers), 1, 0.02);
        for (const double ns :
             {split.items_ns, split.preempted_ns, split.dispatch_ns, split.set_up_ns,
              split.imbalance_ns, split.tear_down_ns, split.idle_ns}) {
            EXPECT_GE(ns, 0);
        }
        EXPECT_EQ(split.unlogged_ns, 0);
    }
}

// The launcher's clock counts, without what the race needs around it; and of several runs the mean,
// of memory the most.
TEST(race_sample, of_a_program_is_what_was_measured_of_its_runs) {
    class told final : public race::scheme {
    public:
        explicit told(int run) : usage_{100, 5100, 300, 1000 - run} {}
        void run(race::run_context&) override {}
        bool logs_items() const noexcept override { return false; }
        const race::program_usage* program() const noexcept override { return &usage_; }

    private:
        race::program_usage usage_;
    };
    fakes::counting work({.size = 1});
    race::race_control control;
    int runs = 0;
    race::scheme_info one = fakes::info("one", fakes::run_serially);
    one.make = [&](const race::scheme_options&) { return std::make_unique<told>(runs++); };
    race::run_conditions how;
    how.shortest_sample = std::chrono::microseconds(20);
    race::scheme_run run(one, {.workers = 1}, work, control, how);
    const race::outcome got = run.run_sample();
    EXPECT_GT(runs, 1);
    EXPECT_EQ(got.ns, 5000);
    ASSERT_TRUE(got.details && got.details->usage);
    EXPECT_EQ(got.details->usage->cpu_ns, 300);
    EXPECT_EQ(got.details->usage->peak_bytes, 1000);
}

// "CPU time of processes that have ended and that the race could not wait for itself": what it was
// used for had a CPU.
TEST(race_sample, cpu_time_that_is_only_told_counts) {
    for (const std::int64_t told : {std::int64_t{0}, std::int64_t{2'000'000'000}}) {
        fakes::counting work({.size = 10});
        race::race_control control;
        const race::scheme_info one = fakes::info("one", [told](race::run_context& c) {
            fakes::run_serially(c);
            race::worker_log& mine = c.log.workers[0];
            mine.busy_ns += 1'000'000'000; // As if its items had taken so long.
            mine.delay_span_ns = 0;
            mine.cpu_ns = told;
        });
        race::scheme_run run(one, {.workers = 1}, work, control);
        const race::outcome got = run.run_sample();
        ASSERT_TRUE(got.details) << got.failure;
        EXPECT_EQ(got.details->split.preempted_ns > 0, told == 0);
    }
}

// "Items arrive from now on": not from when the scheme was made ready.
TEST(race_sample, items_are_due_from_the_begin_of_the_run) {
    static std::int64_t ready_ns;
    class slow_to_start final : public race::scheme {
    public:
        void prepare(race::run_context&) override { ready_ns = regatta::detail::monotonic_ns(); }
        void run(race::run_context& context) override {
            const auto due = [&](std::uint64_t item) {
                return context.log.offered.arrival_of(item, context.log.stop);
            };
            EXPECT_GE(due(0), ready_ns);
            EXPECT_EQ(due(5), due(0) + 5000); // Items are handed over in their order.
            fakes::run_when_due(context);
        }
    };
    fakes::counting work({.size = 10});
    race::race_control control;
    race::scheme_info one = fakes::info_of_tasks("one", fakes::run_when_due);
    one.make = [](const race::scheme_options&) { return std::make_unique<slow_to_start>(); };
    race::run_conditions how;
    how.rate = 1e6;
    race::scheme_run run(one, {.workers = 1}, work, control, how);
    for (int sample = 0; sample < 2; ++sample) {
        EXPECT_EQ(run.run_sample().failure, "");
        EXPECT_EQ(run.latencies().count(), 10u) << "of the last sample";
    }
}

// "Whether the items take less than that on average".
TEST(length_of_items, short_ones_are_told_from_long_ones) {
    const auto matmul = race::find_workload("matmul")->make({.size = 512});
    EXPECT_FALSE(race::items_are_short(*matmul)); // 262144 multiplications and additions each
    class instant final : public fakes::counting {
        using counting::counting;
        void run(std::size_t) noexcept override {}
    };
    instant quick({.size = 100});
    EXPECT_TRUE(race::items_are_short(quick));
    quick.reset();
    EXPECT_FALSE(quick.verify().ok);
    fakes::counting usual({.size = 50}); // All of which a look runs.
    race::items_are_short(usual);
    EXPECT_FALSE(usual.verify().ok) << "leaves the workload as `reset` does";
}

// "until one or all together have taken too long for it": all of them may take minutes.
TEST(length_of_items, needs_few_long_ones) {
    class mostly_long final : public fakes::counting {
    public:
        mostly_long() : counting({.size = 64}, 1) {}
        void run(std::size_t item) noexcept override {
            counting::run(item);
            const auto until = regatta::detail::monotonic_ns() + (item == 0 ? 0 : 30'000'000);
            while (regatta::detail::monotonic_ns() < until) {
            }
            ++runs;
        }
        int runs = 0;
    };
    mostly_long work;
    EXPECT_FALSE(race::items_are_short(work));
    EXPECT_LE(work.runs, 9); // 3 looks: the first item twice, and a long one
}

// "Others can only make items longer": one look at undisturbed items is enough.
TEST(length_of_items, is_that_of_the_shortest_look) {
    class disturbed final : public fakes::counting {
    public:
        disturbed() : counting({.size = 10}) {}
        void run(std::size_t) noexcept override {
            const auto until = regatta::detail::monotonic_ns() + (runs_++ < 6 ? 20'000 : 0);
            while (regatta::detail::monotonic_ns() < until) {
            }
        }

    private:
        int runs_ = 0;
    } work; // A look is at 11 runs at most.
    EXPECT_TRUE(race::items_are_short(work));
}

// In a sweep one log serves race after race: where items of one were counted, the next one's are
// timed.
TEST(cost_of_the_log, is_that_of_timed_items_whatever_the_race_before_was) {
    const auto log = std::make_unique<race::run_log>();
    log->counts_items = true;
    EXPECT_GT(race::measured_log_cost(*log).within_ns, 0);
}

// "What it costs to log an item, measured once".
TEST(cost_of_the_log, is_more_than_nothing_and_leaves_the_log_empty) {
    const auto log = std::make_unique<race::run_log>();
    const race::log_cost cost = race::measured_log_cost(*log);
    EXPECT_GT(cost.within_ns + cost.beside_ns, 0);
    EXPECT_EQ(log->seen.load(), 0u);
    EXPECT_EQ(log->workers[0].items, 0u);
}
