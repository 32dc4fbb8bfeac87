// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options, ids and statistics of a `timer_scheduler`, and what it passes to an executor.

#include <regatta/core/error_sink.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace regatta {

/// Identifies a timer of one scheduler. A scheduler never reuses an id; ids of two schedulers may
/// be equal.
enum class timer_id : std::uint64_t {
    none = 0 ///< No timer.
};

/// The treatment of a periodic timer's ticks that passed while it was late.
enum class missed_ticks {
    skip,    ///< They are skipped; the next run is for the first tick that has not passed.
    catch_up ///< Each gets a run, one after the other, until the timer is on time again.
};

/// What a callback may take: for what it runs.
struct timer_tick {
    timer_id id = timer_id::none;
    /// When the run was due. The next tick of a periodic timer is one period later.
    std::chrono::steady_clock::time_point time{};
    /// The ticks of this timer since its last run that got none: skipped, or lost by the executor.
    std::uint64_t missed = 0;
};

/// The options of a `timer_scheduler`. Copies share the callable of `on_error`, and `cpus`.
struct timer_scheduler_options {
    /// Name of the timer thread; Linux shows the first 15 bytes.
    std::string name = "timer";
    /// The timer thread is pinned to the first CPU of the set. Empty: not pinned.
    cpu_set pin{};
    /// Exclusive CPUs, which the timer thread enters, as those of `pool_options`.
    shared_cpus cpus{};
    /// The scheduling policy and priority of the timer thread.
    scheduling schedule{};
    /// Receives exceptions of callbacks, on the thread that ran them, and of the executor's
    /// `execute`, on the timer thread.
    error_sink on_error{};
};

/// The statistics of a `timer_scheduler`.
struct timer_scheduler_stats {
    std::uint64_t scheduled = 0; ///< Timers that were given an id.
    std::uint64_t run = 0;       ///< Callback runs that have ended, including those that threw.
    std::uint64_t cancelled = 0; ///< Timers of which a cancel or `close` prevented a run.
    std::uint64_t skipped = 0;   ///< Ticks skipped by `missed_ticks::skip`.
    std::uint64_t refused = 0;   ///< Runs that the executor did not accept, or dropped.
    std::uint64_t errors = 0;    ///< Exceptions passed to `on_error`.
    std::size_t pending = 0;     ///< As `pending()`.
};

/// One run of a timer's callback: an executor calls it once or drops it.
///
/// Threads: as a plain value.
/// Failure: never. A run that is dropped uncalled counts as refused. A call does nothing if the
/// timer was cancelled or its scheduler closed after the hand-over.
/// Cost: 24 bytes. It may outlive the scheduler.
class timer_run {
public:
    /// The interface of the timers that a run belongs to.
    class owner {
    public:
        virtual void run(timer_id id) noexcept = 0;
        virtual void drop(timer_id id) noexcept = 0;

    protected:
        ~owner() = default;
    };

    timer_run(std::shared_ptr<owner> timers, timer_id id) noexcept
        : timers_(std::move(timers))
        , id_(id) {}
    timer_run(timer_run&& other) noexcept = default;
    timer_run& operator=(timer_run&& other) noexcept {
        timer_run old(std::move(other));
        std::swap(timers_, old.timers_);
        std::swap(id_, old.id_);
        return *this;
    }
    ~timer_run() {
        if (timers_) {
            timers_->drop(id_);
        }
    }

    void operator()() noexcept {
        if (const auto timers = std::move(timers_)) {
            timers->run(id_);
        }
    }

private:
    std::shared_ptr<owner> timers_; ///< Empty once called or moved from.
    timer_id id_;
};

} // namespace regatta
