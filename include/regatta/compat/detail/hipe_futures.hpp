// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Hipe's list of futures.

#include <cstddef>
#include <future>
#include <utility>
#include <vector>

namespace hipe::util {

/// Futures of one type in the order of their insertion, to be waited for together.
///
/// Threads: one at a time.
template<class T>
class Futures {
public:
    void push_back(std::future<T>&& future) { futures_.push_back(std::move(future)); }

    std::future<T>& operator[](std::size_t i) { return futures_[i]; }

    std::size_t size() const noexcept { return futures_.size(); }

    /// Waits for every result.
    void wait() {
        for (std::future<T>& future : futures_) {
            future.wait();
        }
    }

    /// Waits for every result and returns them in order; they stay here until the next call.
    /// Failure: the exception of the first task that threw; `std::future_error` at the second call,
    /// as a future gives its result once.
    std::vector<T>& get() {
        wait(); // Also for those behind one that throws.
        results_.clear();
        results_.reserve(futures_.size());
        for (std::future<T>& future : futures_) {
            results_.push_back(future.get());
        }
        return results_;
    }

private:
    std::vector<std::future<T>> futures_;
    std::vector<T> results_;
};

} // namespace hipe::util
