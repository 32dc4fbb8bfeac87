// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of the waits of workers for tasks: I1, I2 and I3 of `basic_future_state` (`claim_next`,
/// `begin_hand_over`), I1 of `basic_wait_graph`. A worker that sleeps forever is a deadlock to
/// the checker. The orders are those of `completion`, whose own model mutates them; here a part is
/// left out.

#include "model_check.hpp"

#include <regatta/core/detail/future_state.hpp>

#include <system_error>

using regatta::detail::wait_target;
using regatta::detail::worker_level;

struct checked_mutex {
    void lock() { own_.lock($); }
    void unlock() { own_.unlock($); }

private:
    rl::mutex own_;
};
/// A lock that excludes nobody.
struct no_mutex {
    void lock() {}
    void unlock() {}
};

/// What the tasks of one program live in.
template<class Mutex>
struct world {
    using atomics = model::model_atomics;

    /// A worker, or another thread if it has no pool.
    struct context {
        const void* pool = nullptr;
        regatta::detail::basic_wait_graph<Mutex, context>* graph = nullptr;
        worker_level base{};
        worker_level* level = &base;

        void overtake() {}
        static inline context* all = nullptr; ///< By thread.
        static context* current() {
            context& mine = all[rl::thread_index()];
            return mine.pool != nullptr ? &mine : nullptr;
        }
    };
    struct links_type {
        regatta::basic_adaptive_mutex<atomics> lock;
        regatta::detail::chain_waiter<world>* waiting = nullptr;
    };
    struct store {
        const void* own;
        links_type own_links{};

        const void* pool() const { return own; }
        links_type& links() { return own_links; }
        bool elsewhere() const { return false; }
        context* find_worker() { return nullptr; }
    };
    struct stop_token {
        bool stop_requested() const { return false; }
    };
};

template<class Mutex>
using state = regatta::detail::basic_future_state<world<Mutex>>;

/// A task of that pool, or a continuation that its pool is to run.
template<class Mutex>
struct task : state<Mutex> {
    using base = state<Mutex>;
    using outcome = typename base::outcome;

    task(typename world<Mutex>::store& s, const void* pool, task* source = nullptr,
         bool wakes = true, bool moves = true)
        : base(s, {}, source != nullptr)
        , store(s)
        , pool_address(pool)
        , before(source)
        , tells(wakes)
        , moves_waiters(moves) {
        runs($) = 0;
        disposals($) = 0;
    }

    outcome run() noexcept override {
        if (task* const source = unlink()) {
            RL_ASSERT(source->runs($) == 1);
            source->leave_as_future();
        }
        runs($) = runs($) + 1;
        if (wanted != nullptr) {
            try {
                wanted->wait();
            } catch (const std::system_error&) {
                refused = true;
            }
        }
        return outcome::done;
    }
    void drop_closure() noexcept override {}
    void dispose() noexcept override {
        {
            const std::lock_guard lock(store.links().lock);
            for (const auto* w = store.links().waiting; w != nullptr; w = w->next) {
                RL_ASSERT(w->first != this); // I3
            }
        }
        disposals($) = disposals($) + 1;
    }
    const void* pool() const noexcept override { return pool_address; }
    const base* source() const noexcept override { return before; }
    bool hand_over(base*& after) noexcept override {
        after = nullptr;
        if (tells) {
            this->begin_hand_over([] { return false; });
        }
        queued.store(true, std::memory_order_release);
        return true;
    }
    task* unlink() {
        const std::lock_guard lock(store.links().lock);
        if (before != nullptr && moves_waiters) {
            this->move_waiters_from(*before);
        }
        return std::exchange(before, nullptr);
    }

    typename world<Mutex>::store& store;
    const void* const pool_address;
    task* before;
    const bool tells;
    const bool moves_waiters;
    /// Whether its job is in the queue, where only `long_chain` takes one.
    model::model_atomics::atomic<bool> queued{false};
    task* wanted = nullptr; ///< Its closure waits for that.
    bool refused = false;
    rl::var<int> runs;
    rl::var<int> disposals;
};

/// A worker waits for a continuation of its pool, which nobody else runs, while another thread runs
/// the task before it. The worker may run that, too, if it is of its own pool.
template<bool OfOwnPool, bool Wakes = true>
struct chain : rl::test_suite<chain<OfOwnPool, Wakes>, 2> {
    using world_type = world<checked_mutex>;
    const int pool = 0;
    const int other_pool = 0;
    regatta::detail::basic_wait_graph<checked_mutex, world_type::context> graph;
    world_type::context contexts[2];
    world_type::store store{&pool};
    task<checked_mutex> first{store, OfOwnPool ? &pool : &other_pool};
    task<checked_mutex> next{store, &pool, &first, Wakes};

    void before() {
        world_type::context::all = contexts;
        contexts[0].pool = &pool;
        contexts[0].graph = &graph;
        first.continue_with(next);
    }
    void thread(unsigned index) {
        if (index == 1) {
            first.run_as_job();
            return;
        }
        RL_ASSERT(next.wait()); // I1
        RL_ASSERT(next.runs($) == 1);
        next.leave_as_future();
    }
    void after() {
        RL_ASSERT(first.runs($) == 1 && first.disposals($) == 1);
        next.run_as_job(); // What is left of it in the queue.
        RL_ASSERT(next.runs($) == 1 && next.disposals($) == 1);
    }
};

/// A worker waits for the last of three tasks, while another thread runs what it finds of the first
/// two.
template<bool Moves = true>
struct long_chain : rl::test_suite<long_chain<Moves>, 2> {
    using world_type = world<checked_mutex>;
    const int pool = 0;
    regatta::detail::basic_wait_graph<checked_mutex, world_type::context> graph;
    world_type::context contexts[2];
    world_type::store store{&pool};
    task<checked_mutex> first{store, &pool};
    task<checked_mutex> next{store, &pool, &first, true, Moves};
    task<checked_mutex> last{store, &pool, &next, true, Moves};

    void before() {
        world_type::context::all = contexts;
        contexts[0].pool = &pool;
        contexts[0].graph = &graph;
        first.continue_with(next);
        next.continue_with(last);
    }
    void thread(unsigned index) {
        if (index == 0) {
            RL_ASSERT(last.wait()); // I1
            RL_ASSERT(last.runs($) == 1);
            last.leave_as_future();
            return;
        }
        first.run_as_job();
        if (next.queued.load(std::memory_order_acquire)) {
            next.run_as_job();
            next_left = true;
        }
    }
    void after() {
        if (!next_left) { // What is left in the queue.
            next.run_as_job();
        }
        last.run_as_job();
        for (auto* const t : {&first, &next, &last}) {
            RL_ASSERT(t->runs($) == 1 && t->disposals($) == 1);
        }
    }

    bool next_left = false;
};

/// Two workers run two tasks. Each waits for the other; or only the first does, `InCircle` false.
template<bool InCircle, class Mutex = checked_mutex>
struct waits : rl::test_suite<waits<InCircle, Mutex>, 2> {
    using world_type = world<Mutex>;
    const int pool = 0;
    regatta::detail::basic_wait_graph<Mutex, typename world_type::context> graph;
    typename world_type::context contexts[2];
    typename world_type::store store{&pool};
    task<Mutex> one{store, &pool};
    task<Mutex> other{store, &pool};

    void before() {
        world_type::context::all = contexts;
        for (auto& c : contexts) {
            c.pool = &pool;
            c.graph = &graph;
        }
        one.wanted = &other;
        other.wanted = InCircle ? &one : nullptr;
    }
    void thread(unsigned index) { (index == 0 ? one : other).run_as_job(); }
    void after() {
        RL_ASSERT(one.runs($) == 1 && other.runs($) == 1);
        RL_ASSERT((one.refused || other.refused) == InCircle); // I2
        RL_ASSERT(!(one.refused && other.refused));
    }
};

int main() {
    return model::check(
        {model::make_scenario<chain<true>>("a continuation of a task of the same pool"),
         model::make_scenario<chain<false>>("a continuation of a task of another pool"),
         model::make_scenario<long_chain<>>("a chain of three"),
         model::make_scenario<waits<true>>("two tasks wait for each other"),
         model::make_scenario<waits<false>>("one task waits for another")},
        {"future_state.hpp", "wait_graph.hpp"}, {},
        {model::make_scenario<chain<true, false>>("a hand-over that wakes nobody"),
         model::make_scenario<long_chain<false>>("a waiter that stays where it was"),
         model::make_scenario<waits<true, no_mutex>>("a graph whose lock excludes nobody")});
}
