// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A notification that a stop was requested.

#include <regatta/sync/atomics.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

namespace regatta::detail {

/// The standard's stop tokens. A model checker brings others.
struct std_stop {
    using token = std::stop_token;
    template<class F>
    using callback = std::stop_callback<F>;
};

/// Calls `F` when a stop is requested, as `std::stop_callback` does, but never sleeps inside that
/// class. Where GCC 12 has no futex, such a sleep may not end. So the calling thread ends the
/// callback, and the destructor of the notice waits for that.
///
/// Threads: `F` is called by the thread that requests the stop, or by the constructor if the stop
/// was requested before.
/// Blocks: the destructor, from the request until `F` has returned. So neither `F` nor another
/// callback of the same request may destroy the notice.
/// Failure: `F` must not throw.
///
/// I1: `F` is called at most once, and not after the destructor has returned.
/// I2: if the stop is requested before the destructor begins, `F` is called.
template<class F, class Atomics, class Stop>
class basic_stop_notice {
public:
    basic_stop_notice(const typename Stop::token& stop, F call)
        : stop_(stop)
        , call_(std::move(call)) {
        callback_.emplace(stop_, caller{this});
        // release: partner is the acquire in answer(); publishes the callback. The state stays
        // unchanged if the callback was called in its constructor.
        if (change(starting, idle, std::memory_order_release)) {
            Atomics::wake(state_, most_waiters);
        }
    }
    basic_stop_notice(const basic_stop_notice&) = delete;
    basic_stop_notice& operator=(const basic_stop_notice&) = delete;
    /// After it, `F` does not run and will not be called.
    ~basic_stop_notice() {
        // relaxed: F is not called in this case.
        if (!stop_.stop_requested() && change(idle, gone, std::memory_order_relaxed)) {
            return; // The destruction of callback_ unregisters it.
        }
        // acquire: partner is the release in answer(); publishes what F did, and the callback's
        // end.
        for (std::uint32_t seen = 0; (seen = state_.load(std::memory_order_acquire)) != answered;) {
            Atomics::wait(state_, seen, nullptr);
        }
    }

private:
    enum : std::uint32_t { starting, idle, calling, answered, gone };

    struct caller {
        basic_stop_notice* notice;
        void operator()() const noexcept { notice->answer(); }
    };

    /// The body of the callback.
    void answer() noexcept {
        const bool inside = Atomics::this_thread() == maker_;
        std::uint32_t seen = starting;
        // acquire: partner is the release in the constructor.
        while ((seen = state_.load(std::memory_order_acquire)) == starting && !inside) {
            Atomics::wait(state_, starting, nullptr);
        }
        if (seen == starting) { // The stop was requested before: the callback is being constructed.
            call_();
            state_.store(answered, std::memory_order_relaxed);
            return;
        }
        if (change(idle, calling, std::memory_order_relaxed)) { // It stays `gone` if it is.
            call_();
            callback_.reset();
            // release: partner is the acquire in the destructor. From here on only the address of
            // this object may be used.
            state_.store(answered, std::memory_order_release);
            Atomics::wake(state_, most_waiters);
        }
    }

    /// @returns whether the state was `from` and now is `to`.
    bool change(std::uint32_t from, std::uint32_t to, std::memory_order order) noexcept {
        std::uint32_t seen = from;
        while (!state_.compare_exchange_weak(seen, to, order, std::memory_order_relaxed)) {
            if (seen != from) {
                return false;
            }
        }
        return true;
    }

    static constexpr std::uint32_t most_waiters = 2; ///< The two threads.

    const typename Stop::token stop_;
    F call_;
    const typename Atomics::thread_id maker_ = Atomics::this_thread();
    /// The state of the callback. The first thread to change `idle` decides. Written by both
    /// threads.
    typename Atomics::template atomic<std::uint32_t> state_{starting};
    /// Reset by the call, on its thread; otherwise destroyed with the notice.
    std::optional<typename Stop::template callback<caller>> callback_;
};

/// The notice of real programs.
template<class F>
class stop_notice : public basic_stop_notice<F, std_atomics, std_stop> {
public:
    stop_notice(const std::stop_token& stop, F call)
        : basic_stop_notice<F, std_atomics, std_stop>(stop, std::move(call)) {}
};

} // namespace regatta::detail
