// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Any number of calls that may run at the same time, and a wait for all of them.

#include <regatta/base/config.hpp>
#include <regatta/fork/detail/fork_loop.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/sync/backoff.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace regatta {

/// A scope in which any number of calls run, on this thread and on idle workers. It ends when all
/// of them have ended. For a number of calls that is not known before; `join`, `invoke` and
/// `parallel_for` cost less.
///
/// ```cpp
/// regatta::task_scope scope;
/// for (const node* n = list; n != nullptr; n = n->next) {
///     scope.spawn([n] { visit(*n); });
/// }
/// scope.wait();
/// ```
///
/// Threads: `spawn` by the thread that made the scope and by its children; all else by the thread
/// that made it. The scope lies on that thread's stack; those of a thread are destroyed in the
/// reverse order.
/// Blocks: `wait` and the destructor, until all children have ended. They run children meanwhile.
/// Failure: `wait` throws the first exception of a child. Children that have not begun by then are
/// destroyed unrun. The destructor waits, and drops an exception that no `wait` has thrown.
/// Cost: a child costs one call of the heap and two read-modify-writes.
class task_scope {
public:
    /// A scope on the pool of this task, or on `shared_pool()`.
    /// @param stop when it is stopped, children that have not begun are destroyed unrun.
    explicit task_scope(std::stop_token stop = {})
        : task_scope(detail::fork_loop_home(), std::move(stop)) {}
    /// A scope on the workers of `pool`. Throws `task_rejected` if the pool is closed.
    template<detail::forks_on Pool>
    explicit task_scope(Pool& pool, std::stop_token stop = {})
        : task_scope(detail::fork_access::team(pool), std::move(stop)) {}
    task_scope(const task_scope&) = delete;
    task_scope& operator=(const task_scope&) = delete;
    ~task_scope() {
        finish();
        stop_.leave();
        leave();
    }

    /// Calls `f()` on any thread of the pool, by the end of `wait`.
    /// Failure: `std::bad_alloc`, and what the move of `f` throws.
    template<class F>
    requires std::is_invocable_v<std::decay_t<F>>
    void spawn(F&& f) { add(new call<std::decay_t<F>>(std::forward<F>(f))); }

    /// Waits until all children have ended, those included that children spawn. After an exception
    /// the scope runs no further children. Later loops and scopes of the maker are no part of it.
    void wait() {
        finish();
        left_ = true;
        stop_.leave(); // Else the maker's next loops could be left out, too.
        leave();
        stop_.rethrow();
    }
    /// Whether children that have not begun are left out: one threw, or the stop token was stopped.
    bool over() const noexcept { return stop_.over(); }

private:
    friend class task_graph;

    struct child {
        child* next = nullptr;
        virtual ~child() = default;
        virtual void run() = 0;
        /// It has run, or is left out: the last call.
        virtual void end() noexcept { delete this; }
    };
    template<class F>
    struct call final : child {
        template<class G>
        explicit call(G&& g) : f(std::forward<G>(g)) {}
        void run() override { static_cast<void>(std::move(f)()); }
        F f;
    };
    /// Lets another thread run children until there are none.
    struct drainer : detail::fork_frame {
        explicit drainer(task_scope& s) noexcept : detail::fork_frame(site), scope(s) {}
        static void run(detail::fork_frame& f) noexcept { static_cast<drainer&>(f).scope.assist(); }
        static constexpr detail::fork_site site{&run, nullptr, &detail::shared_pool_owner::team};
        task_scope& scope;
        drainer* next = nullptr;
    };
    /// Stands for the scope among the pending forks of a thread that spawns or runs children: asks
    /// another thread in while children wait.
    struct entrance : detail::fork_frame {
        explicit entrance(task_scope& s) noexcept : detail::fork_frame(site), scope(s) {
            detail::fork_stack::current().push_splittable(*this);
        }
        entrance(const entrance&) = delete;
        entrance& operator=(const entrance&) = delete;
        ~entrance() { detail::fork_stack::current().pop_splittable(*this); }
        static detail::fork_frame* split(detail::fork_frame& f, bool,
                                         const detail::fork_stop*& stop) noexcept {
            auto& self = static_cast<entrance&>(f);
            // Also of newer forks: those of the maker are no part of a scope that it has left.
            const bool left = &self == &self.scope.entrance_ && self.scope.left_;
            stop = left ? detail::fork_stop::not_left(self.scope.stop_.outer()) : &self.scope.stop_;
            if (!self.scope.invite()) {
                return nullptr;
            }
            auto* const d = new (std::nothrow) drainer(self.scope);
            if (d == nullptr) {
                self.scope.answer_invitation();
                return nullptr;
            }
            d->next = std::exchange(self.asked_in, d);
            return d;
        }
        static void run(detail::fork_frame&) noexcept {}
        static constexpr detail::fork_site site{&run, &split, &detail::shared_pool_owner::team};
        task_scope& scope;
        drainer* asked_in = nullptr;
    };
    /// In `open_`: the thread that waits sleeps.
    static constexpr std::uint32_t asleep = 1u << 31;

    task_scope(detail::fork_team& team, std::stop_token stop)
        : team_(team)
        , region_(detail::fork_stack::current(), team)
        , stop_(detail::fork_stack::current().scope(), std::move(stop)) {
        detail::fork_stack::current().enter_scope(stop_);
    }
    /// Takes the maker out of what it has left.
    static void leave() noexcept {
        detail::fork_stack& stack = detail::fork_stack::current();
        stack.leave_scope(stack.scope());
    }

    void add(child* c) noexcept {
        stop_.reenter(); // Children, which find it around them, see that.
        // relaxed: the lock publishes the child; the caller's own child or scope keeps it open.
        open_.fetch_add(1, std::memory_order_relaxed);
        {
            const std::lock_guard lock(lock_);
            c->next = first_;
            first_ = c;
            ++waiting_;
        }
        offer_help();
    }
    /// Asks another thread in, if one is idle.
    void offer_help() noexcept {
        detail::fork_stack& stack = detail::fork_stack::current();
        // A thread that forks on another pool has the workers of that one to help.
        if (stack.team_of_region() == &team_ && stack.asked()) [[unlikely]] {
            stack.share_early(detail::fork_forecast::worth_waking_ns);
        }
    }
    /// Whether to ask one more thread in: more children wait than threads that were asked.
    bool invite() noexcept {
        const std::lock_guard lock(lock_);
        return waiting_ > invited_ && (++invited_, true);
    }
    /// A thread that was asked in has come, or will not come.
    void answer_invitation() noexcept {
        const std::lock_guard lock(lock_);
        --invited_;
    }
    /// What a thread does that was asked in.
    REGATTA_APART void assist() noexcept {
        answer_invitation();
        while (drain_and_withdraw()) {
        }
    }
    /// Runs children until none waits. @returns whether it has taken back an invitation: a thread
    /// that has spawned a child meanwhile may have relied on it.
    bool drain_and_withdraw() noexcept {
        drainer* mine;
        {
            entrance here(*this);
            drain();
            mine = here.asked_in;
        }
        // Who has not come is not needed, and must not stay in a place of this thread.
        bool some = false;
        while (mine != nullptr) {
            drainer* const d = std::exchange(mine, mine->next);
            if (withdrawn(d)) {
                some = true;
            } else {
                const std::lock_guard lock(lock_);
                d->next = std::exchange(assisting_, d);
            }
        }
        return some;
    }
    /// @returns whether nobody has come, or will come; the drainer is no more.
    bool withdrawn(drainer* d) noexcept {
        if (!d->shared.get().owner->reclaim(*d)) {
            return false;
        }
        answer_invitation();
        delete d;
        return true;
    }
    /// Runs children until none waits.
    REGATTA_APART void drain() noexcept {
        for (;;) {
            child* c = nullptr;
            bool more = false;
            {
                const std::lock_guard lock(lock_);
                c = first_;
                if (c == nullptr) {
                    return;
                }
                first_ = c->next;
                more = --waiting_ != 0;
            }
            if (more) {
                offer_help();
            }
            if (!stop_.over()) {
                // Another scope may be around: the maker's newest, or that of a fork before.
                detail::fork_stack& stack = detail::fork_stack::current();
                const detail::fork_stop* const around = stack.enter_scope(stop_);
                const detail::fresh_coroutine_depth depth;
                REGATTA_TRY {
                    c->run();
                }
                REGATTA_CATCH_ALL {
                    stop_.fail();
                }
                stack.leave_scope(around);
            }
            c->end();
            // acq_rel: partner is the acquire in finish(); publishes what the child did. From here
            // on only a drainer that is waited for, or the waiting thread, uses the scope.
            if (open_.fetch_sub(1, std::memory_order_acq_rel) == (asleep | 1)) {
                std_atomics::wake(open_, 1);
            }
        }
    }
    /// Waits for all children, then for the threads that were asked in.
    REGATTA_APART void finish() noexcept {
        detail::fork_stack& stack = detail::fork_stack::current();
        backoff pace;
        detail::fork_stack::nap rest;
        for (;;) {
            drain();
            // acquire: partner is the acq_rel in drain().
            std::uint32_t open = open_.load(std::memory_order_acquire);
            if ((open & ~asleep) == 0) {
                break;
            }
            if (stack.help()) {
                pace.reset();
                rest = {};
            } else if (!pace.pause()) {
                stack.share_all();
                open = open_.fetch_or(asleep, std::memory_order_acquire) | asleep;
                if (open != asleep) {
                    rest.sleep(open_, open);
                }
            }
        }
        open_.store(0, std::memory_order_relaxed);
        while (drainer* const d = entrance_.asked_in) {
            entrance_.asked_in = d->next;
            if (!withdrawn(d)) {
                await(d);
            }
        }
        while (drainer* const d = next_assisting()) {
            await(d);
        }
    }
    static void await(drainer* d) noexcept {
        detail::fork_stack::current().await(*d);
        delete d;
    }
    drainer* next_assisting() noexcept {
        const std::lock_guard lock(lock_);
        return assisting_ == nullptr ? nullptr : std::exchange(assisting_, assisting_->next);
    }

    detail::fork_team& team_;
    const detail::fork_stack::region region_;
    detail::fork_stop stop_;
    /// The maker has waited, and so is outside for good, whatever it spawns later. Its own.
    bool left_ = false;
    /// Children that have not ended. Written by all threads of the scope, read by the one that
    /// waits.
    std::atomic<std::uint32_t> open_{0};
    adaptive_mutex lock_;          ///< Guards the four below.
    child* first_ = nullptr;       ///< Children that have not begun, the newest first.
    unsigned waiting_ = 0;         ///< Their number.
    unsigned invited_ = 0;         ///< The threads that were asked in and have not come.
    drainer* assisting_ = nullptr; ///< Those that a thread asked in which runs children no more.
    entrance entrance_{*this};     ///< Of the thread that made the scope.
};

} // namespace regatta
