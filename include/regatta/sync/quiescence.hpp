// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Knowing that another thread has finished what it was doing.

#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta {

/// Tells other threads when its owner, one thread, is between two pieces of work.
///
/// The owner brackets its work with `enter` and `leave`, or calls `renew` between two pieces.
/// Another thread changes something that the owner reads: it retires a handler, or sets a flag.
/// Then it calls `observe` and waits until `passed`. From then on the owner works with the change.
///
/// Threads: `enter`, `leave`, `renew` by the owner; `observe`, `observe_in_order`, `passed` and
/// `working` by any.
/// Blocks: never by itself.
/// Order: what the owner did in a piece of work happens before `passed` returning true for it.
/// Cost: the owner pays one or two plain stores a piece; an observer pays a system call.
/// Source: a single-reader form of P. McKenney and J. Slingwine, "Read-copy update", 1998.
///
/// I1: a thread changes something, then observes, then sees `passed`. Then no piece of work that
///     began before the change is still under way, and every later piece sees the change.
template<class Atomics>
class basic_quiescence {
public:
    /// What an observer saw.
    using stamp = std::uint32_t;

    basic_quiescence() = default;
    basic_quiescence(const basic_quiescence&) = delete;
    basic_quiescence& operator=(const basic_quiescence&) = delete;

    /// Owner: begins a piece of work. Read data that others may change only after it.
    void enter() noexcept {
        // release: as in leave(). An observer may miss the value of leave() and see only this one.
        // Since C++20 (P0982) this store does not continue that store's release sequence.
        // The fence orders it before the owner's reads. Partner: the heavy fence in observe().
        phase_.store(phase_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        fence_.light();
    }

    /// Owner: ends the piece of work.
    void leave() noexcept {
        // release: partner is the acquire in passed() and observe(); publishes the work done.
        phase_.store(phase_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

    /// Owner: ends one piece of work and begins the next; the same as `leave` and `enter`.
    void renew() noexcept {
        // release: as in leave(). The fence: as in enter().
        phase_.store(phase_.load(std::memory_order_relaxed) + 2, std::memory_order_release);
        fence_.light();
    }

    /// The owner's phase, read after the calling thread's own changes.
    stamp observe() const noexcept {
        fence_.heavy();
        return observe_in_order();
    }

    /// The owner's phase, without a system call. For a caller that already knows that the work in
    /// question had begun, because it acquired something that the owner released in it.
    stamp observe_in_order() const noexcept {
        // acquire: partner is the release in leave() and renew().
        return phase_.load(std::memory_order_acquire);
    }

    /// Whether the work that the stamp saw under way, if any, has ended.
    bool passed(stamp seen) const noexcept {
        // acquire: partner is the release in leave() and renew().
        return !working(seen) || phase_.load(std::memory_order_acquire) != seen;
    }

    /// Whether the stamp saw the owner at work.
    static bool working(stamp seen) noexcept { return (seen & 1u) != 0; }

private:
    /// Odd while the owner works; wraps. Written by the owner, read by observers.
    typename Atomics::template atomic<std::uint32_t> phase_{0};
    [[no_unique_address]] typename Atomics::fence fence_;
};

/// The quiescence detector of real programs.
using quiescence = basic_quiescence<std_atomics>;

} // namespace regatta
