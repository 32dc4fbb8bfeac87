// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The timers of compat/hipe.hpp; each test quotes the sentence of docs/reference/hipe.md that it
// checks.

#include "hipe_gate.hpp"
#include "support/observed_thread.hpp"

#include <regatta/compat/hipe.hpp>

#include <gtest/gtest.h>

#if REGATTA_LINUX
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace {

using hipe_test::gate;
using library_test::await;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

using pond_type = hipe::SteadyThreadPond;
using timers_type = hipe::TimerScheduler<pond_type>;

// "submit(f, delay, interval): once delay after the start, and every interval from then on; without
// an interval once."
TEST(hipe_timers, come_once_or_again) {
    pond_type pond(2);
    timers_type timers(&pond);
    EXPECT_TRUE(timers.start());
    EXPECT_FALSE(timers.start());
    std::atomic<int> once{0};
    std::atomic<int> again{0};
    const std::size_t first = timers.submit([&] { ++once; }, milliseconds(1));
    const std::size_t second = timers.submit([&] { ++again; }, milliseconds(1), microseconds(500));
    EXPECT_NE(first, second);
    await([&] { return again >= 10 && once == 1; });
    EXPECT_TRUE(timers.cancel(second, true));
    pond.waitForTasks();
    EXPECT_EQ(once, 1);
}

// "once delay after the start, and every interval from then on": the first time does not wait for
// the interval, nor the second for the delay.
TEST(hipe_timers, tell_delay_and_interval_apart) {
    timers_type timers;
    timers.start();
    std::atomic<int> at_once{0};
    timers.submit([&] { ++at_once; }, milliseconds(0), hours(1));
    std::atomic<int> late{0};
    timers.submit([&] { ++late; }, hours(1), microseconds(100));
    await([&] { return at_once == 1; });
    std::atomic<int> again{0};
    timers.submit([&] { ++again; }, milliseconds(1), microseconds(100));
    await([&] { return again >= 20; });
    timers.stop();
    EXPECT_EQ(at_once, 1);
    EXPECT_EQ(late, 0);
}

// "Constructed with revise, a timer that is late leaves out the times that it missed; otherwise it
// makes up for them."
TEST(hipe_timers, leave_out_or_make_up_for_missed_times) {
    using clock = std::chrono::steady_clock;
    constexpr milliseconds interval(1);
    constexpr int missed = 30;
    for (const bool revise : {false, true}) {
        timers_type timers(revise);
        clock::time_point end; // Of the late call.
        int calls = 0;
        int early = 0; // Calls that made up for a missed time.
        std::atomic<bool> enough{false};
        timers.submit(
            [&] {
                if (++calls == 1) {
                    std::this_thread::sleep_for(missed * interval);
                    end = clock::now();
                } else {
                    early += clock::now() - end < (calls - 3) * interval ? 1 : 0;
                }
                enough = revise ? calls >= 10 : early != 0;
            },
            milliseconds(0), interval);
        timers.start();
        await([&] { return enough.load(); });
        timers.stop();
        EXPECT_EQ(early != 0, !revise);
    }
}

// "Timers may be submitted before the start; they count from there."
TEST(hipe_timers, wait_for_the_start) {
    pond_type pond(1);
    timers_type timers(&pond);
    std::atomic<int> calls{0};
    timers.submit([&] { ++calls; });
    EXPECT_EQ(timers().count(), 0);
    pond.waitForTasks();
    EXPECT_EQ(calls, 0);
    timers.start();
    await([&] { return calls == 1; });
    await([&] { return timers().count() > 0; });
}

// "cancel(id): true if the timer had something left to submit, which it now does not."
TEST(hipe_timers, can_be_cancelled) {
    pond_type pond(1);
    timers_type timers(&pond);
    std::atomic<int> calls{0};
    const auto early = timers.submit([&] { ++calls; });
    EXPECT_TRUE(timers.cancel(early)); // before the start, too
    timers.start();
    const auto never = timers.submit([&] { ++calls; }, hours(1));
    EXPECT_TRUE(timers.cancel(never));
    EXPECT_FALSE(timers.cancel(never));
    EXPECT_FALSE(timers.cancel(12345));

    const auto done = timers.submit([&] { ++calls; });
    await([&] { return calls == 1; });
    EXPECT_FALSE(timers.cancel(done));
    pond.waitForTasks();
    EXPECT_EQ(calls, 1);
}

// "Cancelled timers let go of their callbacks."
TEST(hipe_timers, let_go_of_cancelled_callbacks) {
    auto alive = std::make_shared<int>();
    pond_type pond(1);
    timers_type timers(&pond);
    timers.start();
    const auto id = timers.submit([alive] {}, hours(1), hours(1));
    EXPECT_GT(alive.use_count(), 1);
    timers.cancel(id);
    EXPECT_EQ(alive.use_count(), 1);
}

// "`cancel(id, true)` also waits until it does not submit at this very moment": also for a timer
// that comes once.
TEST(hipe_timers, can_be_waited_for_while_they_come_once) {
    timers_type timers;
    timers.start();
    std::atomic<bool> comes{false};
    std::atomic<bool> has_come{false};
    const auto id = timers.submit([&] {
        comes = true;
        std::this_thread::sleep_for(milliseconds(20));
        has_come = true;
    });
    await([&] { return comes.load(); });
    EXPECT_FALSE(timers.cancel(id));
    EXPECT_FALSE(timers.cancel(id, true));
    EXPECT_TRUE(has_come);

    std::atomic<std::size_t> own{0};
    std::atomic<bool> ended{false};
    own = timers.submit([&] {
        await([&] { return own != 0; });
        EXPECT_FALSE(timers.cancel(own, true));
        ended = true;
    });
    await([&] { return ended.load(); });
}

// The same for a timer that was cancelled before, while it came.
TEST(hipe_timers, can_be_waited_for_after_they_were_cancelled) {
    const library_test::time_limit limit("a cancel that waits for a run");
    timers_type timers;
    timers.start();
    gate inside;
    std::atomic<bool> has_come{false};
    const auto id = timers.submit(
        [&] {
            inside.pass();
            has_come = true;
        },
        milliseconds(0), hours(1));
    inside.await_inside(1);
    EXPECT_TRUE(timers.cancel(id));
    library_test::observed_thread waiting;
    std::atomic<bool> returned{false};
    std::thread waits([&] {
        waiting.announce();
        EXPECT_FALSE(timers.cancel(id, true));
        EXPECT_TRUE(has_come);
        returned = true;
    });
    await([&] { return returned || waiting.sleeps(); });
    inside.open();
    waits.join();
}

// "A callback may cancel its own timer, waiting or not, in a pond or without one."
TEST(hipe_timers, can_cancel_themselves) {
    pond_type pond(2);
    for (const bool wait : {false, true}) {
        for (pond_type* where : {&pond, static_cast<pond_type*>(nullptr)}) {
            timers_type timers(where);
            std::atomic<std::size_t> id{0};
            std::atomic<int> cancelled{0};
            timers.start();
            id = timers.submit(
                [&] {
                    await([&] { return id != 0; });
                    cancelled += timers.cancel(id, wait) ? 1 : 0;
                },
                milliseconds(0), milliseconds(1));
            await([&] { return cancelled == 1; });
            timers.stop();
            pond.waitForTasks();
            EXPECT_EQ(cancelled, 1);
        }
    }
}

// "Without a pond the callbacks run on the timer thread, one after the other."
TEST(hipe_timers, need_no_pond) {
    hipe::HeapTimerScheduler<pond_type> timers;
    timers.start();
    std::atomic<bool> done{false};
    std::thread::id where;
    timers.submit([&] {
        where = std::this_thread::get_id();
        done = true;
    });
    await([&] { return done.load(); });
    timers.stop();
    EXPECT_NE(where, std::this_thread::get_id());
}

// "Any kind of pond, and anything else with submit(f)."
TEST(hipe_timers, submit_to_any_pond) {
    hipe::DynamicThreadPond pond(1);
    hipe::RbtreeTimerScheduler<hipe::DynamicThreadPond> timers(&pond, true);
    timers.start();
    std::atomic<int> calls{0};
    timers.submit([&] { ++calls; }, milliseconds(0), microseconds(100));
    await([&] { return calls >= 5; });
    timers.stop();
    pond.waitForTasks();
}

// "stop halts the timers; start sets those that are left going anew."
TEST(hipe_timers, can_be_stopped_and_started) {
    pond_type pond(1);
    timers_type timers(&pond);
    EXPECT_FALSE(timers.stop());
    std::atomic<int> calls{0};
    timers.start();
    timers.submit([&] { ++calls; }, milliseconds(0), microseconds(200));
    await([&] { return calls >= 3; });
    EXPECT_TRUE(timers.stop());
    EXPECT_FALSE(timers.stop());
    pond.waitForTasks();
    const int halted = calls;
    EXPECT_EQ(timers().count(), 0);
    const auto before = std::chrono::steady_clock::now();
    timers.start();
    const auto going = timers(); // Since this start.
    EXPECT_LE(going, std::chrono::steady_clock::now() - before);
    await([&] { return calls > halted + 3; });
    timers.stop();
    pond.waitForTasks();
}

// "stop on the timer thread: std::system_error, resource_deadlock_would_occur."
TEST(hipe_timers, cannot_stop_themselves) {
    timers_type timers;
    timers.start();
    std::atomic<int> error{0};
    timers.submit([&] {
        try {
            timers.stop();
            error = -1;
        } catch (const std::system_error& e) {
            error = e.code() == std::errc::resource_deadlock_would_occur ? 1 : -1;
        }
    });
    await([&] { return error != 0; });
    EXPECT_EQ(error, 1);
    EXPECT_TRUE(timers.stop());
}

// "An empty callback, or a negative time: std::invalid_argument."
TEST(hipe_timers, check_their_arguments) {
    timers_type timers;
    EXPECT_THROW(timers.submit(nullptr), std::invalid_argument);
    EXPECT_THROW(timers.submit([] {}, milliseconds(-1)), std::invalid_argument);
    EXPECT_THROW(timers.submit([] {}, milliseconds(1), milliseconds(-1)), std::invalid_argument);
}

// "A timer whose pond is full goes on."
TEST(hipe_timers, survive_a_full_pond) {
    gate door;
    pond_type pond(1, 1);
    timers_type timers(&pond);
    pond.submit(door.keeper());
    std::atomic<int> refused{0};
    pond.setRefuseCallBack([&] { ++refused; });
    std::atomic<int> calls{0};
    timers.start();
    timers.submit([&] { ++calls; }, milliseconds(0), microseconds(200));
    await([&] { return refused >= 3; });
    EXPECT_EQ(calls, 0);
    door.open();
    await([&] { return calls >= 3; });
    timers.stop();
    pond.waitForTasks();
}

// "timers(stream) writes for how long they have been going."
TEST(hipe_timers, tell_their_time) {
    timers_type timers;
    std::ostringstream text;
    timers(text);
    EXPECT_EQ(text.str(), "the timers have been going for 0 s\n");
}

// "Threads: any", also those that destroy a callback: it may use the timers that it belongs to.
TEST(hipe_timers, let_the_destructor_of_a_callback_use_them_at_their_end) {
    int destroyed = 0;
    {
        timers_type timers;
        std::size_t other = 0;
        std::shared_ptr<void> use(nullptr, [&](void*) {
            ++destroyed;
            EXPECT_FALSE(timers.cancel(other));
            timers.submit([] {});
        });
        timers.submit([use = std::exchange(use, nullptr)] {}, hours(1));
        other = timers.submit([] {}, hours(1));
        timers.submit([] {}, hours(1));
    }
    EXPECT_EQ(destroyed, 1);
}

#if REGATTA_LINUX

// The same for one that is refused, here in a fork, which has no timer thread.
TEST(hipe_timers, let_the_destructor_of_a_callback_use_them_that_a_fork_refuses) {
    timers_type timers;
    timers.start();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(10); // Ends a child that waits for itself.
        std::shared_ptr<void> use(nullptr, [&](void*) { timers.cancel(1); });
        try {
            timers.submit([use = std::exchange(use, nullptr)] {}, hours(1));
        } catch (const std::system_error&) {
            ::_exit(0);
        }
        ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

/// Not beside a sanitizer, nor in qemu.
constexpr bool forks_beside_threads =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
    false;
#else
    true;
#endif

// "In a fork of the process that made it ... the rest does nothing": whoever held the timers' lock
// at the fork does not exist there.
TEST(hipe_timers, are_inert_in_a_fork_made_while_another_thread_uses_them) {
    if (!forks_beside_threads) {
        GTEST_SKIP() << "what runs the program has locks of its own, which a child may find taken";
    }
    auto timers = std::make_unique<timers_type>();
    timers->start();
    std::atomic<bool> over{false};
    std::thread user([&] {
        while (!over) {
            timers->cancel(timers->submit([] {}, hours(1)));
        }
    });
    for (int i = 0; i < library_test::rounds(600); ++i) {
        const pid_t child = ::fork();
        if (child < 0) {
            ADD_FAILURE() << "cannot fork";
            break;
        }
        if (child == 0) {
            ::alarm(10); // Ends a child that waits for a thread that it has not.
            bool right = (*timers)() == std::chrono::nanoseconds(0);
            right = !timers->cancel(1) && !timers->stop() && right;
            try {
                timers->start();
                right = false;
            } catch (const std::system_error& error) {
                right = error.code().value() == ESRCH && right;
            }
            timers.reset();
            ::_exit(right ? 0 : 1);
        }
        int status = 0;
        if (::waitpid(child, &status, 0) != child || status != 0) {
            ADD_FAILURE() << "fork " << i << " ended with status " << status;
            break;
        }
    }
    over = true;
    user.join();
}

#endif

} // namespace
