// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a thread waits for a coroutine.

#include <regatta/core/detail/completion.hpp>

#include <coroutine>
#include <exception>
#include <utility>

namespace regatta::detail {

/// The coroutine of `sync_wait`: signals that the awaited task has ended.
class sync_driver {
public:
    struct promise_type {
        completion<char>* ended = nullptr;
        std::exception_ptr error{};

        sync_driver get_return_object() noexcept {
            return sync_driver(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        struct final_awaiter {
            bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
                self.promise().ended->finish(completion<char>::outcome::done, true);
            }
            void await_resume() const noexcept {}
        };
        final_awaiter final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() noexcept { error = std::current_exception(); }
    };

    /// Clang before 16 wants it for the return value of a coroutine, and does not call it.
    sync_driver(sync_driver&& other) noexcept
        : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    sync_driver& operator=(sync_driver&&) = delete;
    ~sync_driver() {
        if (coroutine_) {
            coroutine_.destroy();
        }
    }

    /// Runs the coroutine until it first suspends, then waits until it has ended. Throws what it
    /// threw.
    void run() {
        completion<char> ended;
        coroutine_.promise().ended = &ended;
        coroutine_.resume();
        ended.wait();
        if (coroutine_.promise().error) {
            std::rethrow_exception(std::move(coroutine_.promise().error));
        }
    }

private:
    explicit sync_driver(std::coroutine_handle<promise_type> coroutine) noexcept
        : coroutine_(coroutine) {}

    std::coroutine_handle<promise_type> coroutine_;
};

} // namespace regatta::detail
