// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks of a strand, and whose turn it is to run them.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/coroutine_depth.hpp>
#include <regatta/core/detail/task_chain.hpp>
#include <regatta/core/detail/turn_access.hpp>
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
#include <thread>
#include <utility>

namespace regatta::detail {

/// A task of a strand that workers of its pool wait for, as the strand lists it.
class strand_waiter {
public:
    strand_waiter() = default;
    strand_waiter(const strand_waiter&) = delete;
    strand_waiter& operator=(const strand_waiter&) = delete;

    /// Makes all workers look again that wait for a task of the strand.
    virtual void wake_all() noexcept = 0;

    strand_waiter* next = nullptr; ///< Under the strand's lock, as `workers`.
    unsigned workers = 0;          ///< How many wait for it.

protected:
    ~strand_waiter() = default;
};

/// What the copies of a strand share.
///
/// While any task waits there is one turn. It is queued, or a thread has it and runs the tasks,
/// some at a time; then it queues the turn again, behind what else the executor has. A job of the
/// strand, which the executor runs, takes the turn that is queued, or finds none. A worker of the
/// executor that waits for a task of the strand may take a turn that is queued, too, for a task.
///
/// A job may be refused. So whoever adds a task while no job is known to be with the executor
/// offers one of its own. If that is refused, it takes its own task back, and no other.
///
/// Threads: any.
/// Blocks: as the executor's `execute`.
///
/// I1: at most one thread has the turn: no two tasks run at once, and they begin in their order.
/// I2: while the turn is queued, a job is with the executor or is being offered. If the executor
///     destroys the last one uncalled, having accepted it, the tasks that wait are destroyed.
/// I3: a worker that waits for a task of the strand does not sleep while the turn is queued: who
///     queues it anew wakes all that wait.
template<class Executor>
class strand_core : public std::enable_shared_from_this<strand_core<Executor>> {
public:
    using task = task_chain::task;

    strand_core(Executor& executor, error_sink on_error) noexcept
        : executor_(executor)
        , on_error_(std::move(on_error)) {}
    strand_core(const strand_core&) = delete;
    strand_core& operator=(const strand_core&) = delete;

    /// Appends a task. Throws what the executor throws if it refuses the job that this needs; then
    /// the task was destroyed. Throws `std::system_error` (`no_such_process`) in a fork of the
    /// process.
    void add(task added) {
        refuse_fork();
        std::shared_ptr<strand_core> self;
        std::uint64_t number = 0;
        {
            const std::lock_guard lock(lock_);
            waiting_.push_back(std::move(added));
            number = ++added_;
            // Once the lock is free the task may run, and destroy the last strand.
            if (turn_ == turn::taken) {
                return;
            }
            turn_ = turn::queued;
            if (surely_offered()) {
                return;
            }
            begin_offer();
            self = this->shared_from_this();
        }
        REGATTA_TRY {
            executor_.execute(job(self));
        }
        REGATTA_CATCH_ALL {
            if (take_back(number)) {
                REGATTA_RETHROW;
            }
            return; // Another thread's job had it.
        }
        end_offer();
    }

    /// The blocks of futures.
    block_store& blocks() {
        refuse_fork();
        const std::lock_guard lock(lock_);
        if (!blocks_) {
            blocks_.emplace();
        }
        return blocks_->store();
    }

    /// Whether the calling thread runs a task of the strand, perhaps with others on top.
    bool runs_here() const noexcept {
        const running* at = running::innermost();
        while (at != nullptr && at->strand != this) {
            at = at->outer;
        }
        return at != nullptr;
    }

    /// As `future_state::note_wait`, for that task.
    void note_wait(strand_waiter& of, const void* pool, bool begins) noexcept {
        if (pool != home()) {
            return;
        }
        const std::lock_guard lock(lock_);
        if (begins) {
            if (of.workers++ == 0) {
                of.next = std::exchange(waiters_, &of);
            }
        } else if (--of.workers == 0) {
            strand_waiter** at = &waiters_;
            while (*at != &of) {
                at = &(*at)->next;
            }
            *at = std::exchange(of.next, nullptr);
        }
    }
    /// As `future_state::run_before`: runs the next task, if the turn is queued and the executor is
    /// the pool whose worker waits.
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
        while (run_some(1) && !queue_turn()) { // Only one: then it looks for what it waits for.
        }
        return true;
    }

private:
    enum class turn : unsigned char { none, queued, taken };

    struct tasks {
        task_chain begun; ///< Of a batch that was begun.
        task_chain others;
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

    template<class E>
    static constexpr bool tries = requires(E& e, job j) {
        { e.try_execute(std::move(j)) } -> std::same_as<bool>;
    };
    template<class E>
    static constexpr bool requeues = requires(E& e, job j) {
        { turn_access::requeue(e, std::move(j)) } -> std::same_as<bool>;
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

    void refuse_fork() const {
        if (stamp_.elsewhere()) { // Threads may not be here that have the turn, or a lock.
            fail_system(ESRCH, "submit to a strand in a fork of the process that made it");
        }
    }

    // --- jobs ------------------------------------------------------------------------------------

    // Under the lock. Of the jobs that there are, at most `offers_` are being offered.
    bool surely_offered() const noexcept { return jobs_ > offers_; }
    void begin_offer() noexcept {
        ++jobs_;
        ++offers_;
    }
    /// Under the lock: what waits, if no job is left (I2). It is destroyed after the lock is free:
    /// that is user code, which may use the strand.
    tasks lost() noexcept {
        if (turn_ != turn::queued || jobs_ != 0 || offers_ != 0) {
            return {};
        }
        turn_ = turn::none;
        return {std::move(batch_), std::move(waiting_)};
    }
    /// The executor has accepted the job that was offered.
    void end_offer() noexcept {
        const tasks gone = [this] {
            const std::lock_guard lock(lock_);
            --offers_;
            return lost();
        }();
    }
    /// A job was destroyed uncalled.
    void lose_job() noexcept {
        const tasks gone = [this] {
            const std::lock_guard lock(lock_);
            --jobs_;
            return lost();
        }();
    }
    /// The job that was offered for that task was refused: takes the task out. @returns false if it
    /// no longer waits.
    bool take_back(std::uint64_t number) noexcept {
        task mine;
        const tasks gone = [&] {
            const std::lock_guard lock(lock_);
            --offers_;
            const std::uint64_t first = added_ - waiting_.size() + 1;
            // Those behind it keep their numbers: one that was taken back stays as an empty place.
            if (number >= first) {
                mine = std::move(waiting_[width_cast<std::size_t>(number - first)]);
            }
            return lost();
        }();
        return static_cast<bool>(mine);
    }
    /// A job is called. @returns whether its thread has the turn now.
    bool begin_job() noexcept {
        const std::lock_guard lock(lock_);
        --jobs_;
        if (offerer_ == std::this_thread::get_id()) {
            called_inside_ = true; // By the executor, at once: queue_turn() goes on by itself.
            return false;
        }
        return take_queued();
    }

    // --- the turn --------------------------------------------------------------------------------

    bool take_turn() noexcept {
        const std::lock_guard lock(lock_);
        return take_queued();
    }
    /// Under the lock.
    bool take_queued() noexcept {
        if (turn_ != turn::queued) {
            return false;
        }
        turn_ = turn::taken;
        return true;
    }
    /// Runs tasks for the thread that has the turn, until it has it no longer.
    void run_turn() {
        while (run_some(most) && !queue_turn()) {
        }
    }
    /// Runs the next tasks, `count` at most. @returns false if no task is left: the turn is over.
    bool run_some(unsigned count) noexcept {
        const running here(this);
        for (; count != 0; --count) {
            if (batch_.empty() && !refill()) {
                return false;
            }
            run(batch_.front());
            batch_.pop_front(); // What this destroys is user code, too.
        }
        return true;
    }
    /// Takes all that waits. @returns false if there is nothing: the turn is over.
    bool refill() noexcept {
        const std::lock_guard lock(lock_);
        if (waiting_.empty()) {
            turn_ = turn::none;
        } else {
            batch_.swap(waiting_);
        }
        waiting_.take_spare(batch_); // Where tasks are added next.
        return !batch_.empty();
    }
    void run(task& next) noexcept {
        const fresh_coroutine_depth depth;
        REGATTA_TRY {
            if (next) {
                next();
            }
        }
        REGATTA_CATCH_ALL {
            on_error_.report(std::current_exception(), errors_++, "strand", "");
        }
    }
    /// Gives the turn back to the executor. @returns false if this thread still has it: where a
    /// full executor has no room for it, this does not wait, since what it ran meanwhile might wait
    /// for the strand.
    bool queue_turn() {
        {
            const std::lock_guard lock(lock_);
            waiting_.take_spare(batch_);
            if (batch_.empty() && waiting_.empty()) {
                turn_ = turn::none;
                return true;
            }
            turn_ = turn::queued;
            if (surely_offered()) {
                wake_waiters();
                return true;
            }
            begin_offer();
            offerer_ = std::this_thread::get_id();
            called_inside_ = false;
        }
        bool accepted = false;
        REGATTA_TRY {
            accepted = offer();
        }
        REGATTA_CATCH_ALL {}
        bool goes_on = false;
        const tasks gone = [&]() -> tasks {
            const std::lock_guard lock(lock_);
            --offers_;
            if (offerer_ == std::this_thread::get_id()) {
                offerer_ = {};
            }
            // Not after a job that was accepted and destroyed uncalled: the tasks go with it.
            goes_on = (!accepted || called_inside_) && take_queued();
            if (goes_on) {
                return {};
            }
            wake_waiters();
            return lost();
        }();
        return !goes_on;
    }
    /// Under the lock (I3).
    void wake_waiters() noexcept {
        if (waiters_ != nullptr) [[unlikely]] {
            waiters_->wake_all();
        }
    }
    /// @returns whether the executor has taken a job.
    bool offer() {
        job next(this->shared_from_this());
        if constexpr (requeues<Executor>) {
            return turn_access::requeue(executor_, std::move(next));
        } else if constexpr (tries<Executor>) {
            return executor_.try_execute(std::move(next));
        } else {
            executor_.execute(std::move(next));
            return true;
        }
    }

    Executor& executor_;
    const error_sink on_error_;
    const process_stamp stamp_;
    adaptive_mutex lock_;
    // Under the lock.
    task_chain waiting_;
    std::uint64_t added_ = 0; ///< Tasks so far: the number of the last one.
    turn turn_ = turn::none;
    std::size_t jobs_ = 0;   ///< With the executor, those included that are being offered.
    std::size_t offers_ = 0; ///< Offers under way. The job of one may have begun, or ended.
    strand_waiter* waiters_ = nullptr;  ///< Tasks that workers of the pool wait for.
    std::thread::id offerer_;           ///< The thread that is in `queue_turn`.
    bool called_inside_ = false;        ///< The job that it offers was called at once.
    std::optional<block_cache> blocks_; ///< Made by the first future.
    // Of the thread that has the turn.
    task_chain batch_;
    std::uint64_t errors_ = 0;
};

} // namespace regatta::detail
