// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The pool that everybody writes first: one queue, one mutex, one condition variable.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::race {

/// A pool that others are measured against, plain on purpose.
///
/// Threads: `post` and `wait` from any; `wait` not from a task. Order: first in, first out. Cost: a
/// lock and a notification a post, a lock at either end of a task.
class mutex_queue_pool {
public:
    /// Failure: `std::system_error` where a thread cannot be started; then none runs.
    explicit mutex_queue_pool(unsigned threads) {
        try {
            while (threads_.size() < threads) {
                threads_.emplace_back([this] { work(); });
            }
        } catch (...) {
            end();
            throw;
        }
    }
    mutex_queue_pool(const mutex_queue_pool&) = delete;
    mutex_queue_pool& operator=(const mutex_queue_pool&) = delete;
    /// Runs what is queued and ends the threads.
    ~mutex_queue_pool() { end(); }

    void post(std::function<void()> task) {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(task));
            ++unfinished_;
        }
        filled_.notify_one();
    }

    /// Blocks until nothing is queued and nothing runs.
    void wait() {
        std::unique_lock lock(mutex_);
        idle_.wait(lock, [this] { return unfinished_ == 0; });
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            filled_.wait(lock, [this] { return ended_ || !queue_.empty(); });
            if (queue_.empty()) {
                return;
            }
            {
                const std::function<void()> task = std::move(queue_.front());
                queue_.pop_front();
                lock.unlock();
                task();
            }
            lock.lock();
            if (--unfinished_ == 0) {
                idle_.notify_all();
            }
        }
    }

    void end() noexcept {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        filled_.notify_all();
        threads_.clear();
    }

    std::mutex mutex_; ///< Of all below but the threads.
    std::condition_variable filled_;
    std::condition_variable idle_;
    std::deque<std::function<void()>> queue_;
    std::size_t unfinished_ = 0; ///< Tasks that are queued or run.
    bool ended_ = false;
    std::vector<std::jthread> threads_;
};

} // namespace regatta::race
