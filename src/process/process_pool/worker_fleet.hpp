// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The worker processes of a pool, as their parent starts and buries them.

#include "process/process_pool/job_table.hpp"
#include "process/process_pool/pool_arenas.hpp"
#include "process/process_pool/zygote.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/process_pool.hpp>
#include <regatta/process/subprocess.hpp>

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace regatta::detail {

/// Starts workers, notices their ends, and ends those that take too long.
///
/// A worker whose predecessors died without a task done is started after a pause that doubles each
/// time. Where one cannot be started at all, none is tried for the longest of those pauses. After
/// too many deaths in a row before a worker was ready, or starts that failed, it gives up, until
/// `retry`.
///
/// Threads: the pool's monitor, on which it starts all of them, because they die with the thread
/// that did; `signal` any.
class worker_fleet {
public:
    using clock = std::chrono::steady_clock;

    /// Failure: `std::system_error` if a descriptor of the options cannot be passed on, or the
    /// workers cannot have an empty standard input.
    worker_fleet(const process_pool_options& options, pool_arenas& memory, int event);

    /// Starts what is missing of so many workers and is due, and tells those beyond to end.
    /// Failure: `std::system_error` if the very first one cannot be started.
    void adjust(unsigned workers);
    /// Adds what poll(2) has to look at.
    void watch(std::vector<pollfd>& polled) const;
    /// Waits for those that have ended, by what poll(2) has found of those that `watch` added last.
    /// @returns how, and what that means for their tasks.
    std::vector<worker_death> bury(std::span<const pollfd> watched);
    /// Kills those whose attempt has taken too long, and those that are as long awake without a
    /// task and are stopped.
    void enforce_deadline();
    /// Checks whether workers that were rung have come: the ring of a stopped process is lost.
    /// Looks once every 10 ms while workers are rung; an idle pool needs no look.
    /// @param rung whether any worker was rung since the last call.
    /// @returns whether a ring has had no answer for one such time; true once for each ring.
    bool ring_was_lost(bool rung);
    /// Whether there will be another look.
    bool watches_bells() const noexcept { return next_look_.has_value(); }
    void kill_all();
    /// Ends the process that workers are copied from.
    void end_zygote() { zygote_.end(); }

    /// When `adjust`, `ring_was_lost` or `enforce_deadline` are to be called next, if nothing else
    /// happens before.
    std::optional<clock::time_point> next(bool jobs) const;
    /// Whether any process is there.
    bool any() const noexcept;
    /// Why it has given up; empty: it has not.
    const std::string& given_up() const noexcept { return given_up_; }
    /// Whether a start in that slot has failed since the last look.
    bool take_failed_start(unsigned slot) noexcept;
    void retry() noexcept {
        given_up_.clear();
        resume_ = {};
        failed_starts_ = 0;
    }

    bool signal(unsigned slot, int number);
    /// The figures that concern workers. Threads: any.
    void add_to(process_pool_stats& stats) const;

private:
    struct member {
        subprocess process;
        bool running = false;
        bool retiring = false;
        clock::time_point due{};     ///< When its own deaths let it be started.
        unsigned deaths = 0;         ///< In a row, without a task done in between.
        std::uint64_t committed = 0; ///< What the slot had committed when it was started.
        std::int64_t killed_at = 0;  ///< When the attempt, or being awake, began that it died for.
        std::int64_t died_ns = 0;    ///< When its predecessor's end was noticed.
        std::uint32_t ring = 0;      ///< The last one that was seen without an answer.
        std::int64_t rung_ns = 0;    ///< Since when it counts as without one; 0: it has one.
        std::int64_t awake_ns = 0;   ///< Since when it has no task and does not sleep; 0: it does.
        bool seen_ready = false;     ///< It was ready when a start was counted as failed.
        bool start_failed = false;   ///< Since the last look.
        bool lost = false;           ///< `ring_was_lost` has returned true for that ring.
    };

    clock::time_point next_start(const member& one) const noexcept {
        return std::max(one.due, resume_);
    }
    std::chrono::nanoseconds longest_back_off() const noexcept;
    std::chrono::nanoseconds longest_absence() const noexcept;
    void start(unsigned slot);
    spawn_options options_of(unsigned slot) const;
    /// @param oom_kills the kernel's count now, if it can be read.
    /// Failure: `std::bad_alloc`; then it may be called again.
    worker_death describe_end(unsigned slot, std::optional<std::uint64_t> oom_kills,
                              bool& expected);
    void count_failed_start(const std::string& why);

    const process_pool_options& options_;
    pool_arenas& memory_;
    pool_control& control_;
    const int event_;
    unique_descriptor null_;                ///< The standard input of the workers.
    std::vector<unique_descriptor> passed_; ///< Copies of `options_.descriptors`, in their order.
    std::vector<member> members_;           ///< By slot.
    worker_zygote zygote_;
    unsigned wanted_ = 0;        ///< How many workers there are to be.
    bool first_ = true;          ///< None was ever started.
    clock::time_point resume_{}; ///< When one may be started again, after a start that failed.
    std::optional<clock::time_point> next_look_; ///< At the bells of those that were rung.
    unsigned failed_starts_ = 0;
    std::string given_up_;
    std::optional<std::uint64_t> oom_kills_; ///< The kernel's count when a worker last ended.

    /// Held while a worker is started: its first task may end before the fleet knows the process.
    std::mutex starting_;
    mutable std::mutex lock_; ///< Guards the processes against `signal`, and the figures.
    process_pool_stats counts_;
};

} // namespace regatta::detail
