// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Threads that fork on one team, for the model of forks: what a pool does for them.

#include "model_check.hpp"

#include <regatta/core/detail/fork_region.hpp>
#include <regatta/sync/event_count.hpp>

#include <cstdint>
#include <optional>

/// The policy of the model of forks. Its clock runs fast: every wait soon goes to sleep.
template<class Fence>
struct fork_atomics : model::model_atomics {
    template<class T>
    using atomic = model::mortal_atomic<T>;
    using fence = Fence;

    using word = model::model_atomics::atomic<std::uint32_t>;
    using time_point = std::chrono::steady_clock::time_point;

    /// Of an event count.
    static bool wait(word& w, std::uint32_t expected, const time_point* deadline,
                     std::uint32_t bits) {
        return model::model_atomics::wait(w, expected, deadline, bits);
    }
    /// Of a frame. No time ends the sleep: it may make up for work that comes late, not for a
    /// wake-up that was lost.
    static bool wait(word& w, std::uint32_t expected, const time_point*) {
        return model::model_atomics::wait(w, expected, nullptr);
    }
    static std::int64_t now_ns() { return 1'000'000 * ++ticks(); }
    static std::int64_t& ticks() {
        static std::int64_t n = 0;
        return n;
    }
};
/// Where the kernel does the work of the light fence, and where it does not. With it fewer fences
/// stand between the operations, but only without it the light one has an effect.
template<unsigned Threads = 2>
using with_kernel = fork_atomics<model::kernel_fence<Threads>>;
using without_kernel = fork_atomics<model::fence>;

constexpr auto relaxed = std::memory_order_relaxed;

template<class Atomics>
struct basic_crew;

/// Work that adds its input to its result. The owner may use both before `begin` and after `end`.
template<class Atomics>
struct basic_work_frame : regatta::detail::basic_fork_frame<Atomics> {
    using frame = regatta::detail::basic_fork_frame<Atomics>;

    basic_work_frame() : frame(site) {
        input($) = 0;
        result($) = 0;
    }
    virtual void work() { result($) = result($) + input($); }
    static void run(frame& f) noexcept { static_cast<basic_work_frame&>(f).work(); }

    void begin(int what) {
        input($) = what;
        result($) = 0;
    }
    void end(int expected) {
        RL_ASSERT(result($) == expected);
        input($) = 0;
        result($) = 0;
        if (this->older == nullptr) { // It was published.
            this->shared.destroy();
        }
    }

    static constexpr regatta::detail::basic_fork_site<Atomics> site{
        &run, nullptr, &basic_crew<Atomics>::team_of_all};
    rl::var<int> input;
    rl::var<int> result;
};

/// What a thread waits for without helping.
template<class Atomics>
class basic_latch {
public:
    void open() {
        word_.store(1, std::memory_order_release);
        Atomics::wake(word_, 1000);
    }
    void await() {
        while (word_.load(std::memory_order_acquire) == 0) {
            Atomics::wait(word_, 0, nullptr);
        }
    }

private:
    model::atomic<std::uint32_t> word_{0};
};

/// The threads, their team and the pool around it.
template<class Atomics>
struct basic_crew {
    using stack_type = regatta::detail::basic_fork_stack<Atomics>;
    using team_type = regatta::detail::basic_fork_team<Atomics>;
    using frame_type = regatta::detail::basic_fork_frame<Atomics>;
    using work_frame = basic_work_frame<Atomics>;

    /// Where workers sleep.
    regatta::basic_event_count<Atomics> bell;
    /// Whether the pool is there.
    rl::var<int> pool;
    std::optional<team_type> team;
    stack_type stacks[3];
    model::atomic<unsigned> over{0};
    /// A worker that was woken and still counts as asleep, or none.
    model::atomic<unsigned> rising{~0u};

    /// @param helpers how many workers may help a thread from outside.
    explicit basic_crew(int helpers = 1) {
        pool($) = 1;
        team.emplace(typename team_type::pool_calls{
            this, [](void* c) noexcept { static_cast<basic_crew*>(c)->bell.notify_one(); },
            [](void*, unsigned) noexcept { return true; },
            [](void* c, unsigned worker) noexcept {
                auto& crew = *static_cast<basic_crew*>(c);
                return crew.rising.load(relaxed) == worker || crew.bell.notify_one();
            },
            [](void* c) noexcept {
                RL_ASSERT(static_cast<basic_crew*>(c)->pool($) == 1);
                static_cast<basic_crew*>(c)->bell.notify_all();
            },
            [](void*) noexcept { return false; }});
        team->add_width(helpers + 1);
        current() = this;
        Atomics::ticks() = 0;
        Atomics::kept_off_cpu::due() = 0;
    }
    /// After all threads: they end.
    void end() {
        for (stack_type& stack : stacks) {
            stack.leave_home();
        }
    }
    static team_type& team_of_all() { return *current()->team; }

    /// Pushes a frame in a region, and publishes the oldest one.
    void fork(unsigned thread, frame_type& f) {
        stacks[thread].push(f);
        stacks[thread].share();
    }
    /// Ends a fork as a join does, whose first half has ended.
    void join(unsigned thread, frame_type& f) {
        if (stacks[thread].pop(f)) {
            f.kind->run(f);
        }
    }

    /// One look of a worker.
    bool help(unsigned thread) {
        frame_type* const f = team->take(Atomics::now_ns());
        if (f == nullptr) {
            return false;
        }
        const typename stack_type::helping here(stacks[thread], *team, f->shared.get().region);
        stacks[thread].work_off(*f);
        return true;
    }
    /// Looks until it has helped once, or until all is over.
    void help_once(unsigned thread) {
        while (over.load(relaxed) == 0 && !help(thread)) {
            Atomics::yield();
        }
    }

private:
    static basic_crew*& current() {
        static basic_crew* c = nullptr;
        return c;
    }
};
