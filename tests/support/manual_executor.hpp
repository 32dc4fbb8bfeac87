// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Executors for tests of what runs on executors.

#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/base/inline_task.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace library_test {

/// An executor that keeps what it gets until the test runs or drops it.
class manual_executor {
public:
    using task = regatta::inline_task<void()>;

    template<class F>
    void execute(F&& f) {
#if REGATTA_EXCEPTIONS
        if (refuses) {
            throw std::runtime_error("refused");
        }
#endif
        const std::lock_guard lock(mutex_);
        queue_.emplace_back(std::forward<F>(f));
        ++received_;
    }

    /// Waits until it has been given so many in all.
    void await_received(std::size_t count) {
        await([&] {
            const std::lock_guard lock(mutex_);
            return received_ >= count;
        });
    }
    /// Runs the first, on this thread. @returns false if there is none.
    bool run_one() {
        task t = take();
        if (!t) {
            return false;
        }
        t();
        return true;
    }
    /// Destroys the first uncalled. @returns false if there is none.
    bool drop_one() {
        return static_cast<bool>(take());
    }
    std::size_t queued() {
        const std::lock_guard lock(mutex_);
        return queue_.size();
    }

    std::atomic<bool> refuses{false};

private:
    task take() {
        const std::lock_guard lock(mutex_);
        if (queue_.empty()) {
            return {};
        }
        task t = std::move(queue_.front());
        queue_.pop_front();
        return t;
    }

    std::mutex mutex_;
    std::deque<task> queue_;
    std::size_t received_ = 0;
};

/// A few threads and a queue, no more.
class plain_pool {
public:
    explicit plain_pool(unsigned threads) {
        for (unsigned i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { work(); });
        }
    }
    ~plain_pool() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        filled_.notify_all();
        for (auto& t : threads_) {
            t.join();
        }
    }
    template<class F>
    void execute(F&& f) {
        {
            const std::lock_guard lock(mutex_);
            queue_.emplace_back(std::forward<F>(f));
        }
        filled_.notify_one();
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            filled_.wait(lock, [&] { return closed_ || !queue_.empty(); });
            if (queue_.empty()) {
                return;
            }
            auto f = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            f();
            f = {};
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<regatta::inline_task<void()>> queue_;
    bool closed_ = false;
    std::vector<std::thread> threads_;
};

} // namespace library_test
