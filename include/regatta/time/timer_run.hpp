// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The callable that a timer passes to its executor.

#include <regatta/time/timer_scheduler_options.hpp>

#include <memory>
#include <utility>

namespace regatta {

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
        const timer_run old(std::move(*this));
        timers_ = std::move(other.timers_);
        id_ = other.id_;
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
