// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A task with a result, as one writes it for a pool that has none.

#include <future>
#include <memory>
#include <utility>

namespace regatta::bench {

/// Calls a function and keeps a promise. Movable; callable also where it is constant, as some
/// libraries hold their tasks.
template<class F>
struct promised_task {
    using result = decltype(std::declval<F&>()());

    explicit promised_task(F what) : f(std::move(what)) {}
    void operator()() const { promise.set_value(f()); }

    mutable std::promise<result> promise{};
    mutable F f;
};

/// Gives the task to `execute`. @returns its future.
template<class F, class Execute>
auto submit_promised(F f, Execute&& execute) {
    promised_task<F> task(std::move(f));
    auto future = task.promise.get_future();
    execute(std::move(task));
    return future;
}

/// The same for pools whose tasks must be copyable.
template<class F, class Execute>
auto submit_shared(F f, Execute&& execute) {
    auto task = std::make_shared<promised_task<F>>(std::move(f));
    auto future = task->promise.get_future();
    execute([task = std::move(task)] { (*task)(); });
    return future;
}

} // namespace regatta::bench
