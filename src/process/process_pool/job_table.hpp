// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The jobs that workers can take part in, and those that wait for that.

#include "process/process_pool/job_record.hpp"
#include "process/process_pool/pool_arenas.hpp"
#include <regatta/process/process_pool_stats.hpp>
#include <regatta/process/task_failure.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace regatta::detail {

/// How a worker ended, as far as the tasks are concerned that it had.
struct worker_death {
    unsigned slot = 0;
    failure_cause cause = failure_cause::death;
    bool charged = true; ///< Whether the attempt counts.
    int signal = 0;
    int status = 0;
    std::string text{};
};

/// The slots of the control memory and the queue for them. What is done here no worker can stop:
/// the parent never waits for one.
///
/// Threads: one at a time, under the pool's lock.
class job_table {
public:
    using record_pointer = std::shared_ptr<job_record>;

    job_table(pool_arenas& memory, unsigned attempts, unsigned workers) noexcept
        : memory_(memory)
        , control_(memory.control())
        , attempts_(attempts)
        , slots_(workers) {}

    /// There may be that many workers from now on.
    void expect(unsigned workers) noexcept { slots_ = workers > slots_ ? workers : slots_; }

    /// Gives the job a slot and rings, or has it wait for one. It has no tasks: settles it.
    void begin(const record_pointer& job);
    /// Whether all tasks of a job have ended that has not been settled.
    bool complete(const job_record& job) const noexcept;
    /// Takes a complete job out: its failures and its result are known from now on.
    void settle(job_record& job);
    /// Settles every complete job, and gives the slots to those that wait.
    /// @param with_futures also those that have one. @returns what was settled.
    std::vector<record_pointer> collect(bool with_futures);

    /// Gives back what a dead worker had. @returns whether a job may be complete by that.
    void recover(const worker_death& death);
    /// Ends what no worker has begun. @returns how many tasks.
    std::size_t cancel(job_record& job);
    /// Ends what no worker has begun, in every job, as there are no workers.
    void give_up(const std::string& why);

    std::size_t progress(const job_record& job) const noexcept;
    /// Whether a job is there that is not settled.
    bool any() const noexcept { return !at_work_.empty() || !waiting_.empty(); }
    /// Has up to so many sleeping workers look for work.
    void ring(std::size_t workers) noexcept;

    process_pool_stats counts; ///< Those that concern tasks.

private:
    task_words words_of(const job_record& job) const noexcept;
    void publish(const record_pointer& job, unsigned index);
    void publish_waiting();
    void end_tasks(job_record& job, task_status how, failure_cause cause, const std::string& why);
    void add_notes(job_record& job, const job_slot& slot);
    void tell_if_complete(job_record& job);

    pool_arenas& memory_;
    pool_control& control_;
    const unsigned attempts_;
    unsigned slots_;                      ///< Of workers that there are or were.
    std::vector<record_pointer> at_work_; ///< Those that have a slot.
    std::deque<record_pointer> waiting_;
    std::uint64_t used_ = 0; ///< Slots with a job, a bit each.
    unsigned next_bell_ = 0;
};

} // namespace regatta::detail
