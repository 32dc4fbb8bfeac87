// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The words by which worker processes claim the tasks of a job and commit them.

#include <regatta/base/detail/width_cast.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// Where a task stands. From `done` on its word never changes again within its job.
enum class task_status : unsigned {
    pending,
    claimed,   ///< A worker runs it.
    done,      ///< It returned.
    threw,     ///< It threw.
    failed,    ///< It was given up: too many attempts, or no worker.
    cancelled, ///< It was cancelled before an attempt began.
};

/// The places between the steps of a worker's life at which a test has it die.
enum class worker_step : std::uint32_t {
    none,
    started,   ///< Its program runs; nothing is mapped.
    mapped,    ///< It has mapped the memory, and has not said that it is ready.
    attached,  ///< It has said so.
    claiming,  ///< Before the compare-and-swap of a claim.
    claimed,   ///< After it, before the function.
    ran,       ///< After the function, before the commit.
    committed, ///< After the commit, before the look whether that was the last.
    swept,     ///< After that look, before the job is marked as complete.
    completed, ///< After that mark, before those are woken who wait for the job.
    rung,      ///< After they were woken.
    sleeping,  ///< It has announced that it sleeps, and does not yet.
};

/// A task's word, taken apart: state, attempts begun, the slot of the worker, the attempts among
/// those begun that do not count, the job's generation.
struct task_word {
    static constexpr unsigned max_attempts = (1u << 13) - 1;
    static constexpr unsigned max_slots = 1u << 8;
    static constexpr unsigned max_spared = (1u << 8) - 1;

    task_status state = task_status::pending;
    unsigned attempts = 0;
    unsigned slot = 0;
    std::uint32_t generation = 0;
    unsigned spared = 0;

    static constexpr task_word of(std::uint64_t bits) noexcept {
        return {static_cast<task_status>(bits & 7), static_cast<unsigned>(bits >> 3 & max_attempts),
                static_cast<unsigned>(bits >> 16 & (max_slots - 1)),
                static_cast<std::uint32_t>(bits >> 32),
                static_cast<unsigned>(bits >> 24 & max_spared)};
    }
    constexpr std::uint64_t bits() const noexcept {
        return std::uint64_t{generation} << 32 | std::uint64_t{spared} << 24 |
               std::uint64_t{slot} << 16 | std::uint64_t{attempts} << 3 |
               static_cast<std::uint64_t>(state);
    }
    constexpr bool final() const noexcept { return state >= task_status::done; }
};

/// What a recovery has made of a task.
enum class task_recovery {
    none,     ///< The dead worker had not claimed it.
    requeued, ///< It is pending again.
    failed,   ///< It has used up its attempts.
};

/// The tasks of one job, one word each, in memory that all processes share.
///
/// A claim is one compare-and-swap of the whole word, so that a task and its owner cannot come
/// apart wherever a worker dies, and a worker that comes late with an old generation claims
/// nothing. There is no count of what is left, which a death could falsify: the words are the
/// truth. The cursor only says where to look first.
///
/// Threads: `claim`, `commit` and `work` by workers; the rest by the one thread that has noticed a
/// death, or that holds the pool's lock.
///
/// I1: a task has at most one owner: its claim succeeds only on a pending word of its generation.
/// I2: the owner's commit, or the recovery after the owner's end, is what ends a claim.
/// I3: the attempt after a recovery sees all that the attempts before it wrote.
/// I4: the last to end a task of a job finds all of them ended: `work` and `all_final` say so to at
///     least one worker that is alive, or to the recovery of one that is not.
template<class Atomics>
class basic_task_words {
public:
    using word = typename Atomics::template atomic<std::uint64_t>;

    basic_task_words(word* words, std::size_t count, std::uint32_t generation) noexcept
        : words_(words)
        , count_(count)
        , generation_(generation) {}

    std::size_t size() const noexcept { return count_; }

    /// Makes every task pending, before the job is published.
    void reset() noexcept {
        for (std::size_t i = 0; i < count_; ++i) {
            // relaxed: published with the job, by the release of its generation.
            words_[i].store(task_word{.generation = generation_}.bits(), std::memory_order_relaxed);
        }
    }

    /// Takes a task. @returns the number of the attempt, from 1; 0: it was not to be had.
    unsigned claim(std::size_t i, unsigned slot) noexcept {
        // relaxed: the compare-and-swap checks it.
        std::uint64_t seen = words_[i].load(std::memory_order_relaxed);
        for (;;) {
            task_word wanted = task_word::of(seen);
            if (wanted.state != task_status::pending || wanted.generation != generation_) {
                return 0;
            }
            ++wanted.attempts;
            wanted.state = task_status::claimed;
            wanted.slot = slot;
            // acquire: partner is the release of recover(): what earlier attempts wrote is visible,
            // and comes before what this one writes (I3).
            if (words_[i].compare_exchange_weak(seen, wanted.bits(), std::memory_order_acquire,
                                                std::memory_order_relaxed)) {
                return wanted.attempts;
            }
        }
    }

    /// Ends a task that this worker has claimed.
    void commit(std::size_t i, unsigned slot, unsigned attempt, task_status how) noexcept {
        const task_word made{how, attempt, slot, generation_};
        // seq_cst: publishes what the task wrote, to the loads of look(); and in one order with
        // those: of two workers that commit and then look, one sees both commits (I4).
        words_[i].exchange(made.bits(), std::memory_order_seq_cst);
    }

    task_word look(std::size_t i) const noexcept {
        // seq_cst: partner is commit(), settle() and recover(); see there.
        return task_word::of(words_[i].load(std::memory_order_seq_cst));
    }

    /// Whether every task has ended.
    bool all_final() const noexcept {
        for (std::size_t i = 0; i < count_; ++i) {
            if (!look(i).final()) {
                return false;
            }
        }
        return true;
    }

    /// Gives back what a worker had claimed that has ended and was waited for.
    /// @param limit attempts that a task has; @param charged whether this one counts. One that does
    /// not keeps its number all the same: the next one has another.
    task_recovery recover(std::size_t i, unsigned slot, unsigned limit, bool charged) noexcept {
        task_word seen = look(i);
        if (seen.state != task_status::claimed || seen.slot != slot ||
            seen.generation != generation_) {
            return task_recovery::none;
        }
        seen.spared += charged || seen.spared == task_word::max_spared ? 0 : 1;
        const bool given_up = seen.attempts - seen.spared >= limit || // Or there is no next number.
                              seen.attempts == task_word::max_attempts;
        seen.state = given_up ? task_status::failed : task_status::pending;
        // seq_cst: publishes what the dead worker wrote, as its parent sees it, to claim() (I3); in
        // one order with commit(), because this may be what ends the job (I4).
        words_[i].exchange(seen.bits(), std::memory_order_seq_cst);
        return given_up ? task_recovery::failed : task_recovery::requeued;
    }

    /// Ends a task that nobody has claimed. @returns whether it did.
    bool settle(std::size_t i, task_status how) noexcept {
        std::uint64_t seen = words_[i].load(std::memory_order_relaxed);
        for (;;) {
            task_word wanted = task_word::of(seen);
            if (wanted.state != task_status::pending || wanted.generation != generation_) {
                return false;
            }
            wanted.state = how;
            // seq_cst: as in recover().
            if (words_[i].compare_exchange_weak(seen, wanted.bits(), std::memory_order_seq_cst,
                                                std::memory_order_relaxed)) {
                return true;
            }
        }
    }

    /// What a worker does for a job: claims tasks until none is pending and runs them.
    /// @param stop asked before each claim: whether to leave the job. `run(i, attempt)` returns the
    /// state to commit; `steps(step)` is called between the steps.
    /// @returns whether every task has ended.
    template<class Stop, class Run, class Steps>
    bool work(typename Atomics::template atomic<std::uint64_t>& cursor, unsigned slot, Stop&& stop,
              Run&& run, Steps&& steps) {
        const auto attempt = [&](std::size_t i) {
            steps(worker_step::claiming);
            const unsigned number = claim(i, slot);
            if (number == 0) {
                return false;
            }
            steps(worker_step::claimed);
            const task_status how = run(i, number);
            steps(worker_step::ran);
            commit(i, slot, number, how);
            steps(worker_step::committed);
            return true;
        };
        for (std::uint64_t next = 0; next + 1 < count_;) {
            if (stop()) {
                return false;
            }
            // relaxed: it only hands out numbers, and some may be lost with a worker.
            next = cursor.fetch_add(1, std::memory_order_relaxed);
            if (next < count_) {
                attempt(width_cast<std::size_t>(next));
            }
        }
        // Until a pass has committed nothing: what it saw then came after all of its own commits.
        for (std::size_t from = 0;;) {
            std::size_t first_open = count_;
            bool committed = false;
            for (std::size_t i = from; i < count_; ++i) {
                const task_word seen = look(i);
                if (seen.final() || seen.generation != generation_) {
                    continue;
                }
                if (seen.state == task_status::pending) {
                    if (stop()) {
                        return false;
                    }
                    if (attempt(i)) {
                        committed = true;
                        continue;
                    }
                }
                first_open = first_open < i ? first_open : i;
            }
            if (!committed) {
                return first_open == count_;
            }
            from = first_open;
        }
    }

private:
    word* words_;
    std::size_t count_;
    std::uint32_t generation_;
};

} // namespace regatta::detail
