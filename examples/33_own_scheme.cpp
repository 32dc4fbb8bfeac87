// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A scheme of one's own, for `regatta race` and `scale`: a thread pool as it stands in many
// programs, with one queue under one mutex.
//
// g++ -std=c++20 -O2 -shared -fPIC -pthread 33_own_scheme.cpp -o my_pool.so
// regatta race uneven --schemes serial,std_thread,balanced,mine=./my_pool.so

#include <regatta/race/item_scheme.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

class my_pool {
public:
    explicit my_pool(unsigned threads) {
        for (unsigned i = 0; i < threads; ++i) {
            threads_.emplace_back([this](std::stop_token stop) { work(stop); });
        }
    }

    void post(std::function<void()> task) {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
            ++unfinished_;
        }
        arrived_.notify_one();
    }

    void wait() {
        std::unique_lock lock(mutex_);
        finished_.wait(lock, [this] { return unfinished_ == 0; });
    }

private:
    void work(std::stop_token stop) {
        std::unique_lock lock(mutex_);
        while (arrived_.wait(lock, stop, [this] { return !tasks_.empty(); })) {
            const std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            lock.lock();
            if (--unfinished_ == 0) {
                finished_.notify_all();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::condition_variable finished_;
    std::deque<std::function<void()>> tasks_;
    std::size_t unfinished_ = 0;
    std::vector<std::jthread> threads_; // The last member: its threads end first.
};

class my_scheme {
public:
    static constexpr bool one_by_one = true; // So that it takes part in races at a rate.

    explicit my_scheme(unsigned workers) : pool_(workers) {}

    void run(const regatta::scheme_items& items) {
        for (const std::size_t item : items) {
            pool_.post([items, item] { items(item); });
        }
        pool_.wait();
    }

private:
    my_pool pool_;
};

} // namespace

extern "C" const regatta::scheme_entry* regatta_scheme() {
    return regatta::scheme_entry_of<my_scheme>();
}
