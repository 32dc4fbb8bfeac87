// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// An error sink that counts.

#include <regatta/core/error_sink.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace regatta::detail {

/// An error sink and the number of errors that it received.
///
/// Threads: any.
/// Failure: as `error_sink`.
class error_tally {
public:
    /// @param name the pool's; it outlives this.
    error_tally(error_sink sink, const std::string& name) noexcept
        : sink_(std::move(sink))
        , name_(name) {}

    REGATTA_RARE void report(std::exception_ptr error) noexcept {
        sink_.report(std::move(error), count_.fetch_add(1, std::memory_order_relaxed), "pool",
                     name_.c_str());
    }
    std::uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

private:
    const error_sink sink_;
    const std::string& name_;
    /// Written by the threads that report, read by `stats`. Relaxed: a counter.
    std::atomic<std::uint64_t> count_{0};
};

} // namespace regatta::detail
