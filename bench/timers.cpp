// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// timer_scheduler beside Boost.Asio's steady_timer, each with one thread for its timers: the cost
/// of a timer that is called off, of one that is due, and how late a lone one is.

#include "bench.hpp"

#include <regatta/time/timer_scheduler.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace regatta;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t timers = 100'000;
constexpr int lone_timers = 50;
constexpr auto lone_delay = 500us;

double nanoseconds_since(clock_type::time_point begin) {
    return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count();
}

/// Delays between an hour and two, and an order in which to call them off: the same in every run.
struct plan {
    std::vector<std::chrono::nanoseconds> delays;
    std::vector<std::size_t> order;

    plan() : delays(timers), order(timers) {
        std::mt19937_64 random(1);
        for (auto& d : delays) {
            d = 1h + std::chrono::nanoseconds(random() % 3'600'000'000'000);
        }
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random);
    }
};
const plan& the_plan() {
    static const plan one;
    return one;
}

/// The count of what has run, which its reader sleeps on.
class countdown {
public:
    explicit countdown(std::size_t count) noexcept : left_(count) {}
    void one() noexcept {
        if (left_.fetch_sub(1) == 1) {
            left_.notify_all();
        }
    }
    void wait() const noexcept {
        for (std::size_t left = left_.load(); left != 0; left = left_.load()) {
            left_.wait(left);
        }
    }

private:
    std::atomic<std::size_t> left_;
};

/// Lets one callback stay until the other side says.
struct gate {
    std::atomic<bool> reached{false};
    std::atomic<bool> open{false};

    void pass() noexcept {
        reached = true;
        reached.notify_all();
        open.wait(false);
    }
    void await_reached() const noexcept { reached.wait(false); }
    void give_way() noexcept {
        open = true;
        open.notify_all();
    }
};

/// An io_context with a thread.
class asio_thread {
public:
    asio_thread() : work_(context.get_executor()), thread_([this] { context.run(); }) {}
    asio_thread(const asio_thread&) = delete;
    asio_thread& operator=(const asio_thread&) = delete;
    ~asio_thread() {
        work_.reset();
        context.stop();
        thread_.join();
    }

    boost::asio::io_context context;

private:
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::thread thread_;
};

// --- scheduled and called off --------------------------------------------------------------------

race::outcome called_off_by_regatta() {
    const plan& p = the_plan();
    std::vector<timer_id> ids(timers);
    std::uint64_t sum = 0;
    timer_scheduler scheduler;
    const auto begin = clock_type::now();
    for (std::size_t i = 0; i < timers; ++i) {
        ids[i] = scheduler.after(p.delays[i], [&sum, i] { sum += i; });
    }
    std::size_t cancelled = 0;
    for (const std::size_t i : p.order) {
        cancelled += scheduler.cancel(ids[i]) ? 1 : 0;
    }
    const double ns = nanoseconds_since(begin);
    if (cancelled != timers) {
        return race::outcome::failed("not every timer could be cancelled");
    }
    return {ns / double(timers)};
}

race::outcome called_off_by_asio() {
    const plan& p = the_plan();
    std::uint64_t sum = 0;
    std::atomic<std::size_t> aborted{0};
    countdown told(timers);
    asio_thread asio; // Outlives its timers.
    std::deque<boost::asio::steady_timer> all;
    const auto begin = clock_type::now();
    for (std::size_t i = 0; i < timers; ++i) {
        all.emplace_back(asio.context, p.delays[i])
            .async_wait([&, i](const boost::system::error_code& error) {
                if (error) {
                    aborted.fetch_add(1, std::memory_order_relaxed);
                } else {
                    sum += i;
                }
                told.one();
            });
    }
    for (const std::size_t i : p.order) {
        all[i].cancel();
    }
    told.wait(); // each handler is called, with an error: until then its timer is not gone
    const double ns = nanoseconds_since(begin);
    if (aborted.load() != timers) {
        return race::outcome::failed("not every timer could be cancelled");
    }
    return {ns / double(timers)};
}

// --- due -----------------------------------------------------------------------------------------

race::outcome due_by_regatta() {
    gate closed;
    countdown left(timers);
    timer_scheduler scheduler;
    scheduler.after(0s, [&] { closed.pass(); });
    closed.await_reached();
    for (std::size_t i = 0; i < timers; ++i) {
        scheduler.after(0s, [&] { left.one(); });
    }
    const auto begin = clock_type::now();
    closed.give_way();
    left.wait();
    return {nanoseconds_since(begin) / double(timers)};
}

race::outcome due_by_asio() {
    gate closed;
    countdown left(timers);
    asio_thread asio; // Outlives its timers.
    std::deque<boost::asio::steady_timer> all;
    boost::asio::post(asio.context, [&] { closed.pass(); });
    closed.await_reached();
    for (std::size_t i = 0; i < timers; ++i) {
        all.emplace_back(asio.context, 0s).async_wait([&](const boost::system::error_code&) {
            left.one();
        });
    }
    const auto begin = clock_type::now();
    closed.give_way();
    left.wait();
    return {nanoseconds_since(begin) / double(timers)};
}

// --- late ----------------------------------------------------------------------------------------

/// The median time from when a lone timer was due until its callback ran, the thread being asleep.
/// @param ran how many callbacks have run; it must outlive the timers.
template<class Schedule>
race::outcome lateness(std::atomic<int>& ran, Schedule&& schedule) {
    std::vector<double> late(lone_timers);
    for (int i = 0; i < lone_timers; ++i) {
        const auto due = clock_type::now() + lone_delay;
        schedule(due, [&ran, due, &ns = late[std::size_t(i)]] {
            ns = nanoseconds_since(due);
            ++ran;
            ran.notify_all();
        });
        ran.wait(i);
    }
    const auto middle = late.begin() + lone_timers / 2;
    std::nth_element(late.begin(), middle, late.end());
    return {*middle};
}

race::outcome late_by_regatta() {
    std::atomic<int> ran{0};
    timer_scheduler scheduler;
    return lateness(ran, [&](auto due, auto f) { scheduler.at(due, f); });
}

race::outcome late_by_asio() {
    std::atomic<int> ran{0};
    asio_thread asio;
    boost::asio::steady_timer timer(asio.context);
    return lateness(ran, [&](auto due, auto f) {
        timer.expires_at(due);
        timer.async_wait([f](const boost::system::error_code&) mutable { f(); });
    });
}

} // namespace

int main(int argc, char** argv) {
    bench::bench_run run(bench::parse_options(argc, argv, 25));
    constexpr auto ours = "timer_scheduler";
    constexpr auto theirs = "Boost.Asio steady_timer";
    run.measure("100,000 timers scheduled and called off: time a timer", "ns",
                {{ours, called_off_by_regatta}, {theirs, called_off_by_asio}},
                {{"scheduled and called off", ours, theirs, 1.0}});
    run.measure("100,000 timers due at once: time a callback", "ns",
                {{ours, due_by_regatta}, {theirs, due_by_asio}}, {{"due", ours, theirs, 1.0}});
    run.measure("a lone timer: how late", "ns", {{ours, late_by_regatta}, {theirs, late_by_asio}},
                {{"late", ours, theirs, std::nullopt}});
    return run.finish("timers");
}
