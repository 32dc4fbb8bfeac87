// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options of a thread pool, and the figures that it counts.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

/// One piece of work: a move-only callable without arguments or result.
using task = inline_task<void()>;

/// What happens to a task when a bounded pool is full.
enum class overflow {
    block,    ///< The caller waits for room; a worker of the pool runs other tasks while it waits.
    reject,   ///< The caller gets `task_rejected`.
    run_here, ///< The caller runs the task (caller-runs).
    /// The oldest waiting task of the lowest waiting priority is dropped unrun; of several queues,
    /// about the oldest. If all waiting tasks are more important than the new one, the caller gets
    /// `task_rejected`.
    drop_oldest
};

/// An `overflow`, or a sink that receives the tasks that find no room (`hand_over`).
class overflow_policy {
public:
    using sink = inline_task<void(std::span<task>)>;

    overflow_policy(overflow what = overflow::block) : what_(what) {} // NOLINT: implicit by intent
    explicit overflow_policy(sink s) : sink_(std::make_shared<sink>(std::move(s))) {}

    overflow what() const noexcept { return what_; }
    bool hands_over() const noexcept { return sink_ != nullptr; }
    /// Passes the tasks to the sink. Exceptions of the sink reach the caller.
    void give(std::span<task> refused) const { (*sink_)(refused); }

private:
    overflow what_ = overflow::reject;
    std::shared_ptr<sink> sink_;
};

/// Passes the tasks that find no room to `receive`, on the thread of the caller.
///
/// `receive` takes a `task`, one at a time, or a `std::span<task>` with all tasks that one call of
/// the pool could not place. It moves them out.
///
/// Threads: several threads may call `receive` at once.
/// Failure: what `receive` throws reaches the caller.
template<class Receive>
overflow_policy hand_over(Receive receive) {
    if constexpr (std::is_invocable_v<Receive&, std::span<task>>) {
        return overflow_policy(overflow_policy::sink(std::move(receive)));
    } else {
        static_assert(std::is_invocable_v<Receive&, task>,
                      "the sink must be callable with a task or a std::span<task>");
        return overflow_policy([receive = std::move(receive)](std::span<task> refused) mutable {
            for (task& t : refused) {
                receive(std::move(t));
            }
        });
    }
}

/// The options of a thread pool. Copies share the callable of `on_error`, the sink of `when_full`,
/// and `cpus`.
struct pool_options {
    /// The number of workers. 0: as many as `cpus` has, without those as `pin` has, and without
    /// either as `available_cpus()` says.
    unsigned threads = 0;
    /// The limit of waiting tasks, in all queues together; 0: no limit.
    std::size_t capacity = 0;
    /// What happens to a task when the pool is full.
    overflow_policy when_full{};
    /// Whether idle workers take tasks from other workers' queues. For `steady_pool`.
    bool steal = true;
    /// Worker i is named "name/i"; Linux shows 15 bytes, and cuts a longer name before the '/'.
    std::string name = "pool";
    /// Worker i is pinned to the i-th CPU of the set, modulo their number. Empty: not pinned. A
    /// pinned worker steals from workers of its own memory node before it does from others. Futures
    /// and the closures beside them lie on the node of the thread that submits them. For a worker
    /// that is the node on which it started, so a pin keeps it.
    cpu_set pin{};
    /// Exclusive CPUs, which every worker enters: `.cpus = exclusive_cpus::acquire(2)`. They are
    /// released with the last copy of these options, the pool's included. `pin` then chooses among
    /// them.
    shared_cpus cpus{};
    /// The scheduling policy and priority of the workers.
    scheduling schedule{};
    /// How long a worker that finds nothing spins, beyond some microseconds, before it sleeps. It
    /// uses its CPU for that time. `std::chrono::nanoseconds::max()`: it never sleeps.
    std::chrono::nanoseconds spin{0};
    /// Receives the exceptions of tasks of `execute`, and of `on_start` and `on_stop`.
    error_sink on_error{};
    /// Called on each worker with its index, before its first task and after its last, but for
    /// those that an `on_stop` submits: any worker may run them. They may submit tasks and wait for
    /// futures, but not for the pool (`std::system_error`,
    /// `resource_deadlock_would_occur`). Hooks are not tasks: `close` waits for them, `wait` does
    /// not. The same holds for a task that a hook runs itself because it waits for its future.
    std::function<void(unsigned)> on_start{};
    std::function<void(unsigned)> on_stop{};
};

/// What happens to the waiting tasks when a pool is stopped.
enum class stop_mode {
    drain,  ///< They run.
    discard ///< They are destroyed unrun; their futures are cancelled.
};

/// The figures of a pool so far. While the pool works they are of slightly different moments. While
/// it is idle they are exact, and submitted = run + cancelled.
struct pool_stats {
    struct worker {
        std::uint64_t run = 0;            ///< Tasks that ran, those included that threw.
        std::uint64_t stolen = 0;         ///< Tasks taken from another worker's queue.
        std::uint64_t parked = 0;         ///< How often the worker went to sleep.
        std::chrono::nanoseconds busy{0}; ///< Time with a task, to about a microsecond.
    };
    std::uint64_t submitted = 0; ///< Tasks accepted.
    std::uint64_t run = 0;       ///< Tasks finished.
    /// Tasks accepted that never ran: cancelled, stopped, discarded or dropped.
    std::uint64_t cancelled = 0;
    /// Tasks not accepted: the pool was full or closed, or waits for room nested too deep.
    std::uint64_t refused = 0;
    std::uint64_t errors = 0;         ///< Errors of tasks of `execute` and of hooks.
    std::uint64_t stolen = 0;         ///< The sum over all workers, past ones included.
    std::uint64_t parked = 0;         ///< Likewise.
    std::chrono::nanoseconds busy{0}; ///< Likewise: time with a task.
    std::size_t queued = 0;           ///< Tasks accepted but not yet begun.
    std::vector<worker> workers;      ///< One entry for each present worker.
};

/// How many threads an autoscaled pool may have, and when it adds and removes them.
struct autoscale_options {
    unsigned min = 1; ///< At least 1.
    unsigned max = 0; ///< 0: four times `available_cpus()`, but not below `min`.
    /// If a task waits longer than this in the queue, the pool adds threads. At least 1 ms.
    std::chrono::nanoseconds target_delay = std::chrono::milliseconds(10);
    /// If some thread was idle at every look for this long, the pool removes one.
    std::chrono::nanoseconds linger = std::chrono::seconds(1);
};

namespace detail {

/// How many workers a pool with these options begins with.
REGATTA_POOLS_EXPORT unsigned worker_count(const pool_options& options);

} // namespace detail
} // namespace regatta

#if REGATTA_POOLS_DEFINITIONS

#include <regatta/cpu/available_cpus.hpp>

namespace regatta::detail {

REGATTA_APART REGATTA_POOLS_API unsigned worker_count(const pool_options& options) {
    return options.threads != 0   ? options.threads
           : options.cpus         ? options.cpus.count()
           : !options.pin.empty() ? options.pin.count()
                                  : available_cpus();
}

} // namespace regatta::detail

#endif
