// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The pending forks of one thread.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/core/detail/coroutine_depth.hpp>
#include <regatta/core/detail/fork_home.hpp>
#include <regatta/core/detail/fork_work.hpp>
#include <regatta/core/task_errors.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace regatta::detail {

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
/// I2: `root_scope` is the innermost scope around all of that list. A frame in it lies in the loop
///     or scope that the next older splittable frame stands for, or else in `root_scope`.
template<class Atomics>
class REGATTA_POOLS_EXPORT basic_fork_stack {
    friend basic_fork_region<Atomics>;
    friend basic_fork_aside<Atomics>;
    friend basic_fork_helping<Atomics>;

public:
    using frame = basic_fork_frame<Atomics>;
    using member = basic_fork_member<Atomics>;
    using team = basic_fork_team<Atomics>;
    using shared = basic_shared_frame<Atomics>;
    using work = basic_fork_work<Atomics>;
    using ground = basic_task_ground<Atomics>;

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
        f.older = now_.newest;
        REGATTA_ADDRESS(at, f);
        now_.newest = at;
        if (asked()) [[unlikely]] {
            share_newest();
        }
    }
    /// The frame is the newest. @returns whether the caller does its work, now and here.
    REGATTA_INLINE bool pop(frame& f) {
        if (f.older != nullptr) [[likely]] {
            now_.newest = f.older;
            return true;
        }
        frame* at;
        REGATTA_ADDRESS(at, f);
        return settle(*at);
    }
    /// Shares a frame if another thread wants work.
    REGATTA_INLINE void poll() noexcept {
        if (work::request::made_by_another(now_.beat)) [[unlikely]] {
            share();
        }
    }
    /// The same after `push_splittable`, which does not look; also if nobody watches.
    REGATTA_INLINE void poll_newest() noexcept {
        if (asked()) [[unlikely]] {
            share();
        }
    }
    /// Whether a region is open.
    bool in_region() const noexcept { return now_.newest != nullptr; }

    /// Pushes a frame that is split, and not given away. The region must be open.
    REGATTA_INLINE void push_splittable(frame& f) noexcept {
        f.older = now_.newest;
        now_.newest = &f;
    }
    REGATTA_INLINE void pop_splittable(frame& f) noexcept { now_.newest = f.older; }

    // --- the slow ways ---------------------------------------------------------------------------

    /// A frame was pushed, and another thread wants work or the frame is the first of its region.
    REGATTA_RARE void share_newest() {
        frame& f = *now_.newest;
        if (now_.seat == nullptr) {
            now_.newest = nullptr;
            open(team_for(*f.kind));
            begins();
            now_.outermost = &f;
            f.older = nullptr;
            now_.seat->publish(f, now_.seat->free_place(), now_.region,
                               now_.root_scope); // All its places are free.
        } else if (!begins() || !publish_oldest()) {
            share();
            return;
        }
        const std::int64_t now = Atomics::now_ns();
        now_.seat->answer(now);
        now_.team->call_watch();
        const fork_forecast* const forecast = f.kind->forecast;
        if (forecast == nullptr || f.older != nullptr) {
            return;
        }
        const float expected = forecast->expected_ns(1);
        wake_for(expected, now);
        // The clock costs more than a short region: a look now and then.
        if (expected >= fork_forecast::worth_sharing_ns || regions_ % 16 == 0) {
            f.shared.get().begun = now;
        }
    }
    /// Whether the region was opened without a fork, and has had none. From now on it has had one.
    bool begins() noexcept {
        if (now_.beat != work::request::none()) {
            return false;
        }
        now_.beat = &now_.seat->beat();
        return true;
    }
    /// Publishes the oldest work that there is, for each worker that looks for some.
    REGATTA_RARE void share() noexcept {
        if (now_.seat != nullptr) {
            static_cast<void>(begins());
            const bool some = publish_oldest();
            if (!some && now_.team->nobody_watches()) {
                now_.seat->defer();
                return;
            }
            for (unsigned more = now_.team->watching(); more > 1 && publish_oldest(); --more) {
            }
            now_.seat->answer(Atomics::now_ns());
            if (some) {
                now_.team->call_watch();
            }
        }
    }
    /// `share()` of work that has not begun: also wakes a worker if it is expected to be long.
    REGATTA_APART void share_early(float expected_ns) noexcept {
        share();
        wake_for(expected_ns, Atomics::now_ns());
    }
    bool asked() const noexcept { return work::request::made(now_.beat); }
    /// The thread begins a part of another's work within which it soon answers requests. Where no
    /// third thread may help, nobody needs a piece of it yet. In a module that hides its names from
    /// the pool's the region is not known.
    void begin_fine_part() noexcept {
        if (now_.team != nullptr && !now_.team->has_others()) {
            now_.seat->forget_request();
        }
    }
    /// Helps in a wait that no single frame ends. @returns whether there was something to do.
    REGATTA_RARE bool help() noexcept {
        const std::int64_t now = Atomics::now_ns();
        frame* f = now_.seat->take(nullptr);
        if (f == nullptr) {
            f = now_.team->take_of(now_.region, now);
        }
        if (f == nullptr) {
            return false;
        }
        work_off(*f);
        return true;
    }
    /// Publishes all work that there are places for: this thread is about to block.
    REGATTA_RARE void share_all() noexcept {
        if (now_.seat != nullptr) {
            now_.publish(now_.seat->free_places(), true);
            // Also for older ones: perhaps no more workers were to help before.
            if (now_.seat->offers()) {
                now_.team->call_watch();
                now_.team->call_sleeper();
            }
        }
    }

    /// The end of a frame that was published or begins a region. @returns whether the caller does
    /// its work. If not, the frame has the result.
    REGATTA_RARE bool settle(frame& f) {
        const bool mine = now_.seat->reclaim(f);
        const bool first = &f == now_.outermost;
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
            now_.newest = f.older;
            return false;
        }
        const bool mine = now_.seat->reclaim(f);
        if (!mine) {
            await(f);
        }
        if (&f == now_.outermost) {
            close();
        }
        return !mine;
    }
    /// Waits until another thread has done the work of a published frame; helps meanwhile.
    REGATTA_RARE void await(frame& f) noexcept {
        auto& state = f.shared.get().state;
        std::int64_t since = Atomics::now_ns();
        nap rest;
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
                rest = {};
            } else if (now - since >= patience_ns || is_beside(f)) {
                std::uint32_t seen = shared::open;
                // relaxed: if work_off() came first, it fails, and the load above decides.
                if (state.compare_exchange_strong(seen, shared::awaited, std::memory_order_relaxed,
                                                  std::memory_order_relaxed) ||
                    seen == shared::awaited) {
                    rest.sleep(state, shared::awaited);
                }
            }
        }
    }

    /// Does the work of a frame that this thread has taken. A worker calls it, or a thread that
    /// waits; what is pending on its own stack is not given away meanwhile, for it may lie in
    /// another region or scope.
    REGATTA_RARE void work_off(frame& f) noexcept {
        shared& s = f.shared.get();
        now_.seat->note_cpu();
        // release: partner is the acquire in find_help(). The member outlives its frames.
        s.thief.store(now_.seat, std::memory_order_release);
        frame* const pending = std::exchange(now_.newest, work::root());
        const fork_stop* const outer = std::exchange(now_.scope, s.scope);
        const fork_stop* const outer_root = std::exchange(now_.root_scope, s.scope);
        // Usually the same: see take() of the member.
        const void* const outer_region = std::exchange(now_.region, s.region);
        {
            const fresh_coroutine_depth depth;
            f.kind->run(f);
        }
        now_.region = outer_region;
        leave_scope(outer);
        now_.root_scope = outer_root;
        now_.newest = pending;
        // release: partner is the acquire in await(); publishes the result. Of `awaited` only the
        // value counts. From here on only the address of the frame may be used.
        auto& state = s.state;
        if (state.exchange(shared::done, std::memory_order_release) == shared::awaited) {
            Atomics::wake(state, 1);
        }
    }

    /// How a thread sleeps that waits and has found nothing to help with. The work that it waits
    /// for may fork later, and wakes nobody for that: the thread looks again after a while.
    class nap {
    public:
        /// Sleeps until it is woken or the word changes, for 50 µs at most; the next time for twice
        /// as long, up to 800 µs.
        REGATTA_APART void sleep(typename Atomics::template atomic<std::uint32_t>& word,
                                 std::uint32_t expected) noexcept {
            const auto until = std::chrono::steady_clock::now() + length_;
            length_ = length_ < longest ? length_ * 2 : longest;
            Atomics::wait(word, expected, &until);
        }

    private:
        static constexpr std::chrono::microseconds longest{800};
        std::chrono::microseconds length_{50};
    };

    // --- regions ---------------------------------------------------------------------------------

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
        REGATTA_TRY {
            go_home(t);
            return true;
        }
        REGATTA_CATCH_ALL {
            return false;
        }
    }
    /// Whether the thread works for no region, also for none that was set aside.
    bool may_help() const noexcept { return now_.seat == nullptr && now_.below == nullptr; }
    /// Gives back the place that the thread keeps between regions.
    void leave_home() noexcept { home_.leave(); }
    /// The team of the thread's region, or null.
    team* team_of_region() const noexcept { return now_.team; }
    member* seat() const noexcept { return now_.seat; }
    /// How many regions the thread has opened, wraps.
    unsigned regions() const noexcept { return regions_; }
    /// The member that opened the outermost region on that team that this thread works for in its
    /// task, or null. It stands for the task, whichever of its threads asks.
    member* region_root(const team& t) const noexcept { return now_.root_in(t); }
    /// Calls `use(root)` with that member for each task on the thread's stack that has one.
    template<class Use>
    void each_region_root(const team& t, Use&& use) const {
        now_.each_root_in(t, use);
    }
    /// Whether the thread works for a region of that team, also one that was set aside.
    bool works_for(const team& t) const noexcept { return now_.is_for(t); }
    /// Begins a loop or scope that may be stopped. @returns the one around it, for `leave_scope`.
    const fork_stop* enter_scope(const fork_stop& s) noexcept {
        return std::exchange(now_.scope, &s);
    }
    void leave_scope(const fork_stop* outer) noexcept { now_.scope = fork_stop::not_left(outer); }
    const fork_stop* scope() const noexcept { return now_.scope; }

private:
    static constexpr unsigned looks = 16;
    static constexpr std::int64_t patience_ns = 30'000;

    static team& team_for(const basic_fork_site<Atomics>& s) {
        const worker_context* const worker = worker_context::current();
        if (worker != nullptr && worker->forks != nullptr) {
            return *static_cast<team*>(worker->forks);
        }
        return s.shared_team();
    }

    /// Opens a region.
    REGATTA_RARE void open(team& t) {
        member* const outermost = region_root(t);
        take_seat(t);
        now_.seat->root = outermost != nullptr ? outermost : now_.seat;
        now_.seat->below = now_.below;
        const worker_context* const worker = worker_context::current();
        const bool own = worker != nullptr && worker->forks == &t;
        now_.seat->ground = own ? *static_cast<const ground*>(worker->ground) : ground{};
        now_.counted = outermost == nullptr && !own;
        if (now_.counted) {
            t.begin_region(*now_.seat);
            if (t.refuses()) [[unlikely]] {
                const struct refusal {
                    ~refusal() {
                        to.end_region(*self.now_.seat);
                        self.leave_seat();
                    }
                    basic_fork_stack& self;
                    team& to;
                } end{*this, t}; // Also where there is no memory for the name.
                fail_rejected(t.pool_name(), task_rejected::reason::closed, 0);
            }
        }
        ++regions_;
        now_.region = now_.seat;
        now_.seat->begin(now_.region);
        now_.root_scope = now_.scope;
        now_.newest = work::root();
        if (t.width() > 1 && t.nobody_watches()) {
            now_.seat->demand(); // Nobody is awake to ask.
        }
    }
    REGATTA_RARE void close() noexcept {
        if (now_.counted) {
            now_.seat->begin(nullptr);
            now_.team->end_region(*now_.seat);
        }
        leave_seat();
    }
    REGATTA_RARE void take_seat(team& t) {
        const worker_context* const worker = worker_context::current();
        // The home of a worker is its own pool. It may be in use by the region that was set aside.
        // A thread from outside has one if it can give it back when it ends.
        now_.borrowed =
            now_.below != nullptr || (worker == nullptr ? !home_.lasts() : worker->forks != &t);
        if (now_.borrowed) {
            now_.seat = &t.seat();
        } else {
            go_home(t);
            now_.seat = home_.seat();
        }
        now_.team = &t;
    }
    void go_home(team& t) {
        if (!home_.is_in(t)) {
            home_.move_to(t, this == &current());
        }
    }
    REGATTA_RARE void leave_seat() noexcept {
        now_.seat->begin(nullptr);
        if (now_.borrowed) {
            team::let_go(*now_.seat);
        }
        clear();
    }
    void clear() noexcept { now_ = {.scope = now_.scope, .below = now_.below}; }
    void save(work& to, bool other_task) noexcept {
        to = now_;
        to.other_task = other_task;
        now_ = {.below = &to};
    }
    void restore(const work& o) noexcept {
        now_ = o;
        leave_scope(o.scope);
        now_.other_task = false;
    }

    /// A region has begun that is expected to take that long: wakes the worker that takes naps if
    /// it is worth that. It misses short regions, however many follow.
    void wake_for(float expected_ns, std::int64_t now) noexcept {
        if (expected_ns >= fork_forecast::worth_waking_ns ||
            (now_.team->one_naps() && missed_.add(expected_ns, now))) {
            now_.team->call_sleeper();
        }
    }
    /// Publishes the oldest work. @returns false without work to share, or without a free place.
    bool publish_oldest() noexcept {
        return now_.seat->free_place() != member::places && now_.publish(1, false);
    }
    /// A frame to work on in a wait for `f`: of this thread, of the one that took `f`, or of
    /// another one that works for the same region.
    frame* find_help(frame& f, std::int64_t now) noexcept {
        if (frame* const own = now_.seat->take(nullptr)) {
            return own;
        }
        // acquire: partner is the release in work_off().
        member* const thief = f.shared.get().thief.load(std::memory_order_acquire);
        if (thief != nullptr) {
            if (frame* const other = thief->take(now_.region)) {
                return other;
            }
        }
        return now_.team->take_of(now_.region, now);
    }

    /// Whether the thread that took a frame needs the CPU that this one runs on.
    static bool is_beside(frame& f) noexcept {
        // acquire: partner is the release in work_off().
        const member* const thief = f.shared.get().thief.load(std::memory_order_acquire);
        return thief != nullptr && thief->is_on(Atomics::this_cpu());
    }

    work now_;
    basic_fork_home<Atomics> home_;
    unsigned regions_ = 0;
    missed_work missed_;
};

using fork_frame = basic_fork_frame<std_atomics>;
using fork_site = basic_fork_site<std_atomics>;
using fork_team = basic_fork_team<std_atomics>;
using fork_member = basic_fork_member<std_atomics>;
using fork_stack = basic_fork_stack<std_atomics>;

} // namespace regatta::detail
