// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The place that a thread keeps between its regions.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_team.hpp>
#include <regatta/core/detail/worker_context.hpp>

#include <cstdint>
#include <utility>

namespace regatta::detail {

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
