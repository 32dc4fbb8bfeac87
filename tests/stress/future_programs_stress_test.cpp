// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "random_programs.hpp"
#include "support/counted.hpp"
#include "support/pool_cases.hpp"
#include "support/threads.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/core/promise.hpp>
#include <regatta/core/run_loop.hpp>
#include <regatta/core/std_future.hpp>
#include <regatta/core/strand.hpp>
#include <regatta/core/task_options.hpp>
#include <regatta/pool.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::counted;
using library_test::dice;
using library_test::point;
using library_test::repeat;
using library_test::rounds;
using namespace std::chrono_literals;
using regatta::co_task;
using regatta::future;
using regatta::schedule_on;
using regatta::task_cancelled;
using regatta::thread_pool;
using regatta::timer_scheduler;

struct broken {};

/// Hands what it gets to a timer.
struct delay {
    timer_scheduler& timers;

    template<class F>
    void execute(F&& f) {
        last = timers.after(std::chrono::microseconds(20), std::forward<F>(f));
    }
    std::atomic<regatta::timer_id> last{regatta::timer_id::none};
};

/// A closure that checks that it runs once at most; its world counts the live ones.
template<class F>
class once {
public:
    once(std::atomic<int>& alive, F f) : f_(std::move(f)), alive_(alive, 0) {}

    template<class... Args>
    requires std::invocable<F&, Args...>
    long operator()(Args... args) {
        EXPECT_TRUE(alive_.holds());
        EXPECT_FALSE(std::exchange(has_run_, true));
        return f_(args...);
    }

private:
    F f_;
    counted alive_;
    bool has_run_ = false;
};

/// Where random programs run. Tasks of the first pool may wait for those of the second one, not
/// the other way round: a circle of waits through two pools would not be found.
struct world {
    thread_pool& first;
    thread_pool& second;
    std::atomic<int> alive{0}; ///< Closures.
    const bool throws;
    const bool cancels;
    std::stop_source stop{};
    timer_scheduler on_thread{};
    timer_scheduler on_pool{second, {.on_error = {[](std::exception_ptr) {}}}};
    delay later{on_thread};
    delay later_on_pool{on_pool};
    const regatta::strand<thread_pool> serial{second};
    const regatta::executor_with_options<thread_pool> urgent{second, regatta::priority::high};
    regatta::run_loop loop{};
    std::jthread runs_loop{[this] { loop.run(); }};
    std::atomic<int> in_serial{0}; ///< How many are inside the strand.
    /// Ends what resumes coroutines, in the order in which they may need it.
    void close() {
        first.close();
        second.close();
        on_thread.close();
        on_pool.close();
        loop.finish();
        runs_loop.join();
    }
};

/// Runs random programs: a tree, each point of which has the sum of its children, as a future or as
/// a coroutine.
class sums {
public:
    /// @param mixed whether both pools are used; else the second one.
    sums(world& where, bool mixed) : in_(where), mixed_(mixed) {}

    /// What comes of the program at `p`, if nothing is cancelled.
    long expect(point p) const {
        const auto children = p.children();
        if (children.empty()) {
            return leaf(p);
        }
        long sum = 0;
        for (const point& child : children) {
            sum += expect(child);
        }
        return sum;
    }
    /// @param alone whether no worker waits for a continuation of it: such a wait does not run what
    /// is in a strand.
    future<long> start(point p, bool alone) const { return unless_cancelled(p, make(p, alone)); }
    co_task<long> walk(point p) const {
        switch (p.draw(5, 9)) {
        case 0:
            co_await pool(p, 6).schedule();
            break;
        case 3:
            co_await schedule_on(in_.serial);
            EXPECT_EQ(in_.in_serial.fetch_add(1), 0);
            EXPECT_TRUE(in_.serial.running_in_this_thread());
            EXPECT_EQ(in_.in_serial.fetch_sub(1), 1);
            break;
        case 4:
            co_await schedule_on(in_.loop);
            EXPECT_EQ(std::this_thread::get_id(), in_.runs_loop.get_id());
            break;
        case 5:
            co_await schedule_on(in_.urgent);
            break;
        case 1:
            co_await schedule_on(in_.later);
            break;
        case 2:
            co_await schedule_on(in_.later_on_pool);
            break;
        default:
            break;
        }
        const auto children = p.children();
        if (children.empty()) {
            co_return leaf(p);
        }
        long sum = 0;
        regatta::future_group<long> started;
        for (const point& child : children) {
            switch (child.draw(4, 4)) {
            case 0:
                sum += co_await walk(child);
                break;
            case 1:
                started.push(spawn(child));
                break;
            default:
                started.push(start(child, true));
            }
        }
        for (future<long>& f : started) {
            if (p.draw(7, 4) == 0) {
                f = pass_on(p, std::move(f));
            }
            f = pass_on_unwaited(p, std::move(f));
        }
        if (p.draw(8, 2) == 0) {
            for (const long one : co_await std::move(started)) {
                sum += one;
            }
            co_return sum;
        }
        for (future<long>& f : started) {
            sum += co_await std::move(f);
        }
        co_return sum;
    }

private:
    long leaf(point p) const {
        if (in_.throws && p.throws()) {
            throw broken();
        }
        for (std::atomic<std::uint64_t> done{0}, work{p.draw(3, 300)}; done < work; ++done) {
        }
        return 1;
    }
    /// Of one's own, because nobody may wait for the end of what it starts.
    static co_task<long> walk_in(sums self, point p) { co_return co_await self.walk(p); }
    /// Not to be waited for by a worker.
    future<long> spawn(point p) const {
        switch (p.draw(13, 4)) {
        case 0:
            return unless_cancelled(p, regatta::co_spawn(in_.serial, walk_in(*this, p)));
        case 1:
            return unless_cancelled(p, regatta::co_spawn(in_.loop, walk_in(*this, p)));
        case 2:
            return unless_cancelled(p, regatta::co_spawn(in_.urgent, walk_in(*this, p)));
        default:
            return unless_cancelled(p, regatta::co_spawn(pool(p, 6), walk_in(*this, p)));
        }
    }
    /// One perhaps that goes through an executor of which no worker that waits runs anything.
    future<long> pass_on_unwaited(point p, future<long> f) const {
        once same(in_.alive, [](long n) { return n; });
        switch (p.draw(14, 6)) {
        case 0:
            return f.then(in_.serial, std::move(same));
        case 1:
            return f.then(in_.loop, std::move(same));
        case 2:
            if (!in_.throws) { // A promise that ends unset does not know why.
                regatta::promise<long> made;
                future<long> later = made.get_future();
                static_cast<void>(std::move(f).then(
                    in_.urgent, [made = std::move(made)](long n) mutable { made.set_value(n); }));
                return later;
            }
            return f;
        default:
            return f;
        }
    }
    future<long> unless_cancelled(point p, future<long> f) const {
        if (in_.cancels && p.draw(9, 12) == 0 && f.cancel()) {
            EXPECT_TRUE(f.ready());
            EXPECT_THROW(static_cast<void>(f.get()), task_cancelled);
            throw task_cancelled();
        }
        return f;
    }
    thread_pool& pool(point p, std::uint64_t what) const {
        return mixed_ && p.draw(what, 2) == 0 ? in_.first : in_.second;
    }
    /// One that may wait for all that this starts.
    thread_pool& waiting_pool() const { return mixed_ ? in_.first : in_.second; }

    template<class F>
    future<long> submit(thread_pool& where, F f) const {
        return where.submit(in_.cancels ? in_.stop.get_token() : std::stop_token(),
                            once(in_.alive, std::move(f)));
    }
    future<long> make(point p, bool alone) const {
        const auto children = p.children();
        if (children.empty()) {
            if (alone && p.draw(15, 6) == 0) {
                return in_.serial.submit(once(in_.alive, [*this, p] { return leaf(p); }));
            }
            return submit(pool(p, 6), [*this, p] { return leaf(p); });
        }
        switch (p.draw(5, 3)) {
        case 0: // The children are there before their parent.
            return submit(waiting_pool(),
                          [p, all = start_all(children)]() mutable { return sum_of(p, all); });
        case 1: // The parent starts them, perhaps in the second pool alone.
            return submit(waiting_pool(), [inside = sums(in_, mixed_ && p.draw(6, 2) == 0), p] {
                auto all = inside.start_all(p.children());
                return sum_of(p, all);
            });
        default: { // Each one is waited for in a continuation of the one before.
            future<long> sum = start(children[0], false);
            for (std::size_t i = 1; i < children.size(); ++i) {
                auto add = [next = start(children[i], true)](long before) mutable {
                    return before + next.get();
                };
                sum = pass_on(children[i], std::move(sum))
                          .then(waiting_pool(), once(in_.alive, std::move(add)));
            }
            return pass_on(p, std::move(sum));
        }
        }
    }
    regatta::future_group<long> start_all(const std::vector<point>& children) const {
        regatta::future_group<long> all;
        for (const point& child : children) {
            all.push(start(child, true));
        }
        return all;
    }
    static long sum_of(point p, regatta::future_group<long>& all) {
        if (p.draw(7, 3) == 0) {
            static_cast<void>(all.wait_for(std::chrono::microseconds(p.draw(8, 100))));
        }
        long sum = 0;
        for (const long one : all.get()) {
            sum += one;
        }
        return sum;
    }
    /// Some continuations that wait for nothing.
    future<long> pass_on(point p, future<long> f) const {
        for (std::uint64_t i = p.draw(20, 4); i > 0; --i) {
            once same(in_.alive, [](long n) { return n; });
            const auto where = p.draw(20 + i, 5);
            f = where == 0   ? f.then(pool(p, 30 + i), std::move(same))
                : where == 1 ? f.then(in_.later, std::move(same))
                             : f.then(std::move(same));
        }
        return f;
    }

    world& in_;
    const bool mixed_;
};

enum : long { threw = -1, was_cancelled = -2 };

template<class Run>
long outcome(Run&& run) {
    try {
        return run();
    } catch (const broken&) {
        return threw;
    } catch (const task_cancelled&) {
        return was_cancelled;
    } catch (const regatta::task_rejected&) {
        return was_cancelled;
    }
}

/// Waits for the future in one of the ways that there are.
long result(future<long> f, dice& d) {
    switch (d.roll(4)) {
    case 0:
        return std::future<long>(std::move(f)).get();
    case 1:
        while (!f.wait_for(std::chrono::microseconds(d.roll(200)))) {
        }
        EXPECT_TRUE(f.ready());
        break;
    case 2:
        EXPECT_TRUE(f.wait_until(std::chrono::system_clock::time_point::max()));
        break;
    default:
        break;
    }
    return f.get();
}

class future_programs_stress : public library_test::pool_test {
protected:
    /// @param exact whether nothing is cancelled.
    static void run_programs(world& in, dice& d, bool mixed, bool exact) {
        const sums all(in, mixed);
        for (int i = 0; i < 6; ++i) {
            const point p{static_cast<std::uint64_t>(d.roll(1 << 30)), 3};
            const bool walks = d.roll(2) == 0;
            const long came = outcome([&] {
                return walks ? regatta::sync_wait(all.walk(p)) : result(all.start(p, true), d);
            });
            const long expected = outcome([&] { return all.expect(p); });
            EXPECT_TRUE(came == expected || (!exact && came == was_cancelled))
                << (walks ? "coroutine " : "future ") << p.seed << ": " << came << ", not "
                << expected;
        }
    }

    /// Runs programs on two threads, and `disturb(world, dice)` again and again meanwhile.
    template<class Disturb>
    static void run_round(unsigned round, dice& d, regatta::pool_options options, bool exact,
                          Disturb&& disturb) {
        options.threads = 1u + static_cast<unsigned>(d.roll(3));
        auto [first] = make_pool(options);
        options.threads = 1u + static_cast<unsigned>(d.roll(3));
        auto [second] = make_pool(options);
        world in{.first = first, .second = second, .throws = d.roll(2) == 0, .cancels = !exact};
        std::atomic<int> running{2};
        std::vector<std::thread> threads;
        for (unsigned t = 1; t < 3; ++t) {
            threads.emplace_back([&, t] {
                dice mine(round * 8 + t);
                run_programs(in, mine, mine.roll(3) != 0, exact);
                --running;
            });
        }
        const library_test::time_limit limit("the end of random programs");
        while (running != 0) {
            disturb(in, d);
            std::this_thread::yield();
        }
        for (auto& thread : threads) {
            thread.join();
        }
        in.close(); // What is left has nobody that waits for it.
        EXPECT_EQ(in.alive.load(), 0) << "closures are left";
    }

    static void pause(world& in, dice& d) {
        thread_pool& pool = d.roll(2) == 0 ? in.first : in.second;
        pool.pause();
        std::this_thread::yield();
        pool.resume();
        static_cast<void>(pool.wait_for(std::chrono::microseconds(d.roll(200))));
    }
    /// A pool that takes little, and refuses or drops the rest.
    static regatta::pool_options narrow(dice& d) {
        if (makes<regatta::dynamic_pool>() || d.roll(2) == 0) {
            return {};
        }
        return {.capacity = 1u + static_cast<unsigned>(d.roll(16)),
                .when_full =
                    d.roll(2) == 0 ? regatta::overflow::reject : regatta::overflow::drop_oldest};
    }
};
INSTANTIATE_TEST_SUITE_P(, future_programs_stress, library_test::every_pool(),
                         library_test::pool_name);

// Each program has the result that one thread computes.
TEST_P(future_programs_stress, programs_on_pools_that_pause_have_their_results) {
    repeat(rounds(200), 250ms, [](unsigned round, dice& d) {
        const bool pauses = d.roll(2) == 0;
        run_round(round, d, {}, true, [&](world& in, dice&) {
            if (pauses) {
                pause(in, d);
            }
        });
    });
}

// Each program has that result, or was cancelled.
TEST_P(future_programs_stress, programs_that_are_cancelled_end) {
    repeat(rounds(200), 250ms, [](unsigned round, dice& d) {
        run_round(round, d, narrow(d), false, [](world& in, dice& mine) {
            switch (mine.roll(20)) {
            case 0:
                in.on_thread.cancel(in.later.last);
                break;
            case 1:
                in.on_pool.cancel_and_wait(in.later_on_pool.last);
                break;
            case 2:
                in.stop.request_stop();
                break;
            default:
                pause(in, mine);
            }
        });
    });
}

TEST_P(future_programs_stress, programs_on_pools_that_end_end) {
    repeat(rounds(200), 250ms, [](unsigned round, dice& d) {
        run_round(round, d, narrow(d), false, [](world& in, dice& mine) {
            thread_pool& pool = mine.roll(2) == 0 ? in.first : in.second;
            switch (mine.roll(40)) {
            case 0:
                pool.stop(regatta::stop_mode::discard);
                break;
            case 1:
                pool.close();
                break;
            case 2:
                in.on_thread.close();
                break;
            case 3:
                in.on_pool.close();
                break;
            case 4:
                in.loop.finish();
                break;
            default:
                if (!pool.closed()) {
                    pause(in, mine);
                }
            }
        });
    });
}

} // namespace
