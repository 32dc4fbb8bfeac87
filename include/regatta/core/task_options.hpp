// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options of one task.

#include <concepts>
#include <stop_token>
#include <utility>

namespace regatta {

/// The order in which a thread pool begins waiting tasks: high before medium before low, but
/// without starvation.
enum class priority : unsigned char { low, medium, high };

/// The priority of a task and the stop token that cancels it.
///
/// A priority or a stop token converts to it: `pool.execute(priority::high, f)`.
struct task_options {
    priority level = priority::medium;
    /// If a stop was requested before the task's turn comes, the task does not run.
    std::stop_token stop{};

    task_options() = default;
    task_options(priority p, std::stop_token s = {}) noexcept // NOLINT: implicit by intent
        : level(p)
        , stop(std::move(s)) {}
    task_options(std::stop_token s) noexcept : stop(std::move(s)) {} // NOLINT: implicit by intent
};

/// A type that can stand in place of `task_options`.
template<class T>
concept task_options_like = std::convertible_to<T, task_options>;

} // namespace regatta
