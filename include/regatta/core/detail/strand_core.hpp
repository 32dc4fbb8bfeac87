// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks of a strand, and whose turn it is to run them.

#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/coroutine_depth.hpp>
#include <regatta/core/detail/result_state.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/sync/adaptive_mutex.hpp>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace regatta::detail {

/// What the copies of a strand share.
///
/// While any task waits there is one turn. It is queued, as a job of the executor, or a thread has
/// it and runs the tasks, some at a time; then it queues the turn again, behind what else the
/// executor has. A worker of the executor that waits for a task of the strand may take a turn that
/// is queued. The job that it leaves finds another turn or none: any job of the strand may take any
/// turn of it.
///
/// Threads: any.
/// Blocks: as the executor's `execute`.
///
/// I1: at most one thread has the turn: no two tasks run at once, and they begin in their order.
/// I2: while a task waits and no thread has the turn, a job of the strand is with the executor.
///     A job that the executor destroys uncalled takes the tasks with it, if it was the last.
template<class Executor>
class strand_core : public std::enable_shared_from_this<strand_core<Executor>> {
public:
    using task = inline_task<void()>;

    strand_core(Executor& executor, error_sink on_error) noexcept
        : executor_(executor)
        , on_error_(std::move(on_error)) {}
    strand_core(const strand_core&) = delete;
    strand_core& operator=(const strand_core&) = delete;

    /// Appends a task. Throws what the executor throws if it refuses the turn that this needs; then
    /// the task was destroyed.
    void add(task added) {
        {
            const std::lock_guard lock(lock_);
            waiting_.push_back(std::move(added));
            if (turn_ != turn::none) {
                return;
            }
            turn_ = turn::queued;
            ++jobs_;
        }
        executor_.execute(job(this->shared_from_this()));
    }

    /// The blocks of futures.
    block_store& blocks() {
        const std::lock_guard lock(lock_);
        if (!blocks_) {
            blocks_.emplace();
        }
        return blocks_->store();
    }

    /// Whether the calling thread runs a task of the strand.
    bool runs_here() const noexcept {
        const running* at = running::innermost();
        while (at != nullptr && at->strand != this) {
            at = at->outer;
        }
        return at != nullptr;
    }

    /// As `future_state::run_before`: takes the turn, if it is queued and the executor is the pool
    /// whose worker waits.
    bool run_before(const void* pool, bool forever) {
        if (runs_here()) {
            if (forever) {
                fail_system(EDEADLK, "wait in a task of a strand for a later one of the strand");
            }
            return false;
        }
        if (pool == nullptr || pool != home() || !take_turn()) {
            return false;
        }
        run_turn();
        return true;
    }

private:
    enum class turn : unsigned char { none, queued, taken };

    struct tasks {
        std::vector<task> begun; ///< Of a batch that was begun.
        std::vector<task> others;
    };

    /// A strand whose task the calling thread runs, from construction to destruction.
    struct running {
        explicit running(const strand_core* of) noexcept : strand(of), outer(innermost()) {
            innermost() = this;
        }
        running(const running&) = delete;
        running& operator=(const running&) = delete;
        ~running() { innermost() = outer; }

        static const running*& innermost() noexcept {
            static constinit thread_local const running* own = nullptr;
            return own;
        }

        const strand_core* const strand;
        const running* const outer;
    };

    /// What the executor gets.
    class job {
    public:
        explicit job(std::shared_ptr<strand_core> core) noexcept : core_(std::move(core)) {}
        job(job&&) noexcept = default;
        job& operator=(job&&) = delete;
        ~job() {
            if (core_ != nullptr) {
                core_->lose_job();
            }
        }
        void operator()() {
            const std::shared_ptr<strand_core> core = std::exchange(core_, nullptr);
            if (core->begin_job()) {
                core->run_turn();
            }
        }

    private:
        std::shared_ptr<strand_core> core_;
    };

    /// Tasks that run before the turn goes to the end of the executor's queue.
    static constexpr unsigned most = 16;

    /// The pool of the executor, where it says so.
    const void* home() const noexcept {
        if constexpr (requires(const Executor& e) { e.home(); }) {
            return executor_.home();
        } else {
            return nullptr;
        }
    }

    bool take_turn() noexcept {
        const std::lock_guard lock(lock_);
        return take_queued();
    }
    bool begin_job() noexcept {
        const bool inside = runs_here();
        const std::lock_guard lock(lock_);
        --jobs_;
        // The executor calls it at once, within queue_turn(), which goes on by itself.
        called_inside_ = called_inside_ || inside;
        return !inside && take_queued();
    }
    /// Under the lock.
    bool take_queued() noexcept {
        if (turn_ != turn::queued) {
            return false;
        }
        turn_ = turn::taken;
        return true;
    }
    /// A job was destroyed uncalled: so are the tasks, if no other one is left.
    void lose_job() noexcept {
        tasks lost;
        const std::lock_guard lock(lock_);
        if (--jobs_ == 0 && turn_ == turn::queued) {
            lost = lose_tasks();
        }
    }
    /// Under the lock. What it returns is destroyed after it: user code, which may use the strand.
    tasks lose_tasks() noexcept {
        next_ = 0;
        turn_ = turn::none;
        return {std::exchange(batch_, {}), std::exchange(waiting_, {})};
    }

    /// Runs tasks for the thread that has the turn.
    void run_turn() {
        const running here(this);
        for (;;) {
            for (unsigned left = most; left != 0; --left) {
                if (next_ == batch_.size() && !refill()) {
                    return;
                }
                run(batch_[next_++]);
            }
            if (queue_turn()) {
                return;
            }
        }
    }
    /// Takes all that waits. @returns false if there is nothing: the turn is over.
    bool refill() noexcept {
        batch_.clear();
        next_ = 0;
        const std::lock_guard lock(lock_);
        batch_.swap(waiting_);
        if (batch_.empty()) {
            turn_ = turn::none;
        }
        return !batch_.empty();
    }
    void run(task& next) noexcept {
        task mine = std::move(next); // Its end is user code, too.
        const fresh_coroutine_depth depth;
        REGATTA_TRY {
            mine();
        }
        REGATTA_CATCH_ALL {
            on_error_.report(std::current_exception(), errors_++, "strand", "");
        }
    }
    /// Gives the turn back to the executor. @returns false if that does not take it: this thread
    /// still has it.
    bool queue_turn() {
        {
            const std::lock_guard lock(lock_);
            if (next_ == batch_.size() && waiting_.empty()) {
                turn_ = turn::none;
                return true;
            }
            turn_ = turn::queued;
            jobs_ += 2; // One for this call: a job that is refused takes no tasks with it.
            called_inside_ = false;
        }
        bool accepted = false;
        REGATTA_TRY {
            job next(this->shared_from_this());
            if constexpr (tries<Executor>) {
                accepted = executor_.try_execute(std::move(next));
            } else {
                executor_.execute(std::move(next));
                accepted = true;
            }
        }
        REGATTA_CATCH_ALL {}
        tasks lost;
        const std::lock_guard lock(lock_);
        if (--jobs_ != 0 || turn_ != turn::queued) {
            return true;
        }
        if (!accepted || called_inside_) {
            turn_ = turn::taken;
            return false;
        }
        lost = lose_tasks();
        return true;
    }

    template<class E>
    static constexpr bool tries = requires(E& e, job j) {
        { e.try_execute(std::move(j)) } -> std::same_as<bool>;
    };

    Executor& executor_;
    const error_sink on_error_;
    adaptive_mutex lock_;
    std::vector<task> waiting_;         ///< Under the lock.
    turn turn_ = turn::none;            ///< Under the lock.
    std::size_t jobs_ = 0;              ///< With the executor. Under the lock.
    bool called_inside_ = false;        ///< The job of `queue_turn`. Under the lock.
    std::optional<block_cache> blocks_; ///< Made by the first future. Under the lock.
    // Of the thread that has the turn.
    std::vector<task> batch_;
    std::size_t next_ = 0; ///< Of the batch, the first that has not run.
    std::uint64_t errors_ = 0;
};

} // namespace regatta::detail
