// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a thread works for in forks.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_team.hpp>
#include <regatta/core/detail/worker_context.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace regatta::detail {

/// The request word of a thread that has no region open. Null where atomics are not constants, in
/// the models.
template<class Atomics>
struct fork_request : fork_request_values {
    using word = typename Atomics::template atomic<std::uint32_t>;
    static constexpr word* none() noexcept { return nullptr; }
    /// Whether a frame that was just pushed is to be given away.
    static bool made(const word* w) noexcept {
        return w == nullptr || w->load(std::memory_order_relaxed) != 0;
    }
    /// Whether whatever there is is to be given away.
    static bool made_by_another(const word* w) noexcept {
        return w == nullptr || w->load(std::memory_order_relaxed) == wanted;
    }
};
template<>
struct REGATTA_POOLS_EXPORT fork_request<std_atomics> : fork_request_values {
    using word = std::atomic<std::uint32_t>;
    static constexpr word* none() noexcept { return &always; }
    static bool made(const word* w) noexcept {
        return w->load(std::memory_order_relaxed) != 0; // relaxed: a hint.
    }
    static bool made_by_another(const word* w) noexcept {
        return w->load(std::memory_order_relaxed) == wanted; // relaxed: a hint.
    }

private:
    /// Written by nobody.
    static inline constinit word always{wanted};
};

/// The frames that a thread has pending, and the region that they belong to. While no region is
/// open, all members but `scope` and `below` are as here.
template<class Atomics>
struct basic_fork_work {
    using request = fork_request<Atomics>;
    using member = basic_fork_member<Atomics>;

    basic_fork_frame<Atomics>* newest = nullptr;
    /// The request word of the member, from the first fork of the region on.
    const typename request::word* beat = request::none();
    member* seat = nullptr; ///< Null while no region is open.
    basic_fork_team<Atomics>* team = nullptr;
    basic_fork_frame<Atomics>* outermost = nullptr; ///< The frame that began the region, if any.
    const void* region = nullptr;
    const fork_stop* root_scope = nullptr;  ///< The innermost scope around all frames of the list.
    const fork_stop* scope = nullptr;       ///< The innermost scope.
    const basic_fork_work* below = nullptr; ///< What was set aside. It may use the thread's home.
    bool borrowed = false;                  ///< The seat is given back at the end of the region.
    bool counted = false;                   ///< The region counts as a task of its own.
    bool other_task = false;                ///< What runs on top of it is no part of its task.
};

/// The place in a team that a thread keeps between its regions.
///
/// Threads: the thread's own.
template<class Atomics>
class basic_fork_home {
public:
    using team = basic_fork_team<Atomics>;
    using member = basic_fork_member<Atomics>;

    constexpr basic_fork_home() noexcept = default;
    basic_fork_home(const basic_fork_home&) = delete;
    basic_fork_home& operator=(const basic_fork_home&) = delete;

    bool is_in(const team& t) const noexcept { return team_id_ == t.id(); }
    /// Whether a thread from outside can still keep a place, which it gives back when it ends. The
    /// destructor of a `thread_local` object that runs later has to borrow one.
    bool lasts() const noexcept { return REGATTA_THREAD_DESTRUCTORS && !ended_; }
    /// Moves to that team. Throws `std::bad_alloc`; then the thread stays where it is.
    /// @param leaves_at_end whether a thread from outside gives the place back when it ends. A
    /// worker does so itself.
    void move_to(team& t, bool leaves_at_end) {
        member& fresh = t.seat();
        leave();
        seat_ = &fresh;
        team_id_ = t.id();
        if constexpr (REGATTA_THREAD_DESTRUCTORS) {
            if (leaves_at_end && worker_context::current() == nullptr) {
                static thread_local last_act holder;
                holder.home = this;
            }
        }
    }
    /// Gives the place back.
    void leave() noexcept {
        if (seat_ != nullptr) {
            team::let_go(*std::exchange(seat_, nullptr));
            team_id_ = 0;
        }
    }
    member* seat() const noexcept { return seat_; }

private:
    struct last_act {
        basic_fork_home* home = nullptr;
        ~last_act() {
            if (home != nullptr) {
                home->leave();
                home->ended_ = true;
            }
        }
    };

    member* seat_ = nullptr;
    std::uint64_t team_id_ = 0;
    bool ended_ = false; ///< Nothing will give back a place any more.
};

} // namespace regatta::detail
