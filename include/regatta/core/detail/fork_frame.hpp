// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Work that is about to be done by a thread and can be given to another one.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_forecast.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/sync/atomics.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <utility>

namespace regatta::detail {

template<class Atomics>
class basic_fork_member;
template<class Atomics>
class basic_fork_team;
template<class Atomics>
struct basic_fork_frame;

/// Whether the work of a loop or scope is to end early.
///
/// Threads: any.
/// Cost: a load, unless a stop token may end it or something threw since the outermost began.
class REGATTA_POOLS_EXPORT fork_stop {
public:
    /// @param outer the loop or scope around it, or null. It lives as long.
    fork_stop(const fork_stop* outer, std::stop_token stop) noexcept
        : outer_(outer)
        , stop_(std::move(stop))
        , expected_(stop_.stop_possible() ? failures.load(std::memory_order_relaxed) + never
                    : outer != nullptr    ? outer->expected_
                                          : failures.load(std::memory_order_relaxed)) {}
    fork_stop(const fork_stop&) = delete;
    fork_stop& operator=(const fork_stop&) = delete;

    bool over() const noexcept {
        // relaxed, here and in look(): hints. What an exception leaves is read after all work has
        // ended.
        return failures.load(std::memory_order_relaxed) != expected_ && look();
    }
    /// Within a handler: keeps the exception if it is the first, and ends the work. Keeps no
    /// `task_cancelled` of work that was to end: a reduction within it says so.
    REGATTA_RARE void fail() noexcept {
        if (!tells_of_a_stop() && !over_.exchange(true, std::memory_order_relaxed)) {
            error_ = std::current_exception();
        }
        failures.fetch_add(1, std::memory_order_relaxed);
    }
    /// Within a handler: whether the work is to end, and the exception is that of its end.
    bool tells_of_a_stop() const noexcept {
#if REGATTA_EXCEPTIONS
        if (look()) {
            try {
                throw;
            } catch (const task_cancelled&) {
                return true;
            } catch (...) {
                return false;
            }
        }
#endif
        return false;
    }
    /// The loop or scope around it.
    const fork_stop* outer() const noexcept {
        return outer_;
    }
    /// The thread that made it has waited for it: what it begins later is no part of it. What it
    /// made within it before still is, and the work given to it.
    void leave() noexcept {
        left_.store(true, std::memory_order_relaxed);
    }
    /// Work is given to it again.
    void reenter() noexcept {
        left_.store(false, std::memory_order_relaxed);
    }
    /// Of those around a thread, from `innermost` on, the first that was not left; or null.
    static const fork_stop* not_left(const fork_stop* innermost) noexcept {
        // relaxed: a thread that helps with others' work may read late what their maker writes;
        // then it goes on within what that has left.
        while (innermost != nullptr && innermost->left_.load(std::memory_order_relaxed)) {
            innermost = innermost->outer_;
        }
        return innermost;
    }
    /// After all work has ended: throws the exception, if one was kept.
    void rethrow() const {
        if (error_ != nullptr) [[unlikely]] {
            std::rethrow_exception(error_);
        }
    }

private:
    REGATTA_APART bool look() const noexcept {
        const fork_stop* at = this;
        do {
            if (at->over_.load(std::memory_order_relaxed) || at->stop_.stop_requested()) {
                return true;
            }
            at = at->outer_;
        } while (at != nullptr);
        return false;
    }

    /// How often anything threw in the process; wraps. Read by all at every look.
    alignas(destructive_alignment) static inline constinit std::atomic<std::uint32_t> failures{0};

    /// So far away that `failures` does not get there.
    static constexpr std::uint32_t never = std::uint32_t{1} << 31;

    const fork_stop* const outer_;
    const std::stop_token stop_;
    /// `failures` when the outermost loop or scope began; another number if a stop token may end
    /// this one, or what is around it.
    const std::uint32_t expected_;
    /// Whether something threw. Written by any thread that works for it, read by all.
    std::atomic<bool> over_{false};
    /// Whether its maker has left it. Written by the maker, read by all.
    std::atomic<bool> left_{false};
    /// Written by the first thread to fail, read after the end of its work.
    std::exception_ptr error_;
};

/// What all frames of one place in a program have in common.
template<class Atomics>
struct basic_fork_site {
    using frame = basic_fork_frame<Atomics>;

    /// Does the work of a published frame. Keeps its result or exception in the frame.
    void (*run)(frame&) noexcept;
    /// Of a frame that stands for a loop or scope: cuts off a part of what is left, and says which
    /// one it is. @param last no other part is going to be cut off: it is to be all that is left.
    /// @returns the part's frame, or null if nothing is to be had. Null itself: the frame is given
    /// away as a whole.
    frame* (*split)(frame&, bool last, const fork_stop*& scope) noexcept;
    /// The team of the process-wide pool, for a region that names no pool.
    basic_fork_team<Atomics>& (*shared_team)();
    /// How long the regions that begin here took; or null.
    fork_forecast* forecast = nullptr;
};

/// The part of a frame that exists once the frame is published.
template<class Atomics>
struct basic_shared_frame {
    using member = basic_fork_member<Atomics>;
    /// The values of `state`.
    enum : std::uint32_t { open, awaited, done };

    /// Whether the work is done. Written by the thread that does it and by the owner that sleeps
    /// until then.
    typename Atomics::template atomic<std::uint32_t> state{open};
    /// The thread that took the frame. Written by it, read by the owner. A hint where to help.
    typename Atomics::template atomic<member*> thief{nullptr};
    member* owner = nullptr;          ///< Who published it.
    const void* region = nullptr;     ///< The region that it belongs to.
    const fork_stop* scope = nullptr; ///< The loop or scope around it that may be stopped.
    unsigned place = 0;               ///< Where its owner published it.
    std::int64_t begun = 0;           ///< When its region began, or 0 if nobody wants to know.
};

/// Pending work: the second half of a join, or the rest of a loop. It lies on the stack of its
/// owner, linked to the frame before it.
///
/// Threads: the owner alone, until the frame is published in a place of its member. From then on
/// `older` is the owner's, and `shared` any thread's.
///
/// I1: frames are published in the order of their age. So once a frame is published, all older ones
///     are, or had nothing left to give away: but for scopes, whose further children are offered
///     one invitation at a time, and loops whose limits keep the rest with their thread.
/// I2: the work of a frame is done once: by its owner, or by the thread that took it out of its
///     place.
/// I3: a frame that was taken stays alive until its state is `done`.
template<class Atomics>
struct basic_fork_frame {
    using site = basic_fork_site<Atomics>;

    basic_fork_frame(const site& s) noexcept : kind(&s) {}
    basic_fork_frame(const basic_fork_frame&) = delete;
    basic_fork_frame& operator=(const basic_fork_frame&) = delete;

    /// The frame before it that is not published. Null: this one is, or begins a region.
    basic_fork_frame* older;
    const site* kind;
    typename Atomics::template cell<basic_shared_frame<Atomics>> shared;
};

} // namespace regatta::detail
