// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The pending forks of one thread.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_team.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/task_rejected.hpp>

#include <cstdint>
#include <utility>

namespace regatta::detail {

/// The frames that a thread has pending, newest first, and the region that they belong to.
///
/// A *region* is the outermost fork of a task, or of a thread from outside, with all forks beneath.
/// While none is open, `newest` is null, so that the first frame of a region looks like a published
/// one: its thread takes the slow ways, which open and close the region.
///
/// Threads: one, the thread's own.
///
/// I1: in a region the frames that are not published form a list from `newest` to `root()`.
template<class Atomics>
class basic_fork_stack {
public:
    using frame = basic_fork_frame<Atomics>;
    using member = basic_fork_member<Atomics>;
    using team = basic_fork_team<Atomics>;
    using shared = basic_shared_frame<Atomics>;

    constexpr basic_fork_stack() noexcept = default;
    basic_fork_stack(const basic_fork_stack&) = delete;
    basic_fork_stack& operator=(const basic_fork_stack&) = delete;

    /// The stack of the calling thread.
    REGATTA_INLINE static basic_fork_stack& current() noexcept {
        static constinit thread_local basic_fork_stack own;
        return own;
    }

    // --- the fast path ---------------------------------------------------------------------------

    REGATTA_INLINE void push(frame& f) {
        f.older = newest_;
        newest_ = &f;
        if (asked()) [[unlikely]] {
            share_at(f);
        }
    }
    /// The frame is the newest. @returns whether the caller does its work, now and here.
    REGATTA_INLINE bool pop(frame& f) {
        if (f.older != nullptr) [[likely]] {
            newest_ = f.older;
            return true;
        }
        return settle(f);
    }
    /// Shares a frame if another thread wants work.
    REGATTA_INLINE void poll() noexcept {
        if (asked()) [[unlikely]] {
            share();
        }
    }
    /// Whether a region is open.
    bool in_region() const noexcept { return newest_ != nullptr; }
    /// Whether the newest frame is this one.
    bool is_newest(const frame& f) const noexcept { return newest_ == &f; }

    /// Pushes a frame that is split, and not given away. The region must be open.
    REGATTA_INLINE void push_splittable(frame& f) noexcept {
        f.older = newest_;
        newest_ = &f;
    }
    REGATTA_INLINE void pop_splittable(frame& f) noexcept {
        if (newest_ == &f) { // Otherwise newer frames were published: it is no longer linked.
            newest_ = f.older;
        }
    }

    // --- the slow ways ---------------------------------------------------------------------------

    /// The frame was pushed, and another thread wants work or no region is open.
    REGATTA_RARE void share_at(frame& f) {
        if (seat_ == nullptr) {
            newest_ = nullptr;
            open(team_for(*f.kind));
            outermost_ = &f;
            f.older = nullptr;
            seat_->publish(f, seat_->free_place(), region_); // All its places are free.
            seat_->answer(Atomics::now_ns());
            team_->call_watch();
            return;
        }
        share();
    }
    /// Publishes the oldest work that there is.
    REGATTA_RARE void share() noexcept {
        if (seat_ != nullptr) {
            static_cast<void>(publish_oldest());
            seat_->answer(Atomics::now_ns());
        }
    }
    /// Publishes all frames that there are places for: this thread is about to block.
    REGATTA_RARE void share_all() noexcept {
        if (seat_ != nullptr) {
            bool some = false;
            while (publish_oldest()) {
                some = true;
            }
            if (some) {
                team_->call_watch();
            }
        }
    }

    /// The end of a frame that was published or begins a region. @returns whether the caller does
    /// its work. If not, the frame has the result.
    REGATTA_RARE bool settle(frame& f) {
        const bool mine = seat_->reclaim(f);
        if (&f != outermost_) {
            if (!mine) {
                await(f);
            }
            return mine;
        }
        if (mine) {
            f.kind->run(f);
        } else {
            await(f);
        }
        close();
        return false;
    }
    /// The first half of a join has thrown. @returns whether another thread has done the second.
    REGATTA_RARE bool abandon(frame& f) noexcept {
        if (f.older != nullptr) {
            newest_ = f.older;
            return false;
        }
        const bool mine = seat_->reclaim(f);
        if (!mine) {
            await(f);
        }
        if (&f == outermost_) {
            close();
        }
        return !mine;
    }
    /// Waits until another thread has done the work of a published frame; helps meanwhile.
    REGATTA_RARE void await(frame& f) noexcept {
        auto& state = f.shared.get().state;
        std::int64_t since = Atomics::now_ns();
        for (;;) {
            for (unsigned i = 0; i < looks; ++i) {
                // acquire: partner is the release in work_off(); publishes the result.
                if (state.load(std::memory_order_acquire) == shared::done) {
                    return;
                }
                Atomics::relax();
            }
            const std::int64_t now = Atomics::now_ns();
            if (frame* const other = find_help(f, now)) {
                work_off(*other);
                since = Atomics::now_ns();
            } else if (now - since >= patience_ns) {
                std::uint32_t seen = shared::open;
                // acquire: partner is the release in work_off(), if that came first.
                if (state.compare_exchange_strong(seen, shared::awaited, std::memory_order_acquire,
                                                  std::memory_order_relaxed) ||
                    seen == shared::awaited) {
                    Atomics::wait(state, shared::awaited, nullptr);
                }
            }
        }
    }

    /// Does the work of a frame that this thread has taken. A worker calls it, or a thread that
    /// waits; no frame of its own is pending privately.
    REGATTA_RARE void work_off(frame& f) noexcept {
        shared& s = f.shared.get();
        // release: partner is the acquire in find_help(). The member outlives its frames.
        s.thief.store(seat_, std::memory_order_release);
        f.kind->run(f);
        // release: partner is the acquire in await(); publishes the result. acquire: not needed,
        // but `awaited` was written by a relaxed operation and only its value counts. From here on
        // only the address of the frame may be used.
        auto& state = s.state;
        if (state.exchange(shared::done, std::memory_order_acq_rel) == shared::awaited) {
            Atomics::wake(state, 1);
        }
    }

    // --- regions ---------------------------------------------------------------------------------

    /// A region on that team from construction to destruction; inside one of the same team nothing
    /// happens.
    class region {
    public:
        REGATTA_INLINE region(basic_fork_stack& s, team& t) : stack_(s) {
            if (s.seat_ == nullptr) {
                s.open(t);
                opened_ = true;
            } else if (s.team_ != &t) [[unlikely]] {
                change(t);
            }
        }
        region(const region&) = delete;
        region& operator=(const region&) = delete;
        REGATTA_INLINE ~region() {
            if (opened_) {
                stack_.close();
                if (outer_.seat != nullptr) [[unlikely]] {
                    stack_.restore(outer_);
                }
            }
        }

    private:
        friend basic_fork_stack;
        struct saved {
            frame* newest = nullptr;
            member* seat = nullptr;
            team* of = nullptr;
            frame* outermost = nullptr;
            const void* region = nullptr;
            bool borrowed = false;
            bool counted = false;
            bool nested = false;
        };

        REGATTA_RARE void change(team& t) {
            stack_.share_all();
            outer_ = {stack_.newest_, stack_.seat_,     stack_.team_,    stack_.outermost_,
                      stack_.region_, stack_.borrowed_, stack_.counted_, stack_.nested_};
            stack_.clear();
            stack_.nested_ = true;
            REGATTA_TRY {
                stack_.open(t);
            }
            REGATTA_CATCH_ALL {
                stack_.restore(outer_);
                REGATTA_RETHROW;
            }
            opened_ = true;
        }

        basic_fork_stack& stack_;
        saved outer_{};
        bool opened_ = false;
    };

    /// Gives the thread, a worker of that team, its place. @returns false if memory is short.
    bool prepare(team& t) noexcept {
        if (home_id_ == t.id()) {
            return true;
        }
        REGATTA_TRY {
            change_home(t);
            return true;
        }
        REGATTA_CATCH_ALL {
            return false;
        }
    }
    /// A worker's part in the regions of others, from construction to destruction. It has a place.
    class helping {
    public:
        helping(basic_fork_stack& s, team& t, const void* region) noexcept : stack_(s) {
            s.take_seat(t);
            s.newest_ = root();
            s.beat_ = &s.seat_->beat();
            s.region_ = region;
            s.seat_->begin(region);
        }
        helping(const helping&) = delete;
        helping& operator=(const helping&) = delete;
        ~helping() { stack_.leave_seat(); }

    private:
        basic_fork_stack& stack_;
    };

    /// The team of the thread's region, or null.
    team* team_of_region() const noexcept { return team_; }
    member* seat() const noexcept { return seat_; }
    const void* region_mark() const noexcept { return region_; }
    /// The member whose region this thread works for, if it works in one.
    static member* root_of(const void* region) noexcept {
        return static_cast<member*>(const_cast<void*>(region));
    }

private:
    static constexpr unsigned looks = 16;
    static constexpr std::int64_t patience_ns = 30'000;

    /// The end of every list.
    static frame* root() noexcept { return reinterpret_cast<frame*>(&root_tag); }
    alignas(frame) static inline constinit char root_tag = 0;

    bool asked() const noexcept {
        // relaxed: a hint. A null pointer: no region is open.
        return beat_ == nullptr || beat_->load(std::memory_order_relaxed) != 0;
    }

    static team& team_for(const basic_fork_site<Atomics>& s) {
        const worker_context* const worker = worker_context::current();
        if (worker != nullptr && worker->forks != nullptr) {
            return *static_cast<team*>(worker->forks);
        }
        return s.shared_team();
    }

    /// Opens a region.
    REGATTA_RARE void open(team& t) {
        take_seat(t);
        const worker_context* const worker = worker_context::current();
        counted_ = worker == nullptr || worker->forks != &t;
        if (counted_) {
            t.begin_region(*seat_);
            if (t.refuses()) [[unlikely]] {
                t.end_region(*seat_);
                leave_seat();
                fail_rejected("fork", task_rejected::reason::closed, 0);
            }
        }
        region_ = seat_;
        seat_->begin(region_);
        newest_ = root();
        beat_ = &seat_->beat();
    }
    REGATTA_RARE void close() noexcept {
        if (counted_) {
            seat_->begin(nullptr);
            team_->end_region(*seat_);
        }
        leave_seat();
    }
    REGATTA_RARE void take_seat(team& t) {
        if (home_id_ != t.id()) {
            const worker_context* const worker = worker_context::current();
            if (nested_ || (worker != nullptr && worker->forks != &t)) {
                seat_ = &t.seat();
                borrowed_ = true;
                team_ = &t;
                return;
            }
            change_home(t);
        }
        seat_ = home_;
        borrowed_ = false;
        team_ = &t;
    }
    REGATTA_RARE void leave_seat() noexcept {
        seat_->begin(nullptr);
        if (borrowed_) {
            team::let_go(*seat_);
        }
        clear();
    }
    void clear() noexcept {
        newest_ = nullptr;
        beat_ = nullptr;
        seat_ = nullptr;
        team_ = nullptr;
        outermost_ = nullptr;
        region_ = nullptr;
        borrowed_ = false;
        counted_ = false;
    }
    void restore(const typename region::saved& o) noexcept {
        newest_ = o.newest;
        seat_ = o.seat;
        beat_ = &o.seat->beat();
        team_ = o.of;
        outermost_ = o.outermost;
        region_ = o.region;
        borrowed_ = o.borrowed;
        counted_ = o.counted;
        nested_ = o.nested;
    }
    void change_home(team& t) {
        member& fresh = t.seat();
        static thread_local home_holder holder;
        if (home_ != nullptr) {
            team::let_go(*home_);
        }
        home_ = &fresh;
        home_id_ = t.id();
        holder.stack = this; // The thread gives it back when it ends.
    }
    /// Gives the home back when the thread ends.
    struct home_holder {
        basic_fork_stack* stack = nullptr;
        ~home_holder() {
            if (stack != nullptr && stack->home_ != nullptr) {
                team::let_go(*std::exchange(stack->home_, nullptr));
                stack->home_id_ = 0;
            }
        }
    };

    /// Publishes the oldest work. @returns false if there is none or no place for it.
    bool publish_oldest() noexcept {
        const unsigned place = seat_->free_place();
        if (place == member::places) {
            return false;
        }
        frame* spent = root(); // It and all older ones have nothing left.
        while (newest_ != spent) {
            frame** to_oldest = &newest_;
            while ((*to_oldest)->older != spent) {
                to_oldest = &(*to_oldest)->older;
            }
            frame* const oldest = *to_oldest;
            if (oldest->kind->split == nullptr) {
                *to_oldest = root();
                oldest->older = nullptr;
                seat_->publish(*oldest, place, region_);
                return true;
            }
            if (frame* const part = oldest->kind->split(*oldest)) {
                seat_->publish(*part, place, region_);
                return true;
            }
            spent = oldest;
        }
        return false;
    }

    /// A frame to work on in a wait for `f`: of this thread, of the one that took `f`, or of
    /// another one that works for the same region.
    frame* find_help(frame& f, std::int64_t now) noexcept {
        if (frame* const own = seat_->take(nullptr)) {
            return own;
        }
        // acquire: partner is the release in work_off().
        member* const thief = f.shared.get().thief.load(std::memory_order_acquire);
        if (thief != nullptr) {
            if (frame* const other = thief->take(region_)) {
                return other;
            }
        }
        return team_->take_of(region_, now);
    }

    frame* newest_ = nullptr;
    /// The request word of the member; null while no region is open.
    typename Atomics::template atomic<std::uint32_t>* beat_ = nullptr;
    member* seat_ = nullptr; ///< Null while no region is open.
    team* team_ = nullptr;
    frame* outermost_ = nullptr; ///< The frame that began the region, if one did.
    const void* region_ = nullptr;
    bool borrowed_ = false; ///< The seat is given back at the end of the region.
    bool counted_ = false;  ///< The region counts as a task of its own.
    bool nested_ = false;   ///< The home may be in use by a region of another team.
    member* home_ = nullptr; ///< The seat that the thread keeps between regions.
    std::uint64_t home_id_ = 0;
};

using fork_frame = basic_fork_frame<std_atomics>;
using fork_site = basic_fork_site<std_atomics>;
using fork_team = basic_fork_team<std_atomics>;
using fork_member = basic_fork_member<std_atomics>;
using fork_stack = basic_fork_stack<std_atomics>;

} // namespace regatta::detail
