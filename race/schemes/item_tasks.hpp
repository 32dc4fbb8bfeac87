// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The items of a workload as tasks of a pool.

#include "schemes/scheme.hpp"
#include "schemes/thread_runner.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace regatta::race {

/// Makes each item a task: a callable of 16 bytes that runs it on whichever thread calls it.
///
/// `post(task)` gives one to the pool. It is called by the thread that hands out the items and,
/// where these spawn others, by the workers, after `before_spawn()`.
template<class Post, class BeforeSpawn>
class item_tasks final : public spawner {
public:
    /// An item that a pool can run.
    struct task {
        item_tasks* run;
        std::size_t item;
        void operator()() const noexcept { run->runners_(item, *run); }
    };

    item_tasks(run_context& context, Post post, BeforeSpawn before_spawn)
        : log_(context.log)
        , runners_(context.work, context.log)
        , post_(std::move(post))
        , before_spawn_(std::move(before_spawn)) {}

    task of(std::size_t item) noexcept { return {this, item}; }
    /// Where items are offered at a rate: when it is due.
    void hand_out(std::size_t item) {
        log_.offered.hand_over(item, log_.stop);
        post_(of(item));
    }
    void spawn(std::size_t item) override {
        before_spawn_();
        post_(of(item));
    }

private:
    run_log& log_;
    thread_runners runners_;
    Post post_;
    BeforeSpawn before_spawn_;
};

/// Items that are queued at most where a queue grows without bound.
inline constexpr std::size_t wave_items = std::size_t{1} << 18;

/// Divides the items that the scheme hands out into waves, so that a queue without a bound needs no
/// memory for all of them at once: calls `wave(first, last)`, which hands out items `first` to
/// `last − 1` and returns when they, and those that they spawned, are done. Items that are offered
/// at a rate are one wave: the end of another would hold up the producer.
/// @param chunk items that are handed out together: a wave ends where a chunk does.
template<class Wave>
void in_waves(run_context& context, Wave wave, std::size_t chunk = 1) {
    const std::size_t count = context.work.handed_out();
    const std::size_t most = std::max<std::size_t>(wave_items / chunk, 1) * chunk;
    // Relaxed: as in the workers; nothing is read that the request would publish.
    for (std::size_t first = 0;
         first < count && context.log.stop.load(std::memory_order_relaxed) == 0;) {
        const std::size_t last =
            context.log.offered.paced() ? count : first + std::min(most, count - first);
        wave(first, last);
        first = last;
    }
}

} // namespace regatta::race
