// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The timers that were contributed to Hipe: at their time they submit to a pond.

#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/error.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <cerrno>
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
/// the first time; the timer goes on. In a fork of the process that made it there is no timer
/// thread: `start` and `submit` throw `std::system_error` (ESRCH), and the rest does nothing.
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
        if (stamp_.elsewhere()) { // A thread that is not here may have been changing it.
            static_cast<void>(state_.release());
            return;
        }
        for (stop(); !state_->timers.empty(); stop()) {
            const auto last = std::exchange(state_->timers, {});
        }
    }

    /// Starts the timers; existing ones count from now on. @returns false if they are running
    /// already.
    bool start() {
        refuse_fork("start");
        std::unique_lock lock(state_->mutex);
        if (state_->scheduler != nullptr) {
            return false;
        }
        state_->scheduler = std::make_shared<regatta::timer_scheduler>(
            regatta::timer_scheduler_options{.name = "hipe timers"});
        state_->started = std::chrono::steady_clock::now();
        REGATTA_TRY {
            for (auto& [id, t] : state_->timers) {
                if (t.callback != nullptr) {
                    schedule(id, t);
                }
            }
        }
        REGATTA_CATCH_ALL {
            // Its end waits for a callback that may wait for the mutex.
            const auto failed = std::exchange(state_->scheduler, nullptr);
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
        const std::lock_guard lock(state_->mutex);
        if (state_->scheduler != scheduler) {
            return false; // Another thread was first.
        }
        state_->scheduler.reset();
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
        refuse_fork("submit");
        timer fresh{std::make_shared<const std::function<void()>>(std::move(callback)), delay,
                    interval};
        const std::lock_guard lock(state_->mutex);
        const std::size_t id = ++state_->last_id;
        const auto at = state_->timers.emplace(id, std::move(fresh)).first;
        if (state_->scheduler != nullptr) {
            REGATTA_TRY {
                schedule(id, at->second);
            }
            REGATTA_CATCH_ALL {
                fresh = std::move(at->second); // Destroyed after the lock: it may use the timers.
                state_->timers.erase(at);
                REGATTA_RETHROW;
            }
        }
        return id;
    }

    /// Ends a timer: it submits no further callback. A submitted callback still runs.
    /// @param wait whether to wait for a submission that is under way; not on the timer thread.
    /// @returns whether the timer existed and had something left to submit.
    bool cancel(std::size_t id, bool wait = false) {
        if (stamp_.elsewhere()) {
            return false;
        }
        std::shared_ptr<const std::function<void()>> callback;
        auto scheduled = regatta::timer_id::none;
        std::shared_ptr<regatta::timer_scheduler> scheduler;
        {
            const std::lock_guard lock(state_->mutex);
            const auto at = state_->timers.find(id);
            if (at == state_->timers.end()) {
                return false;
            }
            callback = std::move(at->second.callback);
            scheduled = at->second.scheduled;
            scheduler = state_->scheduler;
            if (!at->second.comes) { // Otherwise come() erases it.
                state_->timers.erase(at);
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
        if (stamp_.elsewhere()) {
            return std::chrono::nanoseconds(0);
        }
        const std::lock_guard lock(state_->mutex);
        return state_->scheduler != nullptr ? std::chrono::steady_clock::now() - state_->started
                                            : std::chrono::nanoseconds(0);
    }
    /// Writes that time in seconds.
    void operator()(std::ostream& out) const {
        out << "the timers have been going for " << std::chrono::duration<double>((*this)()).count()
            << " s" << std::endl;
    }

private:
    struct timer {
        /// None while it comes for the last time.
        std::shared_ptr<const std::function<void()>> callback;
        std::chrono::microseconds delay{};
        std::chrono::microseconds interval{};
        regatta::timer_id scheduled = regatta::timer_id::none;
        bool comes = false; ///< Within `come`.
    };
    /// What its timer thread and others change.
    struct state {
        std::mutex mutex; ///< Guards the members below.
        std::map<std::size_t, timer> timers;
        std::size_t last_id = 0;
        std::shared_ptr<regatta::timer_scheduler> scheduler; ///< None while the timers are stopped.
        std::chrono::steady_clock::time_point started;
    };

    /// Ends a visit of `come`, also after an exception, and erases the timer if it has nothing left
    /// to submit. Until then `cancel` can wait for it.
    struct visit {
        TimerScheduler& owner;
        const std::size_t id;

        ~visit() {
            const std::lock_guard lock(owner.state_->mutex);
            const auto at = owner.state_->timers.find(id);
            // A start that failed may have left two visits of a timer, of which one erased it.
            if (at == owner.state_->timers.end()) {
                return;
            }
            at->second.comes = false;
            if (at->second.callback == nullptr) {
                owner.state_->timers.erase(at);
            }
        }
    };

    void refuse_fork(const char* what) const {
        if (stamp_.elsewhere()) {
            regatta::fail_system(ESRCH, std::string("TimerScheduler::") + what +
                                            " in a fork of the process that has its thread");
        }
    }

    std::shared_ptr<regatta::timer_scheduler> running() const {
        if (stamp_.elsewhere()) {
            return nullptr;
        }
        const std::lock_guard lock(state_->mutex);
        return state_->scheduler;
    }

    /// The caller holds the mutex.
    void schedule(std::size_t id, timer& t) {
        if (t.interval == t.interval.zero()) {
            t.scheduled = state_->scheduler->after(t.delay, [this, id] { come(id); });
        } else {
            const auto missed =
                revise_ ? regatta::missed_ticks::skip : regatta::missed_ticks::catch_up;
            t.scheduled = state_->scheduler->every(
                t.interval, [this, id] { come(id); }, t.delay, missed);
        }
    }

    /// The pond gets a copy of the callback: runs of one timer may overlap.
    void come(std::size_t id) {
        std::unique_lock lock(state_->mutex);
        const auto at = state_->timers.find(id);
        if (at == state_->timers.end() || at->second.callback == nullptr) {
            return;
        }
        timer& t = at->second;
        t.comes = true;
        const visit under_way{*this, id}; // First: the callback ends before it.
        const auto callback = t.interval == t.interval.zero() ? std::move(t.callback) : t.callback;
        lock.unlock();
        std::function<void()> copy = *callback;
        if (pond_ != nullptr) {
            pond_->submit(std::move(copy));
        } else {
            copy();
        }
    }

    Pond* const pond_;
    const bool revise_;
    const regatta::detail::process_stamp stamp_;
    std::unique_ptr<state> state_ = std::make_unique<state>(); ///< For good; of a fork not freed.
};

/// The contribution's names for two ways to keep the timers; here there is one way.
template<class Pond>
using HeapTimerScheduler = TimerScheduler<Pond>;
template<class Pond>
using RbtreeTimerScheduler = TimerScheduler<Pond>;

} // namespace hipe
