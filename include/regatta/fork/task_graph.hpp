// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Tasks that run after others, made once and run as often as one likes.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/fork/detail/dependency_count.hpp>
#include <regatta/fork/task_scope.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

/// A graph of tasks: each begins when those that it comes after have ended, and tasks between which
/// there is no order run at the same time. It is made once and runs again and again, as the frames
/// of a game, the cycles of a controller or the steps of a pipeline do.
///
/// ```cpp
/// regatta::task_graph frame;
/// const auto input = frame.add(read_input);
/// const auto bodies = frame.add(move_bodies, input); // after `input`
/// const auto poses = frame.add(animate, input);
/// frame.add(draw, bodies, poses);
/// while (running) {
///     frame.run(pool);
/// }
/// ```
///
/// A task comes after tasks that were added before it. So there is no circle, and nothing to check.
///
/// The tasks run as the children of a `task_scope`: on the calling thread and on idle workers. They
/// may use loops and other forks, and run other graphs. `pool.submit([&] { frame.run(pool); })`
/// runs a graph beside the caller, with a future.
///
/// Threads: one at a time. The graph must not be changed, run again, moved or destroyed while it
/// runs; its tasks may read `size()`.
/// Blocks: `run`, until the tasks have ended. It runs tasks meanwhile.
/// Order: the end of a task happens before the begin of those that come after it, and the end of
/// all before `run` returns.
/// Failure: `run` throws the first exception of a task; tasks that have not begun by then are left
/// out. The graph may run again.
/// Cost: of a task that is added, a call of the heap, and one more for closures above 48 bytes.
/// Of a run, no call of the heap for the tasks, only for threads that are asked in; a task costs a
/// short lock and two read-modify-writes, or none of them where it runs on the thread that ended
/// the last one before it; an edge costs one read-modify-write.
class task_graph {
    class node;

public:
    /// Names a task of a graph, as long as the graph exists. A default one names none.
    class task {
    public:
        task() = default;
        friend bool operator==(task, task) = default;

    private:
        friend class task_graph;
        task(const node* which, std::size_t index) noexcept : which_(which), index_(index) {}

        const node* which_ = nullptr; ///< Only compared: the graph may be gone.
        std::size_t index_ = 0;
    };

    task_graph() = default;
    task_graph(task_graph&&) noexcept = default;
    task_graph& operator=(task_graph&&) noexcept = default;
    ~task_graph() = default;

    /// Adds a call of `f()` that begins when the tasks `after` have ended. It is called once a run,
    /// and destroyed with the graph. What it returns is dropped.
    /// Failure: `std::invalid_argument` if one of `after` is no task of this graph;
    /// `std::logic_error` while the graph runs; `std::bad_alloc`. Then nothing was added.
    template<class F>
    requires std::is_invocable_v<std::add_lvalue_reference_t<std::decay_t<F>>>
        task add(F&& f, std::span<const task> after) {
        refuse_running("add");
        auto made = std::make_unique<node>(std::forward<F>(f));
        made->before_.reserve(after.size());
        for (const task earlier : after) {
            made->before_.push_back(&at(earlier, "add"));
        }
        nodes_.push_back(std::move(made));
        arranged_ = false;
        return {nodes_.back().get(), nodes_.size() - 1};
    }
    template<class F, std::same_as<task>... After>
    requires std::is_invocable_v<std::add_lvalue_reference_t<std::decay_t<F>>>
        task add(F&& f, After... after) {
        const std::array<task, sizeof...(After)> all{after...};
        return add(std::forward<F>(f), std::span<const task>(all));
    }

    /// Lets `later` begin only when `earlier` has ended, too.
    /// Failure: as of `add`; also `std::invalid_argument` if `earlier` was not added before
    /// `later`.
    void add_edge(task earlier, task later) {
        refuse_running("add_edge");
        node& first = at(earlier, "add_edge");
        node& second = at(later, "add_edge");
        if (earlier.index_ >= later.index_) {
            fail_argument("task_graph::add_edge: a task can only come after tasks that were added "
                          "before it");
        }
        second.before_.push_back(&first);
        arranged_ = false;
    }

    std::size_t size() const noexcept { return nodes_.size(); }
    bool empty() const noexcept { return nodes_.empty(); }

    /// Runs every task once, on this thread and the pool of this task, or on `shared_pool()`.
    /// @param stop when it is stopped, tasks that have not begun are left out.
    /// Failure: the first exception of a task; `task_cancelled` where stop has left tasks out;
    /// `std::logic_error` if the graph runs.
    void run(std::stop_token stop = {}) {
        if (!empty()) {
            task_scope scope(std::move(stop));
            run_in(scope);
        }
    }
    /// The same on the workers of `pool`.
    /// Failure: also `task_rejected` if the pool is closed.
    template<detail::forks_on Pool>
    void run(Pool& pool, std::stop_token stop = {}) {
        if (!empty()) {
            task_scope scope(pool, std::move(stop));
            run_in(scope);
        }
    }

private:
    /// A task. As a child of the scope of a run it is the first one of those that a thread runs.
    class node final : public task_scope::child {
    public:
        template<class Closure>
        explicit node(Closure&& closure) : work_(std::forward<Closure>(closure)) {}

        /// Makes it ready for a run in that scope.
        void prepare(task_scope& scope) noexcept {
            scope_ = &scope;
            ended_ = false;
            missing_.reset(detail::width_cast<std::uint32_t>(before_.size()));
        }
        bool comes_first() const noexcept { return before_.empty(); }
        /// Whether it has run. Read after the run.
        bool ended() const noexcept { return ended_; }

    private:
        friend class task_graph;

        /// Runs it, then one that comes after it and can begin now, and so on.
        void run() override {
            node* at = this;
            do {
                at->work_();
                at->ended_ = true;
                at = at->release();
            } while (at != nullptr && !scope_->over());
        }
        void end() noexcept override {} // The graph keeps it.
        /// Hands those that can begin now to the scope. @returns the first of them in its place.
        node* release() noexcept {
            node* mine = nullptr;
            for (node* const later : after_) {
                if (!later->missing_.arrive()) {
                    continue;
                }
                if (mine == nullptr) {
                    mine = later;
                } else {
                    scope_->add(later);
                }
            }
            return mine;
        }

        inline_task<void()> work_;
        std::vector<node*> after_;         ///< Those that come after it, once arranged.
        detail::dependency_count missing_; ///< How many of `before_` have not ended yet.
        bool ended_ = false;               ///< Written by the thread that runs it.
        task_scope* scope_ = nullptr;
        std::vector<node*> before_; ///< Those that it comes after.
    };

    /// Notes that the graph runs, from construction to destruction.
    struct running {
        explicit running(bool& noted) noexcept : flag(noted) { flag = true; }
        running(const running&) = delete;
        running& operator=(const running&) = delete;
        ~running() { flag = false; }
        bool& flag;
    };

    node& at(task which, const char* call) {
        if (which.which_ == nullptr || which.index_ >= nodes_.size() ||
            nodes_[which.index_].get() != which.which_) {
            fail_argument(detail::text_of({"task_graph::", call, ": no task of this graph"}));
        }
        return *nodes_[which.index_];
    }
    void refuse_running(const char* call) const {
        if (running_) {
            fail_state(detail::text_of({"task_graph::", call, ": the graph runs"}));
        }
    }
    /// Tells each task those that come after it.
    void arrange() {
        for (const auto& one : nodes_) {
            one->after_.clear();
        }
        for (const auto& one : nodes_) {
            for (node* const earlier : one->before_) {
                earlier->after_.push_back(one.get());
            }
        }
        arranged_ = true;
    }
    void run_in(task_scope& scope) {
        refuse_running("run");
        const running here(running_);
        if (!arranged_) {
            arrange();
        }
        for (const auto& one : nodes_) {
            one->prepare(scope);
        }
        // The scope begins with the newest: with the task that was added first.
        for (std::size_t i = nodes_.size(); i-- != 0;) {
            if (nodes_[i]->comes_first()) {
                scope.add(nodes_[i].get());
            }
        }
        scope.wait();
        if (scope.over()) {
            for (const auto& one : nodes_) {
                if (!one->ended()) {
                    fail_cancelled();
                }
            }
        }
    }

    std::vector<std::unique_ptr<node>> nodes_; ///< In the order in which they were added.
    bool arranged_ = true;                     ///< Nothing was added since the last `arrange`.
    bool running_ = false;                     ///< Written by the thread that runs it.
};

} // namespace regatta
