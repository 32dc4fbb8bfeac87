// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "random_programs.hpp"
#include "support/manual_executor.hpp"
#include "support/threads.hpp"

#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using library_test::await;
using library_test::dice;
using regatta::missed_ticks;
using regatta::timer_id;
using regatta::timer_scheduler;
using thread_id = std::thread::id;

struct misfortune {};

/// Runs what it is given now, later, on other threads or, if it loses some, not at all.
struct moody_executor {
    void execute(regatta::timer_run&& run) { // By the timer thread only.
        const int mood = d.roll(8);
        if (mood == 0 && loses) {
            ++thrown;
            throw misfortune();
        }
        if (mood == 1) {
            run();
        } else if (mood == 2) {
            kept.execute(std::move(run));
        } else if (mood != 3 || !loses) {
            threads.execute(std::move(run));
        }
    }

    dice d;
    const bool loses;
    std::atomic<unsigned> thrown{0};
    library_test::manual_executor kept;
    library_test::plain_pool threads{2};
};

/// A timer, and what has become of it.
struct record {
    bool once = true;
    bool comes = true; ///< Its time is within the test.
    timer_scheduler::clock::time_point first{};
    std::chrono::nanoseconds period{0};

    std::atomic<timer_id> id{timer_id::none}; ///< Publishes those above.
    std::atomic<unsigned> closures{0}, runs{0};
    std::atomic<unsigned> prevented{0};       ///< Cancels that returned true.
    std::atomic<unsigned> unsure{0};          ///< Cancels that threw.
    std::atomic<int> may_begin{1 << 20};      ///< Runs that may yet begin.
    std::atomic<thread_id> runner{}, ender{}; ///< In the callback, in its destructor.

    bool accepted() const { return id.load() != timer_id::none; }
    bool cancelled() const { return prevented + unsure != 0; }
};

/// Threads, callbacks and their destructors that do with a scheduler whatever may be done, and what
/// must come of it.
class timer_program {
public:
    explicit timer_program(unsigned round) : seed_(round * 4096), d_(seed_) {
        timer_scheduler::options o{
            .on_error = regatta::error_sink([this](const std::exception_ptr&) { ++errors_; })};
        if (d_.roll(3) == 0) {
            timers_.emplace(std::move(o));
        } else {
            executor_.emplace(dice(++seed_), loses_);
            timers_.emplace(*executor_, std::move(o));
        }
    }

    void run() {
        const library_test::time_limit limit("the end of a random program of timers");
        std::vector<std::jthread> actors;
        for (int t = d_.roll(3); t >= 0; --t) {
            actors.emplace_back([this] { act(60); });
        }
        if (patient_) {
            actors.clear();
            all_come();
        } else if (d_.roll(2) == 0) {
            actors.emplace_back([this] { timers_->close(); });
        }
        act(30);
        timers_->close();
        for (const record& r : records_) {
            EXPECT_TRUE(!r.accepted() || r.closures == 0);
        }
        actors.clear();
        verify();
    }

private:
    /// A run.
    void begin(record& r, timer_id id) {
        EXPECT_GE(timer_scheduler::clock::now(), r.first + r.period * r.runs.load());
        EXPECT_EQ(r.runner.exchange(std::this_thread::get_id()), thread_id()) << "It overlaps.";
        EXPECT_TRUE(r.comes && (r.runs++ == 0 || !r.once));
        EXPECT_GT(r.may_begin--, 0);
        EXPECT_TRUE(!r.accepted() || r.id == id);
        busy_[++seed_ % 4] = &r;
        act(4);
        EXPECT_THROW(timers_->close(), std::system_error);
        r.runner = thread_id();
        if (dice(++seed_).roll(10) == 0) {
            ++thrown_;
            throw misfortune();
        }
    }
    /// The destruction of a callback.
    void end(record& r) noexcept {
        static thread_local int depth = 0;
        r.ender = std::this_thread::get_id();
        act(++depth < 8 ? 2 : 1);
        --depth;
        --r.closures;
        r.ender = thread_id();
    }

    /// Does something up to `most - 1` times.
    void act(int most) {
        dice d(++seed_);
        for (int i = d.roll(most); i > 0; --i) {
            const auto any = static_cast<unsigned>(d.roll(1 << 16));
            const int what = d.roll(8);
            if (what < 3) {
                schedule(d);
            } else if (what == 3) {
                cancel(records_[any % std::min(used_ + 1, all)], d.roll(2) == 0);
            } else if (what == 4) {
                cancel(*busy_[any % 4].load(), d.roll(2) == 0);
            } else if (what == 5 && executor_) {
                loses_ ? executor_->kept.drop_one() : executor_->kept.run_one();
            }
            std::this_thread::yield();
            const auto stats = timers_->stats();
            EXPECT_LE(stats.cancelled + stats.pending, stats.scheduled);
        }
    }
    void schedule(dice& d) {
        const unsigned mine = used_++;
        if (mine >= all) {
            return;
        }
        record& r = records_[mine];
        const auto destroy = [this](record* it) noexcept { end(*it); };
        auto f = [this, own = std::unique_ptr<record, decltype(destroy)>(&r, destroy)](
                     timer_id id) { begin(*own, id); };
        ++r.closures;
        const auto delay = std::chrono::microseconds(d.roll(400) - 100);
        const auto now = timer_scheduler::clock::now();
        r.first = now + std::max(delay, 0us);
        r.once = d.roll(3) != 0;
        r.comes = !r.once || d.roll(4) != 0;
        if (!r.once) {
            r.period = std::chrono::microseconds(1 + d.roll(300));
            r.id = timers_->every(r.period, std::move(f), delay,
                                  d.roll(2) == 0 ? missed_ticks::skip : missed_ticks::catch_up);
        } else if (d.roll(2) == 0) {
            r.id = timers_->at(r.comes ? now + delay : now.max(), std::move(f));
        } else {
            r.id = timers_->after(r.comes ? delay : delay.max(), std::move(f));
        }
        EXPECT_TRUE(r.accepted() || (r.closures == 0 && r.runs == 0));
    }
    void cancel(record& r, bool wait) {
        if (!r.accepted()) {
            return;
        }
        try {
            r.prevented += (wait ? timers_->cancel_and_wait(r.id) : timers_->cancel(r.id)) ? 1 : 0;
        } catch (const std::system_error& error) { // Two would wait for each other.
            EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
            ++r.unsure;
            wait = false;
        }
        const auto self = std::this_thread::get_id();
        const bool inside = r.runner == self || r.ender == self;
        r.may_begin = wait || inside ? 0 : std::min(r.may_begin.load(), 1); // It may be beginning.
        EXPECT_TRUE(!wait || inside || (r.closures == 0 && r.runner == thread_id()));
    }

    /// Waits until each timer has come, and for the last ones when no periodic one is left that
    /// could wake the timer thread in their place.
    void all_come() {
        const unsigned last = std::min(used_.exchange(all), all); // None is scheduled any more.
        for (unsigned i = 0; i < last; ++i) {
            record& r = records_[i];
            await([&] { return r.accepted(); });
            const unsigned before = r.runs;
            await([&] { return !run_kept() || r.once || r.runs > before || r.cancelled(); });
            if (!r.once || !r.comes) {
                cancel(r, false);
            }
        }
        await([&] { return !run_kept() || timers_->pending() == 0; });
    }
    bool run_kept() {
        while (executor_ && executor_->kept.run_one()) {
        }
        return true;
    }
    void verify() {
        const auto stats = timers_->stats();
        timers_.reset();
        run_kept(); // These do nothing.
        unsigned accepted = 0, runs = 0, only_runs = 0, prevented = 0, unsure = 0;
        for (const record& r : records_) {
            accepted += r.accepted() ? 1 : 0;
            runs += r.runs;
            only_runs += r.once ? r.runs.load() : 0;
            prevented += r.prevented;
            unsure += r.unsure;
            EXPECT_LE(r.prevented + (r.once ? r.runs.load() : 0), 1u);
            EXPECT_EQ(r.closures, 0u);
            EXPECT_TRUE(!patient_ || loses_ || !r.accepted() || r.cancelled() || r.runs != 0);
        }
        EXPECT_EQ(stats.scheduled, accepted);
        EXPECT_EQ(stats.run, runs);
        EXPECT_EQ(stats.pending, 0u);
        EXPECT_GE(stats.cancelled, prevented);
        EXPECT_TRUE(!patient_ || stats.cancelled <= prevented + unsure);
        EXPECT_TRUE(loses_ || stats.refused == 0);
        // Each has run, or was cancelled, or its only run was lost.
        EXPECT_GE(accepted, only_runs + stats.cancelled);
        EXPECT_LE(accepted, only_runs + stats.cancelled + stats.refused);
        EXPECT_EQ(stats.errors, thrown_ + (executor_ ? executor_->thrown.load() : 0));
        EXPECT_EQ(errors_, stats.errors);
    }

    static constexpr unsigned all = 300;
    std::atomic<unsigned> seed_; ///< Of the next dice.
    dice d_;
    const bool patient_ = d_.roll(2) == 0; ///< It ends when all timers have come.
    const bool loses_ = d_.roll(2) == 0;   ///< The executor, if any, loses runs.
    std::atomic<unsigned> used_{0};        ///< Of the records.
    std::vector<record> records_ = std::vector<record>(all);
    /// Timers that run, or did lately.
    std::atomic<record*> busy_[4]{&records_[0], &records_[0], &records_[0], &records_[0]};
    std::atomic<unsigned> thrown_{0}, errors_{0}; ///< By callbacks; in all.
    std::optional<moody_executor> executor_;
    std::optional<timer_scheduler> timers_;
};

TEST(timer_programs_stress, each_timer_comes_at_its_time_or_was_cancelled) {
    library_test::repeat(1000, std::chrono::milliseconds(1500), [](unsigned round, dice&) {
        SCOPED_TRACE(round);
        timer_program(round).run();
    });
}

} // namespace
