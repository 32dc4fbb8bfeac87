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
struct REGATTA_POOLS_EXPORT basic_fork_work {
    using request = fork_request<Atomics>;
    using frame = basic_fork_frame<Atomics>;
    using member = basic_fork_member<Atomics>;
    using team_type = basic_fork_team<Atomics>;

    frame* newest = nullptr;
    /// The request word of the member, from the first fork of the region on.
    const typename request::word* beat = request::none();
    member* seat = nullptr; ///< Null while no region is open.
    team_type* team = nullptr;
    frame* outermost = nullptr; ///< The frame that began the region, if any.
    const void* region = nullptr;
    const fork_stop* root_scope = nullptr;  ///< The innermost scope around all frames of the list.
    const fork_stop* scope = nullptr;       ///< The innermost scope.
    const basic_fork_work* below = nullptr; ///< What was set aside. It may use the thread's home.
    bool borrowed = false;                  ///< The seat is given back at the end of the region.
    bool counted = false;                   ///< The region counts as a task of its own.
    bool other_task = false;                ///< What runs on top of it is no part of its task.

    /// The end of every list.
    static frame* root() noexcept { return reinterpret_cast<frame*>(&root_tag); }
    alignas(frame) static inline constinit char root_tag = 0;

    /// Publishes work in that many places, which are free, the oldest first.
    /// @param all this thread is going to block. So each newer frame gets a place, too, if there
    /// are so many: what this thread waits for may be of any of them.
    /// @returns whether there was any.
    bool publish(unsigned free, bool all) noexcept {
        unsigned frames = 0;
        frame* oldest = root();
        while (newest != root()) { // Turns the list round.
            frame* const f = newest;
            newest = std::exchange(f->older, oldest);
            oldest = f;
            ++frames;
        }
        const fork_stop* around = fork_stop::not_left(root_scope);
        bool published = false;
        for (; oldest != root(); --frames) { // And back.
            frame* const f = oldest;
            oldest = std::exchange(f->older, newest);
            newest = f;
            for (bool last = false; free != 0 && !last;) {
                const bool whole = f->kind->split == nullptr;
                last = whole || (all && free <= frames);
                frame* given = whole ? f : f->kind->split(*f, last, around);
                if (given == nullptr && all && !last) { // Perhaps less than a grain of it.
                    last = true;
                    given = f->kind->split(*f, last, around);
                }
                if (given == nullptr) {
                    break;
                }
                if (whole) {
                    newest = std::exchange(f->older, nullptr);
                }
                seat->publish(*given, seat->free_place(), region, around);
                published = true;
                --free;
            }
        }
        return published;
    }

    /// The member that opened the outermost region on that team of what one task has set aside,
    /// from here on; or null. The regions that another thread opened go on with what that thread
    /// has set aside.
    member* root_in(const team_type& t) const noexcept {
        const basic_fork_work* w = this;
        do {
            const auto* const opener = static_cast<const member*>(w->region);
            if (w->team == &t) {
                return opener->root;
            }
            w = opener != nullptr ? opener->below : w->below;
        } while (w != nullptr && !w->other_task);
        return nullptr;
    }
    /// Calls `use(root)` with that member for each task on the thread's stack that has one.
    template<class Use>
    void each_root_in(const team_type& t, Use&& use) const {
        for (const basic_fork_work* w = this; w != nullptr; w = w->below) {
            if (w == this || w->other_task) {
                if (member* const found = w->root_in(t)) {
                    use(*found);
                }
            }
        }
    }
    /// Whether it is for a region of that team, or what was set aside is.
    bool is_for(const team_type& t) const noexcept {
        const basic_fork_work* w = this;
        while (w != nullptr && w->team != &t) {
            w = w->below;
        }
        return w != nullptr;
    }
};

} // namespace regatta::detail
