// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A notification that a stop was requested.

#include <regatta/base/detail/platform.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace regatta::detail {

/// Calls `F` when a stop is requested, as `std::stop_callback` does, but never sleeps inside that
/// class. Where GCC 12 has no futex, such a sleep may not end. So the calling thread ends the
/// callback, and the destructor of the notice waits for that.
///
/// Threads: `F` is called by the thread that requests the stop, or by the constructor if the stop
/// was requested before.
/// Blocks: the destructor, from the request until `F` has returned. So neither `F` nor another
/// callback of the same request may destroy the notice.
/// Failure: `F` must not throw.
template<class F>
class stop_notice {
public:
    stop_notice(const std::stop_token& stop, F call) : stop_(stop), call_(std::move(call)) {
        callback_.emplace(stop_, caller{this});
        // release: partner is the acquire in answer(); publishes the callback. The state stays
        // unchanged if the callback was called in its constructor.
        std::uint32_t seen = starting;
        if (state_.compare_exchange_strong(seen, idle, std::memory_order_release)) {
            platform::futex_wake(state_);
        }
    }
    stop_notice(const stop_notice&) = delete;
    stop_notice& operator=(const stop_notice&) = delete;
    /// After it, `F` does not run and will not be called.
    ~stop_notice() {
        std::uint32_t seen = idle;
        // relaxed: F is not called in this case.
        if (!stop_.stop_requested() &&
            state_.compare_exchange_strong(seen, gone, std::memory_order_relaxed)) {
            return; // The destruction of callback_ unregisters it.
        }
        // acquire: partner is the release in answer(); publishes what F did, and the callback's
        // end.
        while ((seen = state_.load(std::memory_order_acquire)) != answered) {
            platform::futex_wait(state_, seen);
        }
    }

private:
    enum : std::uint32_t { starting, idle, calling, answered, gone };

    struct caller {
        stop_notice* notice;
        void operator()() const noexcept { notice->answer(); }
    };

    /// The body of the callback.
    void answer() noexcept {
        const bool inside = std::this_thread::get_id() == maker_;
        std::uint32_t seen = starting;
        // acquire: partner is the release in the constructor.
        while ((seen = state_.load(std::memory_order_acquire)) == starting && !inside) {
            platform::futex_wait(state_, starting);
        }
        if (seen == starting) { // The stop was requested before: the callback is being constructed.
            call_();
            state_.store(answered, std::memory_order_relaxed);
            return;
        }
        seen = idle; // The state stays `gone` if it is.
        if (state_.compare_exchange_strong(seen, calling, std::memory_order_relaxed)) {
            call_();
            callback_.reset();
            // release: partner is the acquire in the destructor. From here on only the address of
            // this object may be used.
            state_.store(answered, std::memory_order_release);
            platform::futex_wake(state_);
        }
    }

    const std::stop_token stop_;
    F call_;
    const std::thread::id maker_ = std::this_thread::get_id();
    /// The state of the callback. The first thread to change `idle` decides. Written by both
    /// threads.
    std::atomic<std::uint32_t> state_{starting};
    /// Reset by the call, on its thread; otherwise destroyed with the notice.
    std::optional<std::stop_callback<caller>> callback_;
};

} // namespace regatta::detail
