// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A number of threads that run the same function and are joined together.

#include "schemes/scheme.hpp"

#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::race {

/// Threads that are joined by the destructor, or earlier by `join`.
class worker_threads {
public:
    /// Starts `body(index)` on one more thread.
    /// Failure: `scheme_failure` that says which thread could not be started; those that run go on.
    template<class Body>
    void start(Body&& body) {
        const std::size_t index = threads_.size();
        try {
            threads_.emplace_back(std::forward<Body>(body), index);
        } catch (const std::system_error& error) {
            throw scheme_failure("thread " + std::to_string(index) +
                                 " could not be started: " + error.code().message());
        }
    }

    void join() noexcept { threads_.clear(); }

private:
    std::vector<std::jthread> threads_; ///< Their destructors join.
};

} // namespace regatta::race
