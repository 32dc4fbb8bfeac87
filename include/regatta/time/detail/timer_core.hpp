// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The state that a `timer_scheduler` shares with its thread and with runs held by its executor.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/time/detail/id_table.hpp>
#include <regatta/time/detail/periodic_ticks.hpp>
#include <regatta/time/detail/timer_heap.hpp>
#include <regatta/time/timer_scheduler_options.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace regatta::detail {

/// The timers of a scheduler, and the operations of its thread and its runs on them. Programs use
/// `timer_scheduler`.
///
/// One mutex guards everything. It is not held while a callback runs, while a callback is destroyed
/// or while the executor is called; closures are moved under it. If the timer thread is of
/// real-time priority, it lends that to the thread that holds the mutex.
///
/// Threads sleep on a word that is counted up under the mutex with what they wait for. Each thread
/// that has counted wakes by itself: one that loses its CPU before its wake-up holds no other back,
/// as it would in an event count. A condition variable has a lock of its own, which lends nothing.
///
/// I1: a timer is in the heap exactly while it is `waiting`.
/// I2: a timer has at most one run, handed over or under way: a periodic timer returns to the heap
///     when its run has ended. One that was cancelled counts as running until its callback is
///     destroyed; a run of it that the executor still has does nothing.
/// I3: the timer thread sleeps at most until wakes_at_, which is not after the first timer, or a
///     thread is about to wake it.
class timer_core final : public timer_run::owner, public std::enable_shared_from_this<timer_core> {
public:
    using clock = std::chrono::steady_clock;
    using callback = inline_task<void(const timer_tick&)>;
    /// Hands a run to the executor. Empty: the timer thread runs the callbacks itself.
    using dispatcher = inline_task<void(timer_run&&)>;

    timer_core(timer_scheduler_options options, dispatcher dispatch)
        : options_(std::move(options))
        , dispatch_(std::move(dispatch)) {
        if (platform::is_real_time(options_.schedule.policy)) {
            platform::lend_priority(mutex_);
        }
    }

    /// Adds a timer. @param period zero: it runs once. @returns `none` once closed.
    timer_id add(callback& call, clock::time_point first, std::chrono::nanoseconds period,
                 missed_ticks missed) {
        guard lock(mutex_);
        if (closed_) {
            return timer_id::none;
        }
        heap_.make_room(timers_.next() + std::size_t{1});
        const number n = timers_.take();
        timers_[n] = {.call = std::move(call), .tick = first, .period = period, .missed = missed};
        const timer_id id = id_of(n);
        ++counts_.scheduled;
        ++counts_.pending;
        wait_for_tick(n, first, lock);
        return id;
    }

    const timer_scheduler_options& options() const noexcept { return options_; }

    /// Whether this is a fork of the process that has the scheduler's thread.
    bool elsewhere() const noexcept { return stamp_.elsewhere(); }

    /// Ends a timer. @returns whether it prevented a run.
    bool cancel(timer_id id) noexcept {
        guard lock(mutex_);
        const number n = find(id);
        return n != nowhere && end(n, lock);
    }

    /// The same; also waits for a run under way on another thread.
    bool cancel_and_wait(timer_id id) {
        guard lock(mutex_);
        const number n = find(id);
        if (n == nowhere) {
            return false;
        }
        const bool ended = end(n, lock);
        const auto self = std::this_thread::get_id();
        if (find(id) == nowhere || timers_[n].runner == self) {
            return ended; // not running, or called by its own callback
        }
        if (waits_for(timers_[n].runner, self)) {
            fail_system(EDEADLK, "timer_scheduler::cancel_and_wait: the awaited callback waits for "
                                 "the calling callback");
        }
        waiter me{self, id, waiting_};
        waiting_ = &me;
        wait_for_end(lock, [&] { return find(id) == nowhere; });
        waiter** link = &waiting_;
        while (*link != &me) {
            link = &(*link)->next;
        }
        *link = me.next;
        return ended;
    }

    /// Cancels all timers, refuses new ones and ends `serve`.
    void close() noexcept {
        guard lock(mutex_);
        closed_ = true;
        wake_.count();
        wake_.wake();
        for (number n = 0; n < timers_.size(); ++n) {
            if (timers_.used(n)) {
                end(n, lock);
            }
        }
    }

    /// Waits until no callback runs. Call it after `close`.
    void wait_for_runs() noexcept {
        guard lock(mutex_);
        wait_for_end(lock, [&] { return running_ == 0; });
    }

    /// Whether the calling thread runs a callback of this scheduler, or is its timer thread.
    /// O(timers).
    bool in_callback() const noexcept {
        const std::lock_guard lock(mutex_);
        const auto self = std::this_thread::get_id();
        if (self == server_) {
            return true;
        }
        for (number n = 0; running_ != 0 && n < timers_.size(); ++n) {
            if (timers_.used(n) && timers_[n].runner == self) {
                return true;
            }
        }
        return false;
    }

    timer_scheduler_stats stats() const noexcept {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

    /// The timer thread's loop; returns after `close`.
    void serve() noexcept {
        platform::sharpen_waits_of_this_thread();
        guard lock(mutex_);
        server_ = std::this_thread::get_id();
        while (!closed_) {
            const auto now = clock::now();
            if (heap_.empty() || heap_.first_due() > now) {
                sleep(lock);
            }
            while (!closed_ && !heap_.empty() && heap_.first_due() <= now) {
                fire(heap_.pop(), lock);
            }
        }
        server_ = {};
    }

    /// Runs a callback that was handed to the executor, unless its timer has ended. By I2 a timer
    /// that has not ended is waiting for exactly this run.
    void run(timer_id id) noexcept override {
        if (elsewhere()) { // A thread that does not exist here may hold the lock.
            return;
        }
        guard lock(mutex_);
        if (const number n = find(id); n != nowhere && timers_[n].stage != stage::running) {
            run(n, lock);
        }
    }

    /// The executor dropped a run without calling it: the tick is lost.
    void drop(timer_id id) noexcept override {
        if (elsewhere()) {
            return;
        }
        guard lock(mutex_);
        const number n = find(id);
        if (n == nowhere || timers_[n].stage == stage::running) {
            return;
        }
        ++counts_.refused;
        ++timers_[n].lost;
        if (timers_[n].once()) {
            --counts_.pending;
            destroy(n, lock);
        } else {
            wait_for_next_tick(n, lock);
        }
    }

private:
    using guard = std::unique_lock<std::mutex>;
    using number = std::uint32_t; ///< A timer's place in the table.
    static constexpr number nowhere = std::numeric_limits<number>::max();

    enum class stage : unsigned char { waiting, handed_over, running };

    struct timer {
        callback call{};
        clock::time_point tick{}; ///< The tick of the next run, or of the run under way.
        std::chrono::nanoseconds period{0};
        std::uint64_t lost = 0; ///< Ticks since the last run that got none.
        missed_ticks missed = missed_ticks::skip;
        timer_core::stage stage = timer_core::stage::waiting;
        bool cancelled = false;   ///< Set during a run: it is the last.
        std::thread::id runner{}; ///< The thread that runs the callback; none if it does not run.

        bool once() const noexcept { return period == period.zero(); }
    };
    /// Where threads sleep.
    class sleeping_place {
    public:
        /// Sleeps until the next `count`, until the deadline, or spuriously. Gives the lock up
        /// meanwhile.
        void sleep(guard& lock, clock::time_point deadline) noexcept {
            // relaxed, both: changed and read under the mutex; the kernel compares it.
            const std::uint32_t seen = counted_.load(std::memory_order_relaxed);
            lock.unlock();
            platform::futex_wait(counted_, seen,
                                 deadline == clock::time_point::max() ? nullptr : &deadline);
            lock.lock();
        }
        /// Under the mutex. `wake` follows, with or without it.
        void count() noexcept {
            counted_.store(counted_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
        void wake() noexcept { platform::futex_wake(counted_); }

    private:
        std::atomic<std::uint32_t> counted_{0};
    };
    /// A thread that waits for a timer's end. Lives on that thread's stack.
    struct waiter {
        std::thread::id who;
        timer_id for_whom;
        waiter* next;
    };

    number find(timer_id id) const noexcept { return timers_.find(static_cast<std::uint64_t>(id)); }
    timer_id id_of(number n) const noexcept { return timer_id{timers_.id_of(n)}; }

    /// Removes a timer whose callback is gone, and wakes threads that wait for it.
    void release(number n) noexcept {
        timers_.release(n);
        if (waiting_ != nullptr) {
            ended_.count();
            ended_.wake();
        }
    }

    // --- waiting for the next tick ---------------------------------------------------------------

    void wait_for_tick(number n, clock::time_point due, guard& lock) noexcept {
        timers_[n].stage = stage::waiting;
        heap_.push(n, due);
        if (due < wakes_at_) {
            // `wakes_at_` stays: this thread may lose its CPU before it wakes the other, and a
            // timer that another thread adds need not wait for this one.
            wake_.count();
            lock.unlock();
            wake_.wake();
        }
    }

    void wait_for_next_tick(number n, guard& lock) noexcept {
        timer& t = timers_[n];
        const auto now = clock::now();
        const auto next = next_tick(t.tick, t.period, now, t.missed);
        t.tick = next.time;
        counts_.skipped += next.skipped;
        t.lost += next.skipped;
        // A timer that catches up queues behind those due by now, so it delays none of them.
        wait_for_tick(n, std::max(t.tick, now), lock);
    }

    void sleep(guard& lock) noexcept {
        wakes_at_ = heap_.empty() ? clock::time_point::max() : heap_.first_due();
        wake_.sleep(lock, wakes_at_);
        wakes_at_ = clock::time_point::min();
    }
    /// Waits for what a thread changes under the lock before it notifies `ended_`.
    template<class Condition>
    void wait_for_end(guard& lock, Condition&& condition) noexcept {
        while (!condition()) {
            ended_.sleep(lock, clock::time_point::max());
        }
    }

    // --- running ---------------------------------------------------------------------------------

    /// Runs a timer that is due, or hands it over. Releases the lock during the run.
    void fire(number n, guard& lock) noexcept {
        if (!dispatch_) {
            run(n, lock);
        } else {
            timers_[n].stage = stage::handed_over;
            const timer_id id = id_of(n);
            lock.unlock();
            guarded([&] { dispatch_(timer_run(shared_from_this(), id)); });
        }
        if (!lock.owns_lock()) {
            lock.lock();
        }
    }

    /// Runs a callback. Called with the lock; returns with it, unless the timer thread was woken.
    void run(number n, guard& lock) noexcept {
        timer& t = begin(n);
        const timer_tick tick{id_of(n), t.tick, std::exchange(t.lost, 0)};
        if (t.once()) {
            t.cancelled = true; // no further run to cancel
            --counts_.pending;
        }
        lock.unlock();
        guarded([&] { t.call(tick); });
        lock.lock();
        if (t.cancelled) {
            lock.unlock();
            t.call = callback{}; // before threads that wait for its end continue
            lock.lock();
        }
        ++counts_.run;
        leave(t);
        if (t.cancelled) {
            release(n);
        } else {
            wait_for_next_tick(n, lock);
        }
    }

    timer& begin(number n) noexcept {
        timer& t = timers_[n]; // its address is stable
        t.stage = stage::running;
        t.runner = std::this_thread::get_id();
        ++running_;
        return t;
    }
    void leave(timer& t) noexcept {
        t.runner = std::thread::id{};
        if (--running_ == 0 && closed_) {
            ended_.count();
            ended_.wake();
        }
    }

    /// Calls `f` without the lock and reports its exception.
    template<class F>
    void guarded(F&& f) noexcept {
        REGATTA_TRY {
            f();
        }
        REGATTA_CATCH_ALL {
            guard lock(mutex_);
            const auto before = counts_.errors++;
            lock.unlock();
            options_.on_error.report(std::current_exception(), before, "timer_scheduler",
                                     options_.name.c_str());
        }
    }

    // --- cancelling ------------------------------------------------------------------------------

    /// Ends a timer. Destroys its callback, unless it is running.
    bool end(number n, guard& lock) noexcept {
        timer& t = timers_[n];
        const bool runs = t.stage == stage::running;
        if (runs && std::exchange(t.cancelled, true)) {
            return false;
        }
        ++counts_.cancelled;
        --counts_.pending;
        if (t.stage == stage::waiting) {
            heap_.erase(n);
        }
        if (!runs) {
            destroy(n, lock);
        }
        return true;
    }

    /// Destroys the callback of a timer that does not run, without the lock. Other threads wait for
    /// that as for a run: it may still use what the callback refers to.
    void destroy(number n, guard& lock) noexcept {
        timer& t = begin(n);
        t.cancelled = true;
        lock.unlock();
        t.call = callback{};
        lock.lock();
        leave(t);
        release(n);
    }

    /// Whether thread `who` waits, directly or through other waiting threads, for a callback that
    /// runs on thread `self`.
    bool waits_for(std::thread::id who, std::thread::id self) const noexcept {
        for (const waiter* w = waiting_; w != nullptr;) {
            if (w->who != who) {
                w = w->next;
                continue;
            }
            const number n = find(w->for_whom);
            if (n == nowhere) {
                return false; // It is about to wake up. Another timer may have the place.
            }
            who = timers_[n].runner;
            if (who == self) {
                return true;
            }
            w = waiting_; // search again, for the next thread
        }
        return false;
    }

    timer_scheduler_options options_;
    dispatcher dispatch_; ///< Called only by the timer thread.

    const process_stamp stamp_;
    mutable std::mutex mutex_; ///< Guards all members below.
    sleeping_place wake_;      ///< The timer thread waits here.
    sleeping_place ended_;     ///< Threads that wait for the end of runs wait here.
    id_table<timer> timers_;
    timer_heap heap_; ///< The numbers of the waiting timers.
    clock::time_point wakes_at_ = clock::time_point::min();
    waiter* waiting_ = nullptr; ///< List of threads that each wait for the end of one timer.
    std::size_t running_ = 0;   ///< Callbacks under way.
    std::thread::id server_;    ///< The timer thread, while it serves.
    timer_scheduler_stats counts_;
    bool closed_ = false;
};

} // namespace regatta::detail
