// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Counts on which threads the tasks of a sample ran, without making them wait for each other.

#include "sampling/sampler.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace regatta::bench {

/// Of the sample that is being taken. Every thread that runs tasks counts on a cache line of its
/// own, so that a task that does nothing else stays a task that does nothing.
///
/// Threads: `ran` from any; the rest from the thread that takes the samples.
class task_tally {
public:
    /// Begins a sample. Tasks of an earlier one must not run any more.
    void begin() noexcept {
        for (std::size_t i = 0; i < used(); ++i) {
            slots_[i].count.store(0, std::memory_order_relaxed);
            slots_[i].at_once.store(0, std::memory_order_relaxed);
        }
        used_.store(1, std::memory_order_relaxed);
        ++generation_;
        mine() = {generation_, &slots_[0]};
    }

    /// Another number for each sample.
    std::uint64_t sample() const noexcept { return generation_; }

    /// Counts a task of the calling thread.
    void ran() noexcept { raise(of_this_thread().count); }

    /// The same; where it runs within a submission of its own thread, it was not queued.
    void ran_if_queued() noexcept {
        slot& here = of_this_thread();
        raise(here.count);
        if (here.submitting) {
            raise(here.at_once);
        }
    }
    /// Set by a thread while it submits what counts by `ran_if_queued`.
    bool& submitting() noexcept { return of_this_thread().submitting; }

    /// How many have run, on all threads.
    std::size_t count() const noexcept { return sum(&slot::count); }

    /// Sleeps until so many have run. A look takes the CPU from a worker, so it looks again after a
    /// quarter of the time that the rest takes at the rate of late, a quarter of what it has waited
    /// at most, and in the end every 50 µs or so.
    void await(std::size_t tasks) const {
        using clock = std::chrono::steady_clock;
        using seconds = std::chrono::duration<double>;
        constexpr seconds shortest = std::chrono::microseconds(20);
        const auto began = clock::now();
        seconds pause = shortest;
        auto looked = began;
        for (std::size_t seen = count(); seen < tasks;) {
            std::this_thread::sleep_for(pause);
            const auto now = clock::now();
            const std::size_t have = count();
            pause = shortest;
            if (seen != 0 && have != seen && have < tasks) {
                const seconds each = (now - looked) / double(have - seen);
                const seconds rest = each * double(tasks - have);
                pause = std::max(shortest, std::min(rest, seconds(now - began)) / 4.0);
            }
            looked = now;
            seen = have;
        }
    }

    /// What the sample yields: its time, or that it is not comparable.
    race::outcome outcome(double ns) const {
        if (const auto here = slots_[0].count.load(std::memory_order_relaxed); here != 0) {
            return race::outcome::failed(std::to_string(here) +
                                         " tasks ran on the thread that submits them");
        }
        if (const std::size_t at_once = sum(&slot::at_once); at_once != 0) {
            return race::outcome::failed(std::to_string(at_once) +
                                         " tasks ran within their submission instead of queueing");
        }
        return {ns, {}};
    }

private:
    struct alignas(64) slot {
        /// Written by its thread only, read by who waits. Release, with acquire in `sum`: what
        /// the task did is seen by who sees it counted.
        std::atomic<std::size_t> count{0};
        std::atomic<std::size_t> at_once{0}; ///< As `count`.
        bool submitting = false;
    };
    struct of_thread {
        std::uint64_t generation = 0;
        slot* counts = nullptr;
    };

    static of_thread& mine() noexcept {
        thread_local of_thread one;
        return one;
    }
    slot& of_this_thread() noexcept {
        of_thread& me = mine();
        if (me.generation != generation_) [[unlikely]] {
            me = {generation_, &slots_[used_.fetch_add(1) % slots]};
        }
        return *me.counts;
    }
    std::size_t used() const noexcept {
        return std::min(slots, used_.load(std::memory_order_acquire));
    }
    static void raise(std::atomic<std::size_t>& count) noexcept {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    std::size_t sum(std::atomic<std::size_t> slot::*of) const noexcept {
        std::size_t all = 0;
        for (std::size_t i = 0; i < used(); ++i) {
            all += (slots_[i].*of).load(std::memory_order_acquire);
        }
        return all;
    }

    static constexpr std::size_t slots = 4096; ///< More threads than any sample has.
    slot slots_[slots];                        ///< The first is the submitting thread's.
    std::atomic<std::size_t> used_{0};         ///< Written by threads that count first.
    std::uint64_t generation_ = 0;             ///< Written between samples only.
};

/// The one of the sample that is being taken.
inline task_tally tally;

} // namespace regatta::bench
