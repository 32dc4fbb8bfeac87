// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Hipe's task types: callables of any kind, owned or referred to.

#include <regatta/base/inline_task.hpp>
#include <regatta/compat/detail/hipe_calls.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace hipe::util {

/// Owns a callable of any type and calls it without arguments.
///
/// A `std::reference_wrapper` is called through: its target must outlive the task.
///
/// Threads: as a plain value; move-only.
/// Failure: calling an empty one throws `std::bad_function_call`.
/// Cost: as regatta::inline_task: closures of up to 48 bytes stay inside.
class SafeTask {
public:
    /// Empty.
    SafeTask() = default;

    template<class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, SafeTask> && is_runnable<F>::value)
        SafeTask(F&& f) // NOLINT: implicit, as a task is made where one is wanted
        : call_(std::forward<F>(f)) {}

    SafeTask(SafeTask&&) noexcept = default;
    SafeTask& operator=(SafeTask&&) noexcept = default;
    SafeTask(const SafeTask&) = delete;
    SafeTask& operator=(const SafeTask&) = delete;
    ~SafeTask() = default;

    /// Replaces its callable with `f`.
    template<class F>
    requires(is_runnable<F>::value) void reset(F&& f) { *this = SafeTask(std::forward<F>(f)); }

    /// Whether it holds a callable.
    bool is_set() const noexcept { return static_cast<bool>(call_); }

    void operator()() {
        if (!call_) {
            throw std::bad_function_call();
        }
        call_();
    }

    /// Gives away its callable and becomes empty. An empty one gives a callable that throws as its
    /// own call would.
    regatta::inline_task<void()> release() && noexcept {
        if (!call_) {
            return [] { throw std::bad_function_call(); };
        }
        return std::move(call_);
    }

private:
    regatta::inline_task<void()> call_;
};

/// As SafeTask, but it only refers to a callable that it gets as an lvalue.
///
/// Threads: as a plain value; move-only.
/// Failure: as SafeTask; the callable must outlive it.
class QuickTask {
public:
    /// Empty.
    QuickTask() = default;

    template<class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, QuickTask> && is_runnable<F>::value)
        QuickTask(F&& f) // NOLINT: implicit, as a task is made where one is wanted
        : task_(refer(std::forward<F>(f))) {}

    /// Replaces its callable: holds `f` or refers to it.
    template<class F>
    requires(is_runnable<F>::value) void reset(F&& f) { task_.reset(refer(std::forward<F>(f))); }

    /// Whether it holds a callable.
    bool is_set() const noexcept { return task_.is_set(); }

    void operator()() { task_(); }

private:
    template<class F>
    static auto refer(F& f) {
        return std::ref(f);
    }
    template<class F>
    requires(!std::is_lvalue_reference_v<F>) static F&& refer(F&& f) { return std::move(f); }

    SafeTask task_;
};

} // namespace hipe::util
