// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `completion`: I1 to I4. Each scenario is one task with what its sides do to it at once.

#include "model_check.hpp"

#include <regatta/core/detail/completion.hpp>

#include <chrono>

using completion_type = regatta::detail::basic_completion<unsigned, model::model_atomics>;
using outcome = completion_type::outcome;
using flag_type = model::atomic<unsigned>;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr unsigned first_continuation = 7;
constexpr int computed = 42;

/// A task as the pool has it: the word, and a block that is disposed of once.
struct block {
    completion_type status;
    bool others_run = true; ///< Who else claims runs the task, and does not cancel it.
    rl::var<int> head;      ///< What both sides read and the disposal destroys.
    rl::var<int> closure;   ///< Of whoever has claimed or cancelled.
    rl::var<int> result;
    rl::var<int> disposals;
    rl::var<int> continuations;

    void make() {
        head($) = 1;
        closure($) = 1;
        result($) = 0;
        disposals($) = 0;
        continuations($) = 0;
    }
    void touch() { RL_ASSERT(head($) == 1); }
    void dispose_if(bool last) {
        if (last) {
            touch();
            RL_ASSERT(closure($) == 0); // It has ended, and all that it did is visible.
            head($) = 0;
            closure($) = 2;
            result($) = 0;
            disposals($) = disposals($) + 1;
        }
    }
    void drop_closure() {
        RL_ASSERT(closure($) == 1); // I1
        closure($) = 0;
    }
    void run_claimed(bool leaves_task) {
        touch();
        drop_closure();
        result($) = computed;
        const auto ending = status.finish(outcome::done, leaves_task);
        dispose_if(ending.last);
        if (ending.attached) {
            RL_ASSERT(ending.next == first_continuation);
            run_continuation();
        }
    }
    /// The future's side belongs to the continuation.
    void run_continuation() {
        touch();
        RL_ASSERT(result($) == computed);
        continuations($) = continuations($) + 1;
        leave_future();
    }
    void run_as_job() {
        touch();
        if (status.claim()) {
            run_claimed(true);
        } else {
            RL_ASSERT(status.cancelled() == !others_run);
            dispose_if(status.leave_task());
        }
    }
    void leave_future() {
        touch();
        dispose_if(status.leave_future());
    }
    void get() {
        RL_ASSERT(status.wait());
        if (!status.cancelled()) {
            RL_ASSERT(result($) == computed);
        }
        leave_future();
    }
};

/// One side runs the task, the other waits for it.
struct run_and_get : rl::test_suite<run_and_get, 2> {
    block task;

    void before() { task.make(); }
    void thread(unsigned index) { index == 0 ? task.run_as_job() : task.get(); }
    void after() { RL_ASSERT(task.disposals($) == 1); }
};

/// The future is dropped meanwhile, after a wait that may be too short.
struct run_and_drop : rl::test_suite<run_and_drop, 2> {
    block task;

    void before() { task.make(); }
    void thread(unsigned index) {
        if (index == 0) {
            return task.run_as_job();
        }
        const std::chrono::steady_clock::time_point soon{};
        if (task.status.wait(&soon)) {
            RL_ASSERT(task.result($) == computed);
        }
        task.leave_future();
    }
    void after() { RL_ASSERT(task.disposals($) == 1); }
};

/// The future's side runs the task itself if it comes first.
struct two_claims : rl::test_suite<two_claims, 2> {
    block task;

    void before() { task.make(); }
    void thread(unsigned index) {
        if (index == 0) {
            return task.run_as_job();
        }
        if (task.status.claim()) {
            task.run_claimed(false);
        }
        task.get();
    }
    void after() { RL_ASSERT(task.disposals($) == 1); }
};

/// Somebody runs the task who owns no side, while both owners leave.
struct third_party : rl::test_suite<third_party, 3> {
    block task;

    void before() {
        task.make();
        RL_ASSERT(task.status.claim());
    }
    void thread(unsigned index) {
        if (index == 0) {
            task.run_as_job();
        } else if (index == 1) {
            task.leave_future();
        } else {
            task.run_claimed(false);
        }
    }
    void after() { RL_ASSERT(task.disposals($) == 1); }
};

/// The future's side cancels while another thread waits, who then sees what came before.
struct cancel_and_wait : rl::test_suite<cancel_and_wait, 3> {
    block task;
    flag_type waited{0};
    rl::var<int> note;

    void before() {
        task.make();
        task.others_run = false;
        note($) = 0;
    }
    void thread(unsigned index) {
        if (index == 0) {
            return task.run_as_job();
        }
        if (index == 2) {
            RL_ASSERT(task.status.wait());
            RL_ASSERT(task.status.cancelled() ? note($) == 1 && task.closure($) == 0
                                              : task.result($) == computed);
            waited.store(1, std::memory_order_release);
            return;
        }
        note($) = 1;
        if (task.status.claim_to_cancel()) {
            task.drop_closure();
            RL_ASSERT(!task.status.finish(outcome::cancelled, false).last);
        }
        while (waited.load(std::memory_order_acquire) == 0) {
            model::model_atomics::yield();
        }
        task.leave_future();
    }
    void after() { RL_ASSERT(task.disposals($) == 1); }
};

/// A continuation comes while the task ends: it runs once, on one of the two threads.
struct attach_while_it_ends : rl::test_suite<attach_while_it_ends, 2> {
    block task;

    void before() { task.make(); }
    void thread(unsigned index) {
        if (index == 0) {
            return task.run_as_job();
        }
        task.touch();
        if (!task.status.attach(first_continuation)) {
            task.run_continuation();
        }
    }
    void after() {
        RL_ASSERT(task.continuations($) == 1);
        RL_ASSERT(task.disposals($) == 1);
    }
};

/// What a waiter is to look at changes, and the task does not end before it has seen that. A second
/// waiter may announce its wait when the first has been woken: the word looks as before to a thread
/// that knows nothing of epochs.
template<unsigned Waiters>
struct other_news : rl::test_suite<other_news<Waiters>, 1 + Waiters> {
    block task;
    flag_type news{0};

    void before() { task.make(); }
    void thread(unsigned index) {
        if (index == 0) {
            news.store(1, relaxed);
            task.status.wake_waiters();
            return;
        }
        for (;;) {
            const auto ticket = task.status.prepare_wait();
            if (index == 1 && news.load(relaxed) != 0) {
                RL_ASSERT(task.status.claim());
                static_cast<void>(task.status.finish(outcome::done, false));
                return;
            }
            const bool ended = completion_type::is_complete(ticket);
            RL_ASSERT(!ended || index != 1);
            if (ended) {
                return;
            }
            task.status.commit_wait(ticket);
        }
    }
};

int main() {
    return model::check(
        {model::make_scenario<run_and_get>("the result is seen, the wait ends, one disposes"),
         model::make_scenario<run_and_drop>("dropped while it runs: one disposes"),
         model::make_scenario<two_claims>("claimed by one of two"),
         model::make_scenario<third_party>("run by neither owner: the last of three disposes"),
         model::make_scenario<cancel_and_wait>("cancelled or run, not both, and waited for"),
         model::make_scenario<attach_while_it_ends>("a continuation runs once"),
         model::make_scenario<other_news<1>>("woken to look at something else"),
         model::make_scenario<other_news<2>>("woken beside another waiter")},
        {"completion.hpp"});
}
