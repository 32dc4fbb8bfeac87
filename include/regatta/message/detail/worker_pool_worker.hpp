// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One worker of a worker pool: what belongs to its thread, and what others may read of it.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/message/worker_pool_options.hpp>
#include <regatta/sync/quiescence.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>

namespace regatta::detail {

/// A worker's record. Threads: its own thread, but for `activity`'s observers, `handled.get` and
/// `read`.
class alignas(destructive_alignment) worker_pool_worker {
public:
    explicit worker_pool_worker(unsigned number) noexcept : index(number) {}

    /// At work from before it looks for a message to after its handler.
    quiescence activity;
    const unsigned index; ///< Its number in the pool.
    task_count handled;   ///< Messages and tasks that it is done with.
    unsigned helping = 0; ///< Its handlers that wait within each other and handle others meanwhile.
    unsigned blocked = 0; ///< Those of them that wait for room, but for those beneath a `wait`.

    /// A handler that handles others while it waits, as long as it does.
    class helper {
    public:
        /// Throws `std::system_error` (`resource_deadlock_would_occur`) if it would be too deep.
        helper(worker_pool_worker& w, const char* what) : me_(w) {
            if (me_.helping == deepest_help) {
                fail_system(EDEADLK, std::string(what) + ": " + std::to_string(deepest_help) +
                                         " handlers or tasks wait within each other");
            }
            ++me_.helping;
        }
        helper(const helper&) = delete;
        helper& operator=(const helper&) = delete;
        ~helper() { --me_.helping; }

    private:
        worker_pool_worker& me_;
    };

    /// The turn of a task has come.
    void count_task(bool ran) noexcept {
        add_one(tasks_);
        if (!ran) {
            add_one(cancelled_);
        }
    }
    void count_park() noexcept { add_one(parked_); }

    /// Adds its figures.
    void read(worker_pool_stats& s) const {
        // relaxed: figures that publish nothing but themselves.
        s.workers.push_back({handled.get(), parked_.load(std::memory_order_relaxed)});
        s.handled += s.workers.back().handled;
        s.tasks += tasks_.load(std::memory_order_relaxed);
        s.cancelled += cancelled_.load(std::memory_order_relaxed);
    }

private:
    /// Where messages make more messages than the ring holds waiting within each other has no end
    /// of its own, and the stack has one.
    static constexpr unsigned deepest_help = 32;

    static void add_one(std::atomic<std::uint64_t>& counter) noexcept {
        // relaxed: only the worker writes it.
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    /// Written by the worker, read by `stats`.
    std::atomic<std::uint64_t> tasks_{0};
    std::atomic<std::uint64_t> cancelled_{0};
    std::atomic<std::uint64_t> parked_{0};
};

} // namespace regatta::detail
