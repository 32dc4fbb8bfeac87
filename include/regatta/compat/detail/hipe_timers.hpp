// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The timers that were contributed to Hipe: at their time they submit to a pond.

#include <regatta/base/error.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>

namespace hipe {

/// Submits callbacks to a pond, once or repeatedly; without a pond it calls them on its own thread.
/// Uses regatta::timer_scheduler.
///
/// Threads: any.
/// Blocks: `stop`, and `cancel` on request.
/// Failure: an exception of the pond's `submit`, or of a callback without a pond, goes to stderr
/// the first time; the timer goes on.
/// @tparam Pond anything with `submit(f)`.
template<class Pond>
class TimerScheduler {
public:
    /// Callbacks run on the timer thread.
    /// @param revise whether a late timer skips the times that it missed; otherwise it makes up for
    /// them.
    explicit TimerScheduler(bool revise = false) : TimerScheduler(nullptr, revise) {}
    /// Callbacks run in the pond, which must outlive this object.
    explicit TimerScheduler(Pond* pond, bool revise = false) : pond_(pond), revise_(revise) {}
    TimerScheduler(const TimerScheduler&) = delete;
    TimerScheduler& operator=(const TimerScheduler&) = delete;
    /// As `stop`. The destructors of callbacks may still use the timers.
    ~TimerScheduler() {
        for (stop(); !timers_.empty(); stop()) {
            const auto last = std::exchange(timers_, {});
        }
    }

    /// Starts the timers; existing ones count from now on. @returns false if they are running
    /// already.
    bool start() {
        std::unique_lock lock(mutex_);
        if (scheduler_ != nullptr) {
            return false;
        }
        scheduler_ = std::make_shared<regatta::timer_scheduler>(
            regatta::timer_scheduler_options{.name = "hipe timers"});
        started_ = std::chrono::steady_clock::now();
        REGATTA_TRY {
            for (auto& [id, t] : timers_) {
                if (t.callback != nullptr) {
                    schedule(id, t);
                }
            }
        }
        REGATTA_CATCH_ALL {
            // Its end waits for a callback that may wait for the mutex.
            const auto failed = std::exchange(scheduler_, nullptr);
            lock.unlock();
            REGATTA_RETHROW;
        }
        return true;
    }

    /// Stops the timers; `start` starts them again. @returns false if they are not running.
    /// Failure: `std::system_error` (`resource_deadlock_would_occur`) on the timer thread.
    bool stop() {
        const auto scheduler = running();
        if (scheduler == nullptr) {
            return false;
        }
        scheduler->close();
        const std::lock_guard lock(mutex_);
        if (scheduler_ != scheduler) {
            return false; // Another thread was first.
        }
        scheduler_.reset();
        return true;
    }

    /// Adds a timer, before or after `start`. @param interval zero: it comes once.
    /// @returns its id, unique among the timers of this object.
    /// Failure: `std::invalid_argument` without a callback or for a negative time.
    std::size_t submit(std::function<void()> callback, std::chrono::microseconds delay = {},
                       std::chrono::microseconds interval = {}) {
        if (!callback) {
            regatta::fail_argument("TimerScheduler::submit: the callback is empty");
        }
        if (delay < delay.zero() || interval < interval.zero()) {
            regatta::fail_argument("TimerScheduler::submit: a delay of " +
                                   std::to_string(delay.count()) + " us and an interval of " +
                                   std::to_string(interval.count()) +
                                   " us, but neither may be negative");
        }
        timer fresh{std::make_shared<const std::function<void()>>(std::move(callback)), delay,
                    interval};
        const std::lock_guard lock(mutex_);
        const std::size_t id = ++last_id_;
        const auto at = timers_.emplace(id, std::move(fresh)).first;
        if (scheduler_ != nullptr) {
            REGATTA_TRY {
                schedule(id, at->second);
            }
            REGATTA_CATCH_ALL {
                fresh = std::move(at->second); // Destroyed after the lock: it may use the timers.
                timers_.erase(at);
                REGATTA_RETHROW;
            }
        }
        return id;
    }

    /// Ends a timer: it submits no further callback. A submitted callback still runs.
    /// @param wait whether to wait for a submission that is under way; not on the timer thread.
    /// @returns whether the timer existed and had something left to submit.
    bool cancel(std::size_t id, bool wait = false) {
        std::shared_ptr<const std::function<void()>> callback;
        auto scheduled = regatta::timer_id::none;
        std::shared_ptr<regatta::timer_scheduler> scheduler;
        {
            const std::lock_guard lock(mutex_);
            const auto at = timers_.find(id);
            if (at == timers_.end()) {
                return false;
            }
            callback = std::move(at->second.callback);
            scheduled = at->second.scheduled;
            scheduler = scheduler_;
            if (callback != nullptr) { // Otherwise come_once() erases it.
                timers_.erase(at);
            }
        }
        if (scheduler != nullptr && wait) {
            scheduler->cancel_and_wait(scheduled);
        } else if (scheduler != nullptr) {
            scheduler->cancel(scheduled);
        }
        return callback != nullptr;
    }

    /// The time since the start; zero while the timers are not running.
    std::chrono::nanoseconds operator()() const {
        const std::lock_guard lock(mutex_);
        return scheduler_ != nullptr ? std::chrono::steady_clock::now() - started_
                                     : std::chrono::nanoseconds(0);
    }
    /// Writes that time in seconds.
    void operator()(std::ostream& out) const {
        out << "the timers have been going for " << std::chrono::duration<double>((*this)()).count()
            << " s" << std::endl;
    }

private:
    struct timer {
        /// None while a timer without an interval comes.
        std::shared_ptr<const std::function<void()>> callback;
        std::chrono::microseconds delay{};
        std::chrono::microseconds interval{};
        regatta::timer_id scheduled = regatta::timer_id::none;
    };

    /// Erases a timer at its end, also after an exception. Until then `cancel` can wait for it.
    struct eraser {
        TimerScheduler& owner;
        const std::size_t id;

        ~eraser() {
            const std::lock_guard lock(owner.mutex_);
            owner.timers_.erase(id);
        }
    };

    std::shared_ptr<regatta::timer_scheduler> running() const {
        const std::lock_guard lock(mutex_);
        return scheduler_;
    }

    /// The caller holds the mutex.
    void schedule(std::size_t id, timer& t) {
        if (t.interval == t.interval.zero()) {
            t.scheduled = scheduler_->after(t.delay, [this, id] { come_once(id); });
        } else {
            const auto missed =
                revise_ ? regatta::missed_ticks::skip : regatta::missed_ticks::catch_up;
            t.scheduled = scheduler_->every(
                t.interval, [this, callback = t.callback] { come(callback); }, t.delay, missed);
        }
    }

    void come_once(std::size_t id) {
        std::unique_lock lock(mutex_);
        const auto at = timers_.find(id);
        if (at == timers_.end() || at->second.callback == nullptr) {
            return;
        }
        const eraser at_end{*this, id}; // First: the callback ends before it.
        const auto callback = std::move(at->second.callback);
        lock.unlock();
        come(callback);
    }

    /// The pond gets a copy: runs of one timer may overlap.
    void come(const std::shared_ptr<const std::function<void()>>& callback) {
        std::function<void()> copy = *callback;
        if (pond_ != nullptr) {
            pond_->submit(std::move(copy));
        } else {
            copy();
        }
    }

    Pond* const pond_;
    const bool revise_;
    mutable std::mutex mutex_; ///< Guards the members below.
    std::map<std::size_t, timer> timers_;
    std::size_t last_id_ = 0;
    std::shared_ptr<regatta::timer_scheduler> scheduler_; ///< None while the timers are stopped.
    std::chrono::steady_clock::time_point started_;
};

/// The contribution's names for two ways to keep the timers; here there is one way.
template<class Pond>
using HeapTimerScheduler = TimerScheduler<Pond>;
template<class Pond>
using RbtreeTimerScheduler = TimerScheduler<Pond>;

} // namespace hipe
