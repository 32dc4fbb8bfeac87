// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a bounded pool does with a task for which it has no room.

#include <regatta/core/task.hpp>

#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace regatta {

/// What becomes of a task for which a bounded pool has no room.
enum class overflow {
    block,    ///< The caller waits for room; a worker of the pool runs other tasks meanwhile.
    reject,   ///< The caller gets `task_rejected`.
    run_here, ///< The caller runs it.
    /// The task that has waited longest makes room, unrun; one of the lowest priority that waits.
    /// If all that wait are more important than the new one, its caller gets `task_rejected`.
    drop_oldest
};

/// An `overflow`, or a sink that receives the tasks for which there is no room (`hand_over`).
class overflow_policy {
public:
    using sink = std::function<void(std::span<task>)>;

    overflow_policy(overflow what = overflow::block) : what_(what) {} // NOLINT: implicit by intent
    explicit overflow_policy(sink s) : sink_(std::make_shared<sink>(std::move(s))) {}

    overflow what() const noexcept { return what_; }
    bool hands_over() const noexcept { return sink_ != nullptr; }
    /// Gives the tasks to the sink. What the sink throws is passed on.
    void give(std::span<task> refused) const { (*sink_)(refused); }

private:
    overflow what_ = overflow::reject;
    std::shared_ptr<sink> sink_;
};

/// Hands the tasks for which there is no room to `receive`, on the thread of the caller.
///
/// `receive` is callable with a `task`, for one at a time, or with a `std::span<task>`, for all
/// that one call of the pool could not place; it moves them out. It may be called by several
/// threads at once. What it throws reaches the caller.
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
