// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of timer_scheduler promises about cancelling timers and closing; each test
// quotes the sentence that it checks.

#include "support/counted.hpp"
#include "support/manual_executor.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using library_test::await;
using library_test::counted;
using library_test::manual_executor;
using library_test::plain_pool;
using regatta::timer_id;
using regatta::timer_scheduler;

/// A callback's way in and out, seen from outside.
struct passage {
    std::atomic<int> entered{0};
    std::atomic<bool> open{false};
    std::atomic<int> left{0};

    void pass() {
        ++entered;
        await([this] { return open.load(); });
        ++left;
    }
    void await_entered() {
        await([this] { return entered.load() != 0; });
    }
};

} // namespace

// "@returns whether it prevented a run."
TEST(timer_cancel, says_whether_a_run_was_still_to_come) {
    timer_scheduler timers;
    const auto id = timers.after(1h, [] { ADD_FAILURE() << "ran"; });
    const auto periodic = timers.every(1h, [] { ADD_FAILURE() << "ran"; });
    EXPECT_TRUE(timers.cancel(id));
    EXPECT_FALSE(timers.cancel(id));
    EXPECT_TRUE(timers.cancel(periodic));
    EXPECT_FALSE(timers.cancel(periodic));
    EXPECT_FALSE(timers.cancel(timer_id::none));
    EXPECT_FALSE(timers.cancel(timer_id{12345}));
    EXPECT_FALSE(timers.cancel_and_wait(id));
    EXPECT_EQ(timers.pending(), 0u);

    std::atomic<bool> run{false};
    const auto done = timers.after(0s, [&] { run = true; });
    await([&] { return run.load(); });
    EXPECT_FALSE(timers.cancel(done));
}

// An id of a timer that has ended does not touch the one that took its place.
TEST(timer_cancel, does_not_touch_another_timer_in_the_same_place) {
    timer_scheduler timers;
    const auto old = timers.after(1h, [] {});
    EXPECT_TRUE(timers.cancel(old));
    const auto young = timers.after(1h, [] {});
    EXPECT_FALSE(timers.cancel(old));
    EXPECT_EQ(timers.pending(), 1u);
    EXPECT_TRUE(timers.cancel(young));
}

// "no run of it begins any more, not even one queued by the executor"
TEST(timer_cancel, reaches_what_the_executor_has_queued) {
    manual_executor executor;
    timer_scheduler timers{executor};
    std::atomic<int> alive{0};
    const auto once = timers.after(0s, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
    const auto periodic = timers.every(1ms, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
    executor.await_received(2);
    EXPECT_TRUE(timers.cancel(once));
    EXPECT_TRUE(timers.cancel_and_wait(periodic));
    EXPECT_EQ(alive.load(), 0); // "The callback is destroyed before this returns"
    EXPECT_TRUE(executor.run_one());
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(timers.stats().run, 0u);
    EXPECT_EQ(timers.stats().refused, 0u);
}

// "every member from any thread, callbacks included": a periodic timer ends itself.
TEST(timer_cancel, works_in_the_timers_own_callback) {
    timer_scheduler timers;
    std::atomic<int> alive{0};
    std::atomic<int> run{0};
    std::atomic<int> right{0};
    timers.every(1us, [&, c = counted(alive, 1)](timer_id mine) {
        if (++run == 3) {
            right += timers.cancel(mine) ? 1 : 0;
            right += timers.cancel(mine) ? 0 : 1;
            right += c.holds() && alive.load() == 1 ? 1 : 0; // it still runs
        }
    });
    await([&] { return alive.load() == 0; });
    EXPECT_EQ(run.load(), 3);
    EXPECT_EQ(right.load(), 3);
    EXPECT_EQ(timers.pending(), 0u);

    // "In the timer's own callback it does not wait."
    timers.every(1us, [&, c = counted(alive, 1)](timer_id mine) {
        right += timers.cancel_and_wait(mine) ? 1 : 0;
    });
    await([&] { return right.load() == 4 && alive.load() == 0; });
    // "False: a one-shot timer that runs or has run"
    timers.after(0s, [&](timer_id mine) {
        right += timers.cancel(mine) ? 0 : 1;
        right += timers.cancel_and_wait(mine) ? 0 : 1;
    });
    await([&] { return right.load() == 6; });
}

// "Does not wait: a run that has begun on another thread continues to its end"
TEST(timer_cancel, does_not_wait_for_a_run_under_way) {
    timer_scheduler timers;
    std::atomic<int> alive{0};
    passage p;
    const auto id = timers.every(1us, [&, c = counted(alive, 1)] { p.pass(); });
    p.await_entered();
    EXPECT_TRUE(timers.cancel(id)); // its next run was still to come
    EXPECT_FALSE(timers.cancel(id));
    EXPECT_EQ(alive.load(), 1);
    EXPECT_EQ(timers.pending(), 0u);
    p.open = true;
    await([&] { return alive.load() == 0; }); // destroyed "by the thread that runs it"
    EXPECT_EQ(p.entered.load(), 1);
}

// "if a run is under way on another thread, waits for its end. After that the callback's references
// are no longer used"
TEST(timer_cancel, can_wait_for_a_run_under_way) {
    const library_test::time_limit limit("cancel_and_wait to return");
    for (const bool on_pool : {false, true}) {
        plain_pool pool(2);
        std::optional<timer_scheduler> timers;
        if (on_pool) {
            timers.emplace(pool);
        } else {
            timers.emplace();
        }
        for (const bool periodic : {false, true}) {
            std::atomic<int> alive{0};
            auto p = std::make_unique<passage>();
            auto callback = [&, c = counted(alive, 1)] { p->pass(); };
            const auto id = periodic ? timers->every(1us, std::move(callback))
                                     : timers->after(0s, std::move(callback));
            p->await_entered();
            std::atomic<bool> returned{false};
            std::thread canceller([&] {
                EXPECT_EQ(timers->cancel_and_wait(id), periodic);
                EXPECT_EQ(p->entered.load(), p->left.load());
                EXPECT_EQ(alive.load(), 0);
                p.reset(); // the thread sanitizer knows whether that is too early
                returned = true;
            });
            for (int i = 0; i < 100; ++i) {
                EXPECT_FALSE(returned.load());
                std::this_thread::yield();
            }
            p->open = true;
            canceller.join();
        }
    }
}

#if REGATTA_EXCEPTIONS
// "Throws `std::system_error` (`resource_deadlock_would_occur`) in a callback if the awaited
// callback waits for the calling one. The timer is cancelled nevertheless."
TEST(timer_cancel, tells_callbacks_that_would_wait_for_each_other) {
    constexpr std::size_t count = 3;
    plain_pool pool(count);
    timer_scheduler timers{pool};
    std::atomic<std::size_t> inside{0};
    std::atomic<int> deadlocks{0};
    std::atomic<int> ended{0};
    timer_id ids[count] = {};
    std::atomic<bool> known{false}; // The ids: a callback may come before that of its own timer.
    for (std::size_t i = 0; i < count; ++i) {
        ids[i] = timers.every(1us, [&, i] {
            ++inside;
            await([&] { return inside.load() == count && known.load(); });
            // In order: the last one is told only if the search begins again at each thread.
            await([&] { return timers.stats().cancelled == i; });
            try {
                timers.cancel_and_wait(ids[(i + 1) % count]);
            } catch (const std::system_error& e) {
                deadlocks += e.code() == std::errc::resource_deadlock_would_occur ? 1 : 100;
            }
            ++ended;
        });
    }
    known = true;
    await([&] { return ended.load() == count; });
    timers.close();
    EXPECT_EQ(deadlocks.load(), 1); // the last one to wait; the others then can
    EXPECT_EQ(timers.stats().run, count);
}

// "Throws `std::system_error` (`resource_deadlock_would_occur`) in a callback of this scheduler."
TEST(timer_close, is_not_for_callbacks) {
    plain_pool pool(1);
    timer_scheduler own;
    timer_scheduler on_pool{pool};
    std::atomic<int> refused{0};
    for (timer_scheduler* timers : {&own, &on_pool}) {
        timers->after(0s, [&refused, timers] {
            try {
                timers->close();
            } catch (const std::system_error& e) {
                refused += e.code() == std::errc::resource_deadlock_would_occur ? 1 : 100;
            }
        });
    }
    await([&] { return refused.load() == 2; });
    std::atomic<bool> run{false};
    own.after(0s, [&] { // it is open still; and of the other scheduler this is no callback
        on_pool.close();
        run = true;
    });
    await([&] { return run.load(); });
}
#endif

// "Cancels all timers, including those with runs queued by the executor, and waits for the runs
// under way. On return no callback runs or will run, and all are destroyed."
TEST(timer_close, leaves_nothing_behind) {
    manual_executor executor;
    std::atomic<int> alive{0};
    {
        timer_scheduler timers{executor};
        for (int i = 0; i < 3; ++i) {
            timers.after(0s, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
            timers.every(
                1h, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; }, 0s);
            timers.after(1h, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
        }
        executor.await_received(6);
        EXPECT_EQ(alive.load(), 9);
        timers.close();
        EXPECT_EQ(alive.load(), 0);
        EXPECT_EQ(timers.pending(), 0u);
        EXPECT_EQ(timers.stats().cancelled, 9u);
        // "A second call does nothing."
        timers.close();
    }
    // A run "may outlive the scheduler".
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(executor.run_one());
        EXPECT_TRUE(executor.drop_one());
    }
}

TEST(timer_close, waits_for_runs_under_way) {
    const library_test::time_limit limit("close to return");
    for (const bool on_pool : {false, true}) {
        plain_pool pool(2);
        passage p;
        std::atomic<int> alive{0};
        std::thread opener;
        {
            std::optional<timer_scheduler> timers;
            if (on_pool) {
                timers.emplace(pool);
            } else {
                timers.emplace();
            }
            timers->every(1us, [&, c = counted(alive, 1)] { p.pass(); });
            p.await_entered();
            opener = std::thread([&] {
                // By then the owner is on its way into the destructor, or in it: both must do.
                for (int i = 0; i < 100; ++i) {
                    std::this_thread::yield();
                }
                p.open = true;
            });
        }
        EXPECT_EQ(p.entered.load(), p.left.load());
        EXPECT_EQ(alive.load(), 0);
        opener.join();
    }
}

// "If the scheduler is closed, destroys `f` without running it and returns `timer_id::none`"
TEST(timer_close, lets_nothing_in_afterwards) {
    timer_scheduler timers;
    timers.close();
    std::atomic<int> alive{0};
    EXPECT_EQ(timers.after(0s, [c = counted(alive, 1)] {}), timer_id::none);
    EXPECT_EQ(timers.at({}, [c = counted(alive, 1)] {}), timer_id::none);
    EXPECT_EQ(timers.every(1s, [c = counted(alive, 1)] {}), timer_id::none);
    EXPECT_EQ(alive.load(), 0);
    EXPECT_FALSE(timers.cancel(timer_id{1}));
    EXPECT_EQ(timers.stats().scheduled, 0u);
}

// "callbacks … included": a timer that renews itself meets the end of its scheduler.
TEST(timer_close, ends_timers_that_renew_themselves) {
    for (int i = 0; i < 20; ++i) {
        std::atomic<int> run{0};
        timer_scheduler timers;
        struct renewing {
            timer_scheduler& timers;
            std::atomic<int>& run;
            void operator()() {
                ++run;
                timers.after(0s, renewing{timers, run});
            }
        };
        timers.after(0s, renewing{timers, run});
        await([&] { return run.load() >= 10; });
    }
}

// What a callback's closure does when it is destroyed may use the scheduler: no lock is held.
TEST(timer_close, destroys_callbacks_without_a_lock) {
    struct asks_at_its_end {
        explicit asks_at_its_end(timer_scheduler& t) : timers(&t) {}
        ~asks_at_its_end() {
            timers->pending();
            timers->cancel(timer_id{1});
        }
        timer_scheduler* timers;
    };
    timer_scheduler timers;
    std::atomic<bool> run{false};
    const auto id =
        timers.after(1h, [a = std::make_unique<asks_at_its_end>(timers)] { static_cast<void>(a); });
    timers.cancel(id);
    timers.every(1us, [&, a = std::make_unique<asks_at_its_end>(timers)](timer_id mine) {
        timers.cancel(mine);
        run = true;
    });
    timers.after(0s, [a = std::make_unique<asks_at_its_end>(timers)] { static_cast<void>(a); });
    timers.after(1h, [a = std::make_unique<asks_at_its_end>(timers)] { static_cast<void>(a); });
    await([&] { return run.load(); });
    timers.close();
}

// "whatever it returned, … the callback is destroyed; what it refers to may go", also where another
// thread destroys it: one that cancels, or the executor's that drops a run.
TEST(timer_cancel, waits_until_another_thread_has_destroyed_the_callback) {
    struct slow_to_end {
        std::atomic<bool>* begun;
        std::atomic<bool>* returned;
        std::atomic<bool>* ended;
        void end() const {
            *begun = true;
            const auto deadline = std::chrono::steady_clock::now() + 100ms;
            while (!*returned && std::chrono::steady_clock::now() < deadline) {
                std::this_thread::yield();
            }
            *ended = true;
        }
    };
    for (const bool dropped : {false, true}) {
        for (const bool closes : {false, true}) {
            manual_executor executor;
            timer_scheduler timers{executor};
            std::atomic<bool> begun{false};
            std::atomic<bool> returned{false};
            std::atomic<bool> ended{false};
            const slow_to_end slow{&begun, &returned, &ended};
            std::shared_ptr<const slow_to_end> own(&slow,
                                                   [](const slow_to_end* one) { one->end(); });
            const auto id = timers.after(dropped ? 0s : 3600s, [own = std::move(own)] {});
            if (dropped) {
                executor.await_received(1);
            }
            std::thread destroys([&] { dropped ? executor.drop_one() : timers.cancel(id); });
            await([&] { return begun.load(); });
            if (closes) {
                timers.close();
            } else {
                EXPECT_FALSE(timers.cancel_and_wait(id));
            }
            EXPECT_TRUE(ended.load()) << (dropped ? "dropped" : "cancelled")
                                      << (closes ? ", close" : ", cancel_and_wait");
            returned = true;
            destroys.join();
        }
    }
}

// Idle, unused, with timers that wait, closed by several at once: each end is sound.
TEST(timer_close, is_sound_in_every_state) {
    { timer_scheduler unused; }
    {
        timer_scheduler waiting;
        for (int i = 0; i < 1000; ++i) {
            waiting.after(std::chrono::hours(i), [] {});
        }
    }
    timer_scheduler timers;
    timers.every(1us, [] {});
    std::vector<std::thread> closers;
    for (int i = 0; i < 3; ++i) {
        closers.emplace_back([&] { timers.close(); });
    }
    for (auto& c : closers) {
        c.join();
    }
    EXPECT_EQ(timers.pending(), 0u);
}

#if REGATTA_EXCEPTIONS
// "Throws `resource_deadlock_would_occur` … on its own thread, where it calls the executor", and
// then has cancelled nothing.
TEST(timer_close, is_refused_on_the_timer_thread) {
    struct closes_them {
        timer_scheduler* timers = nullptr;
        std::atomic<int> refused{0};
        void execute(regatta::timer_run run) {
            try {
                timers->close();
            } catch (const std::system_error& e) {
                refused += e.code() == std::errc::resource_deadlock_would_occur ? 1 : 0;
            }
            run();
        }
    };
    closes_them executor;
    timer_scheduler timers{executor};
    executor.timers = &timers;
    timers.after(std::chrono::hours(1), [] {});
    std::atomic<bool> ran{false};
    timers.after(0ms, [&] { ran = true; });
    await([&] { return ran.load(); });
    EXPECT_EQ(executor.refused.load(), 1);
    EXPECT_EQ(timers.pending(), 1u);
}
#endif
