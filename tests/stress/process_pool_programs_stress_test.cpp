// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Random programs of process pools: each task's outcome is one that the reference allows, no two
// attempts at it overlap, each wait ends, and nothing stays behind.

#include "random_programs.hpp"
#include "seeded.hpp"
#include "support/pool_functions.hpp"

#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace programs {

using library_test::dice;
using regatta::failure_cause;
using namespace std::chrono_literals;

enum class deed : std::uint32_t { computes, throws, exits, dies, stops, lingers };

/// What a task does in so many of its attempts; then it computes.
struct order {
    std::uint64_t number;
    deed what;
    unsigned times;
};

/// What attempts at a task leave: who is at it, and whether two were at once.
struct trace {
    std::int32_t process;
    std::uint32_t overlaps;
    std::uint32_t attempts;
};

std::uint64_t row(const regatta::process_task& task, order given, std::span<trace> traces) {
    trace& mine = traces[task.index];
    const pid_t before = std::exchange(mine.process, ::getpid());
    // The one before is gone, and was waited for: a zombie is one that can be signalled.
    if (before != 0 && before != ::getpid() && ::kill(before, 0) == 0) {
        ++mine.overlaps;
    }
    ++mine.attempts;
    const deed what = task.attempt <= given.times ? given.what : deed::computes;
    if (what == deed::throws) {
        throw std::out_of_range(std::to_string(given.number));
    } else if (what == deed::exits) {
        ::_exit(7);
    } else if (what == deed::dies || what == deed::stops) {
        ::raise(what == deed::dies ? SIGKILL : SIGSTOP);
    } else if (what == deed::lingers) {
        ::sleep(3600);
    }
    const std::uint64_t result = pool_test::mixed(given.number);
    mine.process = 0;
    return result;
}

struct world {
    regatta::process_pool_options options;
    regatta::process_pool* pool = nullptr;
    std::atomic<bool> disturbed{false}; ///< Workers were killed or stopped from outside.
    std::atomic<bool> closing{false};
};

order any_order(world& w, dice& d, std::uint64_t number) {
    order made{number, deed::computes, 0};
    if (d.roll(4) == 0) {
        const bool limited = w.options.deadline.count() > 0;
        made.what = static_cast<deed>(d.roll(limited && d.roll(8) == 0 ? 6 : 4));
        made.times = made.what == deed::throws ? ~0u : static_cast<unsigned>(d.roll(4)) + 1;
    }
    return made;
}

/// Checks how a task ended.
void check(const world& w, const order& given, const regatta::task_failure* failure,
           std::uint64_t result, bool may_be_cancelled, const trace& left) {
    EXPECT_EQ(left.overlaps, 0u);
    const bool deadline = w.options.deadline.count() > 0;
    const bool deadly = given.what == deed::exits || given.what == deed::dies;
    const bool slow = given.what == deed::stops || given.what == deed::lingers;
    if (failure == nullptr) {
        EXPECT_NE(given.what, deed::throws);
        // One that has stopped itself may have been continued.
        EXPECT_FALSE((deadly || (slow && !w.disturbed)) && given.times >= w.options.attempts)
            << given.number;
        EXPECT_EQ(result, pool_test::mixed(given.number));
        return;
    }
    const std::string what = failure->describe();
    EXPECT_LE(failure->attempts, w.options.attempts) << what;
    if (failure->cause == failure_cause::cancelled) {
        EXPECT_TRUE(may_be_cancelled) << what;
    } else if (failure->cause == failure_cause::exception) {
        EXPECT_EQ(given.what, deed::throws) << what;
        if (!failure->type.empty()) { // One of the first 16.
            EXPECT_EQ(failure->type, "std::out_of_range");
            EXPECT_EQ(failure->text, std::to_string(given.number));
        }
    } else {
        EXPECT_EQ(failure->attempts, w.options.attempts) << what;
        if (failure->cause == failure_cause::deadline) {
            EXPECT_TRUE(deadline) << what;
            return;
        }
        EXPECT_EQ(failure->cause, failure_cause::death) << what;
        EXPECT_TRUE(w.disturbed || (given.what == deed::exits && failure->status == 7) ||
                    (given.what == deed::dies && failure->signal == SIGKILL))
            << what;
    }
}

/// A map, or a call with a future.
struct begun {
    regatta::process_job job;
    regatta::future<std::uint64_t> result;
    std::span<order> in;
    std::span<std::uint64_t> out;
    std::span<trace> traces;
    bool cancelled = false;

    bool wait_for(std::chrono::microseconds time) {
        return result.valid() ? result.wait_for(time) : job.wait_for(time);
    }
    std::vector<regatta::task_failure> failures() {
        try {
            if (!result.valid()) {
                return job.failures();
            }
            out[0] = result.get();
        } catch (const regatta::task_failed& error) {
            return {error.failure()};
        }
        return {};
    }
};

/// One thread's random program on a pool.
class program {
public:
    program(world& w, unsigned number) : w_(w), dice_(number), number_(number * 1'000'000ull) {}

    void run() {
        for (int steps = dice_.roll(40) + 5; steps > 0; --steps) {
            try {
                step();
            } catch (const std::logic_error& error) {
                EXPECT_TRUE(w_.closing) << error.what();
                break;
            }
        }
        while (!begun_.empty()) {
            finish(begun_.size() - 1);
        }
    }

private:
    void step() {
        auto& pool = *w_.pool;
        const int what = dice_.roll(12);
        if (what < 4) {
            return begin(what < 2);
        }
        const auto worker = static_cast<unsigned>(dice_.roll(4));
        switch (what) {
        case 4:
            return pool.execute<row>(any_order(w_, dice_, ++number_), pool.allocate<trace>(1));
        case 5:
            static_cast<void>(pool.wait_for(std::chrono::microseconds(dice_.roll(2000))));
            return;
        case 6:
            if (dice_.roll(4) == 0) {
                pool.resize(worker + 1);
            } else if (dice_.roll(3) == 0) {
                fork_away();
            }
            return;
        case 7:
            if (dice_.roll(2) == 0) {
                w_.disturbed = true;
                pool.signal_worker(worker, SIGKILL);
            } else if (w_.options.deadline.count() > 0) {
                w_.disturbed = true;
                pool.signal_worker(worker, SIGSTOP);
                pool.signal_worker(worker, dice_.roll(2) == 0 ? SIGCONT : 0);
            }
            return;
        default:
            break;
        }
        if (begun_.empty()) {
            return;
        }
        const auto i = static_cast<std::size_t>(dice_.roll(static_cast<int>(begun_.size())));
        begun& one = begun_[i];
        if (what < 10) {
            finish(i);
        } else if (what == 10) {
            static_cast<void>(one.wait_for(std::chrono::microseconds(dice_.roll(300))));
        } else if (!one.result.valid()) {
            one.cancelled = true;
            EXPECT_LE(one.job.cancel(), one.job.tasks());
        } else if (one.result.cancel()) {
            take(i); // Its task may go on: the memory stays.
        }
    }

    void begin(bool maps) {
        auto& pool = *w_.pool;
        const auto tasks =
            static_cast<std::size_t>(maps ? dice_.roll(dice_.roll(4) == 0 ? 300 : 6) : 1);
        begun made{.job = {},
                   .result = {},
                   .in = pool.allocate_input<order>(tasks),
                   .out = pool.allocate<std::uint64_t>(tasks),
                   .traces = pool.allocate<trace>(tasks)};
        for (std::size_t i = 0; i < tasks; ++i) {
            made.in[i] = any_order(w_, dice_, ++number_);
            if (tasks > 6 && dice_.roll(10) != 0) {
                made.in[i].what = deed::computes;
            }
            EXPECT_TRUE(made.out[i] == 0 && made.traces[i].attempts == 0) << "memory is not zeros";
        }
        if (maps) {
            made.job = pool.map<row>(made.in, made.out, tasks, made.traces);
        } else {
            made.result = pool.submit<row>(made.in[0], made.traces);
        }
        begun_.push_back(std::move(made));
    }

    begun take(std::size_t i) {
        std::swap(begun_[i], begun_.back());
        begun one = std::move(begun_.back());
        begun_.pop_back();
        return one;
    }
    void finish(std::size_t i) {
        begun one = take(i);
        library_test::eventually("a job", [&] { return one.wait_for(100ms); });
        const auto failures = one.failures();
        std::vector<const regatta::task_failure*> failed(one.in.size());
        for (const auto& failure : failures) {
            ASSERT_EQ(std::exchange(failed[failure.task], &failure), nullptr) << "twice";
        }
        for (std::size_t t = 0; t < one.in.size(); ++t) {
            check(w_, one.in[t], failed[t], one.out[t], one.cancelled, one.traces[t]);
        }
        w_.pool->release(one.out);
        w_.pool->release(one.traces);
        w_.pool->release(one.in);
    }

    /// In a fork of this process the pool is inert.
    void fork_away() {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            ::alarm(20);
            bool right = !w_.pool->signal_worker(0, 0) && w_.pool->stats().submitted == 0;
            for (begun& one : begun_) {
                right = right && (one.result.valid() || one.job.cancel() == 0);
                static_cast<void>(one.result.valid() && one.result.cancel());
            }
            w_.pool->close();
            ::_exit(right ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }

    world& w_;
    dice dice_;
    std::uint64_t number_;
    std::vector<begun> begun_;
};

void live(unsigned number, dice d) {
    world w;
    w.options = {.workers = static_cast<unsigned>(d.roll(4)) + 1,
                 .attempts = static_cast<unsigned>(d.roll(4)) + 1,
                 .deadline = std::chrono::milliseconds(d.roll(2) * (50 + d.roll(100))),
                 .shared_memory = 64u << 20,
                 .zygote = d.roll(2) == 0,
                 .longest_back_off = std::chrono::milliseconds(d.roll(4)),
                 .failed_starts = 100'000};
    w.options.on_error = [](const std::exception_ptr&) {};
    regatta::process_pool pool(w.options);
    w.pool = &pool;
    std::vector<std::thread> threads;
    const unsigned count = static_cast<unsigned>(d.roll(3)) + 1;
    for (unsigned i = 0; i < count; ++i) {
        threads.emplace_back([&w, i, number] { program(w, number * 8 + i + 1).run(); });
    }
    if (d.roll(2) == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(d.roll(20000)));
        w.closing = true;
        pool.close();
    }
    for (std::thread& one : threads) {
        one.join();
    }
    library_test::eventually("the pool", [&] { return pool.wait_for(100ms); });
    const auto all = pool.stats();
    EXPECT_EQ(all.submitted, all.run + all.cancelled + all.poisoned);
    EXPECT_LE(all.errors, all.run);
}

} // namespace programs

TEST(process_pool_programs_stress, end_as_the_reference_allows) {
    const library_test::time_limit limit{"random programs of process pools"};
    const pool_test::leak_check leaks;
    const auto threads = pool_test::entries_of("/proc/self/task");
    library_test::repeat(1000, std::chrono::milliseconds(1500), [](unsigned round, auto& d) {
        std::vector<std::thread> pools;
        for (int i = d.roll(2); i >= 0; --i) {
            const unsigned number = round * 2 + static_cast<unsigned>(i);
            pools.emplace_back([number] { programs::live(number, programs::dice(number)); });
        }
        for (std::thread& one : pools) {
            one.join();
        }
    });
    // A thread that was joined is there for a moment more.
    library_test::await([&] { return pool_test::entries_of("/proc/self/task") <= threads; });
}

int main(int argc, char** argv) {
    regatta::run_process_worker(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
