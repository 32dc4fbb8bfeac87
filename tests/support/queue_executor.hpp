// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The smallest executor that futures can run on: a queue under a mutex, with threads or without.

#include <regatta/base/inline_task.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/wait_graph.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/future.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace library_test {

/// Runs what it is given in order; what is queued at its end is destroyed unrun.
class queue_executor {
public:
    explicit queue_executor(unsigned threads = 0) {
        for (unsigned i = 0; i < threads; ++i) {
            threads_.emplace_back([this, i] { work(i); });
        }
    }
    ~queue_executor() { stop(); }

    regatta::detail::block_cache& blocks() { return blocks_; }
    std::size_t queued() {
        const std::lock_guard lock(mutex_);
        return queue_.size();
    }

    template<class F>
    void execute(F&& f) {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) {
                throw std::runtime_error("the executor is stopped");
            }
            queue_.emplace_back(std::forward<F>(f));
        }
        filled_.notify_one();
    }
    template<class F>
    auto submit(F&& f, std::stop_token stop = {}) {
        auto [result, job] =
            regatta::make_future_task(blocks_, std::move(stop), std::forward<F>(f));
        execute(std::move(job));
        return std::move(result);
    }

    /// Takes the first task out and runs it on this thread. @returns false if there is none.
    bool run_one() {
        std::unique_lock lock(mutex_);
        if (queue_.empty()) {
            return false;
        }
        task first = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        first();
        return true;
    }
    /// Makes this thread the worker of that number until the queue is empty.
    void run_all_as_worker(unsigned number = 0) {
        regatta::detail::worker_context context(this_pool(), number, &waits_);
        regatta::detail::block_magazine magazine(blocks_);
        while (run_one()) {
        }
    }
    /// Takes the first task out and destroys it unrun.
    void drop_one() {
        task dropped;
        const std::lock_guard lock(mutex_);
        if (!queue_.empty()) {
            dropped = std::move(queue_.front());
            queue_.pop_front();
        }
    }
    /// Ends the threads; what is still queued is destroyed, what comes later is refused.
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        filled_.notify_all();
        threads_.clear();
        const std::deque<task> unrun = std::exchange(queue_, {});
    }

private:
    using task = regatta::inline_task<void()>;

    const void* this_pool() { return blocks_.store().pool(); }
    void work(unsigned number) {
        regatta::detail::worker_context context(this_pool(), number, &waits_);
        regatta::detail::block_magazine magazine(blocks_);
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                filled_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
                if (stopping_) {
                    return;
                }
            }
            run_one();
        }
    }

    bool stopping_ = false; ///< Guarded by the mutex.
    regatta::detail::block_cache blocks_{this};
    regatta::detail::wait_graph waits_;
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<task> queue_; ///< Guarded by the mutex.
    std::vector<std::jthread> threads_;
};

} // namespace library_test
