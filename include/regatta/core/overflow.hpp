// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The ways in which a bounded pool handles a task when it is full.

#include <regatta/core/task.hpp>

#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace regatta {

/// What happens to a task when a bounded pool is full.
enum class overflow {
    block,    ///< The caller waits for room; a worker of the pool runs other tasks while it waits.
    reject,   ///< The caller gets `task_rejected`.
    run_here, ///< The caller runs the task (caller-runs).
    /// The oldest waiting task of the lowest waiting priority is dropped unrun. If all waiting
    /// tasks are more important than the new one, the caller gets `task_rejected`.
    drop_oldest
};

/// An `overflow`, or a sink that receives the tasks that find no room (`hand_over`).
class overflow_policy {
public:
    using sink = std::function<void(std::span<task>)>;

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

} // namespace regatta
