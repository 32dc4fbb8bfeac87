// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The pending forks of one thread.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_team.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/task_errors.hpp>

#include <cstdint>
#include <utility>

namespace regatta::detail {

/// The request word of a thread that has no region open. Null where atomics are not constants, in
/// the models.
template<class Atomics>
struct fork_request {
    using word = typename Atomics::template atomic<std::uint32_t>;
    static constexpr word* none() noexcept { return nullptr; }
    static bool made(const word* w) noexcept {
        return w == nullptr || w->load(std::memory_order_relaxed) != 0;
    }
};
template<>
struct fork_request<std_atomics> {
    using word = std::atomic<std::uint32_t>;
    static constexpr word* none() noexcept { return &always; }
    static bool made(const word* w) noexcept {
        return w->load(std::memory_order_relaxed) != 0; // relaxed: a hint.
    }

private:
    /// Never 0. Written by nobody.
    static inline constinit word always{1};
};

template<class Atomics>
class basic_fork_region;
template<class Atomics>
class basic_fork_aside;
template<class Atomics>
class basic_fork_helping;

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
    friend basic_fork_region<Atomics>;
    friend basic_fork_aside<Atomics>;
    friend basic_fork_helping<Atomics>;

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
        frame* at;
        f.older = newest_;
        REGATTA_ADDRESS(at, f);
        newest_ = at;
        if (asked()) [[unlikely]] {
            share_newest();
        }
    }
    /// The frame is the newest. @returns whether the caller does its work, now and here.
    REGATTA_INLINE bool pop(frame& f) {
        if (f.older != nullptr) [[likely]] {
            newest_ = f.older;
            return true;
        }
        frame* at;
        REGATTA_ADDRESS(at, f);
        return settle(*at);
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

    /// A frame was pushed, and another thread wants work or the frame is the first of its region.
    REGATTA_RARE void share_newest() {
        frame& f = *newest_;
        if (seat_ == nullptr) {
            newest_ = nullptr;
            open(team_for(*f.kind));
            begins();
            outermost_ = &f;
            f.older = nullptr;
            seat_->publish(f, seat_->free_place(), region_,
                           root_scope_); // All its places are free.
        } else if (!begins() || !publish_oldest()) {
            share();
            return;
        }
        const std::int64_t now = Atomics::now_ns();
        seat_->answer(now);
        team_->call_watch();
        const fork_forecast* const forecast = f.kind->forecast;
        if (forecast == nullptr || f.older != nullptr) {
            return;
        }
        const float expected = forecast->expected_ns(1);
        if (expected >= fork_forecast::worth_waking_ns) {
            team_->call_sleeper();
        }
        // The clock costs more than a short region: a look now and then.
        if (expected >= fork_forecast::worth_sharing_ns || regions_ % 16 == 0) {
            f.shared.get().begun = now;
        }
    }
    /// Whether the region was opened without a fork, and has had none. From now on it has had one.
    bool begins() noexcept {
        if (beat_ != request::none()) {
            return false;
        }
        beat_ = &seat_->beat();
        return true;
    }
    /// Publishes the oldest work that there is, for each worker that looks for some.
    REGATTA_RARE void share() noexcept {
        if (seat_ != nullptr) {
            static_cast<void>(begins());
            const bool some = publish_oldest();
            for (unsigned more = team_->watching(); more > 1 && publish_oldest(); --more) {
            }
            seat_->answer(Atomics::now_ns());
            if (some) {
                team_->call_watch();
            }
        }
    }
    /// `share()` at the begin of a region. Also wakes a worker if the region is expected to be
    /// long.
    REGATTA_APART void share_early(float expected_ns) noexcept {
        share();
        if (expected_ns >= fork_forecast::worth_waking_ns) {
            team_->call_sleeper();
        }
    }
    /// Publishes a frame that is not pending on this stack, if somebody wants work. Such a frame is
    /// taken back through `shared`. @returns whether there was a place.
    REGATTA_RARE bool offer(frame& f, const fork_stop* scope) noexcept {
        const unsigned place = seat_->free_place();
        if (place == member::places) {
            return false;
        }
        static_cast<void>(begins());
        seat_->publish(f, place, region_, scope);
        seat_->answer(Atomics::now_ns());
        team_->call_watch();
        team_->call_sleeper();
        return true;
    }
    bool asked() const noexcept { return request::made(beat_); }
    /// Helps in a wait that no single frame ends. @returns whether there was something to do.
    REGATTA_RARE bool help() noexcept {
        const std::int64_t now = Atomics::now_ns();
        frame* f = seat_->take(nullptr);
        if (f == nullptr) {
            f = team_->take_of(region_, now);
        }
        if (f == nullptr) {
            return false;
        }
        work_off(*f);
        return true;
    }
    /// Publishes all frames that there are places for: this thread is about to block.
    REGATTA_RARE void share_all() noexcept {
        if (seat_ != nullptr) {
            while (publish_oldest()) {
            }
            // Also for older ones: perhaps no more workers were to help before.
            if (seat_->offers()) {
                team_->call_watch();
                team_->call_sleeper();
            }
        }
    }

    /// The end of a frame that was published or begins a region. @returns whether the caller does
    /// its work. If not, the frame has the result.
    REGATTA_RARE bool settle(frame& f) {
        const bool mine = seat_->reclaim(f);
        const bool first = &f == outermost_;
        const std::int64_t begun = f.shared.get().begun;
        if (mine && !first && begun == 0) {
            return true;
        }
        if (mine) {
            f.kind->run(f);
        } else {
            await(f);
        }
        if (begun != 0) {
            f.kind->forecast->learn(Atomics::now_ns() - begun, 1);
        }
        if (first) {
            close();
        }
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
                // relaxed: if work_off() came first, it fails, and the load above decides.
                if (state.compare_exchange_strong(seen, shared::awaited, std::memory_order_relaxed,
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
        const fork_stop* const outer = std::exchange(scope_, s.scope);
        const fork_stop* const outer_root = std::exchange(root_scope_, s.scope);
        // Usually the same: see take() of the member.
        const void* const outer_region = std::exchange(region_, s.region);
        f.kind->run(f);
        region_ = outer_region;
        scope_ = outer;
        root_scope_ = outer_root;
        // release: partner is the acquire in await(); publishes the result. Of `awaited` only the
        // value counts. From here on only the address of the frame may be used.
        auto& state = s.state;
        if (state.exchange(shared::done, std::memory_order_release) == shared::awaited) {
            Atomics::wake(state, 1);
        }
    }

    // --- regions ---------------------------------------------------------------------------------

private:
    using request = fork_request<Atomics>;

    /// The state of a region under which another one runs on the same thread.
    struct saved {
        frame* newest = nullptr;
        const typename request::word* beat = request::none();
        member* seat = nullptr;
        team* of = nullptr;
        frame* outermost = nullptr;
        const void* region = nullptr;
        const fork_stop* root_scope = nullptr;
        const fork_stop* scope = nullptr;
        const saved* below = nullptr;
        bool borrowed = false;
        bool counted = false;
    };

public:
    using region = basic_fork_region<Atomics>;
    using aside = basic_fork_aside<Atomics>;
    using helping = basic_fork_helping<Atomics>;

    /// Gives the thread, a worker of that team, its place. @returns false if it may not help now,
    /// or if memory is short.
    bool prepare(team& t) noexcept {
        if (!may_help()) {
            return false;
        }
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
    /// Whether the thread works for no region, also for none that was set aside.
    bool may_help() const noexcept { return seat_ == nullptr && below_ == nullptr; }
    /// Gives back the place that the thread keeps between regions.
    void leave_home() noexcept {
        if (home_ != nullptr) {
            team::let_go(*std::exchange(home_, nullptr));
            home_id_ = 0;
        }
    }
    /// The team of the thread's region, or null.
    team* team_of_region() const noexcept { return team_; }
    member* seat() const noexcept { return seat_; }
    /// How many regions the thread has opened, wraps.
    unsigned regions() const noexcept { return regions_; }
    /// The member that opened the region that this thread works for, if the region is of that team.
    member* region_root(const team& t) const noexcept {
        return team_ == &t ? static_cast<member*>(const_cast<void*>(region_)) : nullptr;
    }
    /// Whether the thread works for a region of that team, also one that was set aside.
    bool works_for(const team& t) const noexcept {
        bool does = team_ == &t;
        for (const saved* s = below_; s != nullptr && !does; s = s->below) {
            does = s->of == &t;
        }
        return does;
    }
    /// Begins a loop or scope that may be stopped. @returns the one around it, for `leave_scope`.
    const fork_stop* enter_scope(const fork_stop& s) noexcept { return std::exchange(scope_, &s); }
    void leave_scope(const fork_stop* outer) noexcept { scope_ = outer; }
    const fork_stop* scope() const noexcept { return scope_; }

private:
    static constexpr unsigned looks = 16;
    static constexpr std::int64_t patience_ns = 30'000;

    /// The end of every list.
    static frame* root() noexcept { return reinterpret_cast<frame*>(&root_tag); }
    alignas(frame) static inline constinit char root_tag = 0;

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
        ++regions_;
        region_ = seat_;
        seat_->begin(region_);
        root_scope_ = scope_;
        newest_ = root();
        if (t.width() > 1 && t.nobody_watches()) {
            seat_->demand(); // Nobody is awake to ask.
        }
    }
    REGATTA_RARE void close() noexcept {
        if (counted_) {
            seat_->begin(nullptr);
            team_->end_region(*seat_);
        }
        leave_seat();
    }
    REGATTA_RARE void take_seat(team& t) {
        const worker_context* const worker = worker_context::current();
        // The home of a worker is its own pool. It may be in use by the region that was set aside.
        // A thread from outside has one if it can give it back when it ends.
        borrowed_ = below_ != nullptr ||
                    (worker == nullptr ? !REGATTA_THREAD_DESTRUCTORS : worker->forks != &t);
        if (borrowed_) {
            seat_ = &t.seat();
        } else {
            if (home_id_ != t.id()) {
                change_home(t);
            }
            seat_ = home_;
        }
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
        beat_ = request::none();
        seat_ = nullptr;
        team_ = nullptr;
        outermost_ = nullptr;
        region_ = nullptr;
        root_scope_ = nullptr;
        borrowed_ = false;
        counted_ = false;
    }
    void save(saved& to) noexcept {
        to = {newest_,     beat_,  seat_,  team_,     outermost_, region_,
              root_scope_, scope_, below_, borrowed_, counted_};
        clear();
        scope_ = nullptr;
        below_ = &to;
    }
    void restore(const saved& o) noexcept {
        newest_ = o.newest;
        seat_ = o.seat;
        beat_ = o.beat; // None if the region has had no fork yet.
        team_ = o.of;
        outermost_ = o.outermost;
        region_ = o.region;
        root_scope_ = o.root_scope;
        scope_ = o.scope;
        below_ = o.below;
        borrowed_ = o.borrowed;
        counted_ = o.counted;
    }
    void change_home(team& t) {
        member& fresh = t.seat();
        leave_home();
        home_ = &fresh;
        home_id_ = t.id();
        if constexpr (REGATTA_THREAD_DESTRUCTORS) {
            if (worker_context::current() == nullptr && this == &current()) {
                static thread_local home_holder holder;
                holder.stack = this;
            }
        }
    }
    /// Gives the home of a thread from outside back when the thread ends. A worker does so itself.
    struct home_holder {
        basic_fork_stack* stack = nullptr;
        ~home_holder() {
            if (stack != nullptr) {
                stack->leave_home();
            }
        }
    };

    /// Publishes the oldest work. @returns false without work to share, or without a free place.
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
                seat_->publish(*oldest, place, region_, root_scope_);
                return true;
            }
            if (frame* const part = oldest->kind->split(*oldest)) {
                seat_->publish(*part, place, region_, root_scope_);
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
    const typename request::word* beat_ = request::none(); ///< The request word of the member.
    member* seat_ = nullptr;                               ///< Null while no region is open.
    team* team_ = nullptr;
    frame* outermost_ = nullptr; ///< The frame that began the region, if one did.
    const void* region_ = nullptr;
    bool borrowed_ = false;                 ///< The seat is given back at the end of the region.
    bool counted_ = false;                  ///< The region counts as a task of its own.
    const fork_stop* root_scope_ = nullptr; ///< The scope around all that the thread does now.
    const fork_stop* scope_ = nullptr;      ///< The innermost scope.
    const saved* below_ = nullptr;          ///< The region that was set aside. It may use the home.
    member* home_ = nullptr;                ///< The seat that the thread keeps between regions.
    std::uint64_t home_id_ = 0;
    unsigned regions_ = 0;
};

using fork_frame = basic_fork_frame<std_atomics>;
using fork_site = basic_fork_site<std_atomics>;
using fork_team = basic_fork_team<std_atomics>;
using fork_member = basic_fork_member<std_atomics>;
using fork_stack = basic_fork_stack<std_atomics>;

} // namespace regatta::detail
