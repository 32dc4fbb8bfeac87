// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What every scheme of the race promises, checked on all of them.

#include "schemes/item_tasks.hpp"
#include "schemes/scheme.hpp"

#include "support/eventually.hpp"

#include <regatta/base/config.hpp>
#include <regatta/process/shared_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <unistd.h>

using namespace regatta::race;

namespace {

struct race_memory {
    regatta::shared_memory memory =
        regatta::shared_memory::anonymous("test-log", sizeof(run_log), run_log_layout);
    run_log& log = log_in(memory);
};

/// The sanitizer would report races that are none.
bool hidden_from_the_thread_sanitizer(const scheme_info& info) {
    return REGATTA_THREAD_SANITIZER != 0 && info.traits.synchronises_unseen;
}

std::size_t entries_of(const char* folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) {
        ++count;
    }
    return count;
}

/// Item 0 spawns the others. For one worker.
struct one_that_spawns final : workload {
    static constexpr std::size_t spawned = 20;

    std::string_view name() const noexcept override { return "one that spawns"; }
    std::size_t items() const noexcept override { return 1 + spawned; }
    std::size_t handed_out() const noexcept override { return 1; }
    bool tiny_items() const noexcept override { return true; }
    void run(std::size_t) noexcept override { ++runs; }
    void run_spawning(std::size_t item, spawner& to) noexcept override {
        if (item == 0) {
            for (std::size_t i = 1; i <= spawned; ++i) {
                to.spawn(i);
            }
            left = spawned - runs;
        }
        run(item);
    }
    void reset() noexcept override { runs = 0; }
    verification verify() const override { return {runs == items(), "an item is missing"}; }
    int descriptor() const noexcept override { return -1; }

    std::size_t runs = 0;
    std::size_t left = 0; ///< Of the spawned ones, when item 0 has spawned the last.
};

/// Items that last until the gate is opened.
struct held_items final : workload {
    explicit held_items(std::size_t count) : count_(count) {}

    std::string_view name() const noexcept override { return "held items"; }
    std::size_t items() const noexcept override { return count_; }
    void run(std::size_t) noexcept override {
        ++begun;
        gate.wait();
    }
    void reset() noexcept override {}
    verification verify() const override { return {true, {}}; }
    int descriptor() const noexcept override { return -1; }

    std::latch gate{1};
    std::atomic<unsigned> begun{0};

private:
    std::size_t count_;
};

/// Of a thread of this process: 'S' is asleep.
char state_of(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(file, line);
    const auto name_end = line.rfind(')');
    return name_end == line.npos ? '?' : line.at(name_end + 2);
}

/// Signals to this thread, one every 500 µs, whose handler does nothing: calls end with EINTR.
class frequent_signals {
public:
    frequent_signals() {
        struct sigaction nothing {};
        nothing.sa_handler = [](int) {};
        ::sigaction(SIGUSR1, &nothing, &before_);
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGUSR1;
        event._sigev_un._tid = ::gettid();
        EXPECT_EQ(::timer_create(CLOCK_MONOTONIC, &event, &timer_), 0);
        const itimerspec often{{0, 500'000}, {0, 500'000}};
        EXPECT_EQ(::timer_settime(timer_, 0, &often, nullptr), 0);
    }
    frequent_signals(const frequent_signals&) = delete;
    frequent_signals& operator=(const frequent_signals&) = delete;
    ~frequent_signals() {
        ::timer_delete(timer_);
        ::sigaction(SIGUSR1, &before_, nullptr);
    }

private:
    struct sigaction before_ {};
    timer_t timer_{};
};

struct every_scheme : testing::TestWithParam<std::string> {
    void SetUp() override {
        if (const std::string reason = info().missing(*make(64, "naive")); !reason.empty()) {
            GTEST_SKIP() << info().name << ": " << reason;
        }
        if (hidden_from_the_thread_sanitizer(info())) {
            GTEST_SKIP() << info().name << ": not built for the thread sanitizer";
        }
    }

    const scheme_info& info() const { return *find_scheme(GetParam()); }

    std::unique_ptr<workload> make(std::size_t size, const char* kernel) const {
        return find_workload("matmul")->make({.size = size, .kernel = kernel, .seed = 7});
    }

    void run(workload& work, unsigned workers) {
        work.reset();
        memory.log.clear();
        auto context = std::make_unique<run_context>(
            run_context{work, memory.log, memory.memory.descriptor(), workers});
        const auto scheme = info().make({.workers = workers, .chunk = 5});
        scheme->prepare(*context);
        scheme->run(*context);
        context.reset(); // As in a race: a worker that has not begun yet may not look at it.
        logs_items = scheme->logs_items();
        const verification checked = work.verify();
        EXPECT_TRUE(checked.ok) << checked.message;
        if (logs_items) {
            const verification counted = check_items(memory.log, work.items());
            EXPECT_TRUE(counted.ok) << counted.message;
            EXPECT_EQ(logged_items(workers), work.items());
        }
    }

    /// The items of all workers, after a look at the plausibility of each log.
    std::size_t logged_items(unsigned workers) const {
        std::size_t items = 0;
        std::size_t busy = 0;
        for (const worker_log& worker : memory.log.workers) {
            items += worker.items;
            busy += worker.items > 0 ? 1 : 0;
            EXPECT_LE(worker.first_ns, worker.last_ns);
            EXPECT_LE(worker.busy_ns, worker.last_ns - worker.first_ns);
            EXPECT_GE(worker.busy_ns, 0);
        }
        EXPECT_LE(busy, workers);
        EXPECT_LE(memory.log.seen.load(), workers);
        return items;
    }

    race_memory memory;
    bool logs_items = true;
};

/// Without those in Python: they take an interpreter a run, run other workloads, and have tests of
/// their own.
std::vector<std::string> all_schemes() {
    std::vector<std::string> all;
    for (const scheme_info& info : schemes()) {
        if (info.traits.language != language::python) {
            all.emplace_back(info.name);
        }
    }
    return all;
}

} // namespace

// "`run` may be called again and again, the log cleared in between."
TEST_P(every_scheme, takes_another_job_where_it_is_reusable) {
    if (!info().reusable) {
        GTEST_SKIP() << info().name << " begins anew in each run";
    }
    const auto work = make(130, "naive");
    run_context context{*work, memory.log, memory.memory.descriptor(), 2};
    memory.log.clear();
    const auto scheme = info().make({.workers = 2, .chunk = 5});
    scheme->prepare(context);
    for (int job = 0; job < 5; ++job) {
        SCOPED_TRACE(job);
        work->reset();
        memory.log.clear();
        scheme->run(context);
        const verification checked = work->verify();
        EXPECT_TRUE(checked.ok) << checked.message;
        EXPECT_EQ(logged_items(2), work->items());
    }
}

// "Queued tasks at most, in the pools that take a bound": no item is lost where there is no room.
TEST_P(every_scheme, runs_all_items_with_room_for_fewer_where_its_queue_takes_a_bound) {
    if (!info().traits.bounded) {
        GTEST_SKIP() << info().name << " takes no bound";
    }
    const auto work = make(130, "naive");
    run_context context{*work, memory.log, memory.memory.descriptor(), 2};
    memory.log.clear();
    const auto scheme = info().make({.workers = 2, .chunk = 5, .capacity = 3});
    scheme->prepare(context);
    scheme->run(context);
    const verification checked = work->verify();
    EXPECT_TRUE(checked.ok) << checked.message;
    EXPECT_EQ(logged_items(2), work->items());
}

// "Queued tasks at most, in the pools that take a bound": a worker that spawns an item and finds no
// room runs another one first, and so no more than the bound are left when it has spawned all.
TEST_P(every_scheme, gives_its_queue_the_bound) {
    if (!info().traits.bounded) {
        GTEST_SKIP() << info().name << " takes no bound";
    }
    for (const std::size_t capacity : {0u, 1u, 3u, 9u}) {
        SCOPED_TRACE(capacity);
        one_that_spawns work;
        run_context context{work, memory.log, memory.memory.descriptor(), 1};
        memory.log.clear();
        const auto scheme = info().make({.workers = 1, .capacity = capacity});
        scheme->prepare(context);
        scheme->run(context);
        EXPECT_TRUE(work.verify().ok);
        EXPECT_EQ(work.left, capacity == 0 ? work.spawned : capacity);
    }
}

// "Whether a producer hands over the items one by one, so that it can do so on a schedule."
TEST_P(every_scheme, hands_over_no_item_before_it_is_due_where_it_takes_single_tasks) {
    if (!info().single_tasks) {
        GTEST_SKIP() << info().name << " takes no single tasks";
    }
    const auto work = make(64, "naive");
    memory.log.clear();
    memory.log.offered.set_rate(20'000, item_source::producer);
    run_context context{*work, memory.log, memory.memory.descriptor(), 2};
    const auto scheme = info().make({.workers = 2});
    scheme->prepare(context);
    memory.log.offered.begin();
    scheme->run(context);
    const verification counted = check_items(memory.log, work->items());
    EXPECT_TRUE(counted.ok) << counted.message;
    std::uint64_t delayed = 0;
    for (const latency_histogram& one : memory.log.delays) {
        delayed += one.count();
        EXPECT_GE(one.min(), 0);
    }
    EXPECT_EQ(delayed, 64u);
    const std::int64_t first = memory.log.offered.arrival_of(0, memory.log.stop);
    for (const worker_log& worker : memory.log.workers) {
        EXPECT_TRUE(worker.items == 0 || worker.first_ns >= first);
    }
}

// "Runs every item exactly once": as many were run as there are, and none is wrong or missing.
TEST_P(every_scheme, runs_every_item_exactly_once) {
    const auto work = make(130, "naive");
    for (const unsigned workers : {1u, 2u, 3u, 64u}) {
        SCOPED_TRACE(workers);
        run(*work, workers);
    }
}

TEST_P(every_scheme, runs_fewer_items_than_workers) {
    const auto work = make(65, "tiled");
    ASSERT_LT(work->items(), 64u);
    run(*work, 64);
}

TEST_P(every_scheme, runs_again_and_again) {
    const auto work = make(64, "naive");
    for (int round = 0; round < 20; ++round) {
        run(*work, 2);
    }
}

TEST_P(every_scheme, may_be_made_and_prepared_for_nothing) {
    const auto work = make(64, "naive");
    run_context context{*work, memory.log, memory.memory.descriptor(), 3};
    static_cast<void>(info().make({.workers = 3}));
    info().make({.workers = 3})->prepare(context);
}

// "Not 0: finish early; items are skipped from now on".
TEST_P(every_scheme, ends_early_when_told_to_stop) {
    const auto work = make(512, "naive");
    memory.log.stop.store(1);
    run_context context{*work, memory.log, memory.memory.descriptor(), 2};
    const auto scheme = info().make({.workers = 2});
    scheme->prepare(context);
    scheme->run(context);
    EXPECT_EQ(logged_items(2), 0u);
}

// Every workload, and a size at which queues are full: more items than any of them has room for.
TEST_P(every_scheme, runs_every_workload_or_says_why_not) {
    for (const workload_info& one : workloads()) {
        if (one.small_size == 0) {
            continue; // its items are long
        }
        SCOPED_TRACE(one.name);
        const auto work = one.make({.size = one.small_size, .seed = 3});
        if (const std::string reason = info().missing(*work); !reason.empty()) {
            EXPECT_NE(reason.find(one.name), std::string::npos) << reason;
            continue;
        }
        for (const unsigned workers : {1u, 2u, 5u}) {
            SCOPED_TRACE(workers);
            run(*work, workers);
        }
    }
}

// Where a queue has no bound the items come in waves, and a chunk need not divide those.
TEST_P(every_scheme, runs_more_items_than_one_wave_exactly_once) {
    const auto work = find_workload("empty")->make({.size = wave_items + 3});
    if (const std::string reason = info().missing(*work); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    run(*work, 2);
}

// A signal of which the race takes note, as Ctrl-C, fails no run.
TEST_P(every_scheme, is_not_disturbed_by_signals) {
    const auto work = find_workload("empty")->make({.size = 50'000});
    if (const std::string reason = info().missing(*work); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    const frequent_signals signals;
    for (int round = 0; round < 3; ++round) {
        run(*work, 2);
    }
}

// "exactly `P` threads or processes compute", also where there are fewer CPUs: so many items are
// under way at once. And a caller that spun meanwhile would take the CPU of a worker where there is
// one for each.
TEST_P(every_scheme, has_an_item_under_way_for_each_worker_and_its_caller_asleep) {
    held_items work(3000); // more than there is room for in the queues of fixed size
    if (const std::string reason = info().missing(work); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    if (info().traits.workers == worker_kind::processes) {
        GTEST_SKIP() << "the gate is for threads";
    }
    constexpr unsigned workers = 5;
    const unsigned at_once = info().traits.workers == worker_kind::one ? 1 : workers;
    memory.log.clear();
    std::atomic<pid_t> caller{0};
    const std::jthread race([&] {
        run_context context{work, memory.log, memory.memory.descriptor(), workers};
        const auto scheme = info().make({.workers = workers, .chunk = 5});
        scheme->prepare(context);
        caller = ::gettid();
        scheme->run(context);
    });
    library_test::await([&] { return work.begun == at_once; });
    int times = 0; // in a row: it may wait for a lock meanwhile
    library_test::await([&] {
        times = state_of(caller) == 'S' ? times + 1 : 0;
        return times == 20;
    });
    EXPECT_EQ(work.begun, at_once);
    work.gate.count_down();
}

// The same where the items are handed out by an item, which is then not run at all.
TEST_P(every_scheme, ends_early_when_told_to_stop_before_an_item_that_spawns) {
    const auto work = find_workload("within")->make({.size = 1000});
    if (const std::string reason = info().missing(*work); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    memory.log.stop.store(1);
    run_context context{*work, memory.log, memory.memory.descriptor(), 2};
    const auto scheme = info().make({.workers = 2});
    scheme->prepare(context);
    scheme->run(context);
    EXPECT_EQ(logged_items(2), 0u);
}

// "`run` leaves no worker behind", and the destructor nothing at all.
TEST_P(every_scheme, leaves_no_thread_and_no_descriptor) {
    const auto work = make(64, "naive");
    if (info().traits.keeps_threads) {
        GTEST_SKIP() << "its library keeps its threads, asleep";
    }
    // The thread sanitizer starts a thread of its own with the first one of the program.
    const std::size_t threads = entries_of("/proc/self/task") + REGATTA_THREAD_SANITIZER;
    run(*work, 3); // what a library opens only once is open from now on
    const std::size_t descriptors = entries_of("/proc/self/fd");
    run(*work, 5);
    EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
    // A joined thread may be listed for a moment after the join.
    library_test::await([&] { return entries_of("/proc/self/task") <= threads; });
}

// "In `tbb_group` the caller is the producer, so it gets one thread more": its only worker has an
// item under way while the caller, with none left to hand over, helps.
TEST(tbb_group, at_a_rate_its_caller_is_one_thread_more) {
    held_items work(2);
    const scheme_info& info = *find_scheme("tbb_group");
    if (const std::string reason = info.missing(work); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    if (hidden_from_the_thread_sanitizer(info)) {
        GTEST_SKIP() << "not built for the thread sanitizer";
    }
    race_memory memory;
    memory.log.offered.set_rate(1e6, item_source::producer);
    const std::jthread race([&] {
        run_context context{work, memory.log, memory.memory.descriptor(), 1};
        const auto scheme = info.make({.workers = 1});
        scheme->prepare(context);
        memory.log.offered.begin();
        scheme->run(context);
    });
    library_test::await([&] { return work.begun == 2; });
    work.gate.count_down();
}

INSTANTIATE_TEST_SUITE_P(schemes, every_scheme, testing::ValuesIn(all_schemes()),
                         [](const auto& one) { return one.param; });

int main(int argc, char** argv) {
    if (const auto status = run_as_worker(argc, argv)) {
        return *status;
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
