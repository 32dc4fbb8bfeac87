// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The jobs that workers can take part in, and those that wait for that.

#include "process/process_pool/job_record.hpp"
#include "process/process_pool/pool_arenas.hpp"
#include <regatta/process/process_job.hpp>
#include <regatta/process/process_pool.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
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

/// What a look at all jobs has settled.
struct settled_jobs {
    std::array<job_record*, most_jobs> jobs;
    std::size_t count = 0;
    bool lacking = false; ///< There was no memory for the failures of others.
};

/// The slots of the control memory and the queue for them. What is done here no worker can stop:
/// the parent never waits for one.
///
/// Threads: one at a time, under the pool's lock. The pool keeps the jobs until they are settled.
/// Failure: `std::bad_alloc`; called again, the same continues where it had no memory.
class job_table {
public:
    job_table(pool_arenas& memory, unsigned attempts, unsigned workers)
        : memory_(memory)
        , control_(memory.control())
        , attempts_(attempts)
        , slots_(workers) {
        at_work_.reserve(most_jobs); // So that to publish a job never fails.
    }

    /// There may be that many workers from now on.
    void expect(unsigned workers) noexcept { slots_ = workers > slots_ ? workers : slots_; }

    /// Gives the job a slot and rings, or has it wait for one. It has no tasks: settles it.
    void begin(job_record& job);
    /// Whether all tasks of a job have ended that has not been settled.
    bool complete(const job_record& job) const noexcept;
    /// Settles this job if it is complete and was not settled, and gives its slot to one that
    /// waits: its failures and its result are known from now on. @returns whether it did.
    bool collect(job_record& job);
    /// The same of every job. @param with_reported also those whose end is reported.
    settled_jobs collect_all(bool with_reported);

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
    /// Whether that has woken any, and nobody has taken note of it.
    bool has_rung() const noexcept { return rung_; }
    bool take_rung() noexcept { return std::exchange(rung_, false); }

    process_pool_stats counts; ///< Those that concern tasks.

private:
    task_words words_of(const job_record& job) const noexcept;
    void settle(job_record& job);
    void publish(job_record& job, unsigned index);
    void publish_waiting();
    void end_tasks(job_record& job, task_status how, failure_cause cause, const std::string& why);
    void add_notes(job_record& job, const job_slot& slot);
    void tell_if_complete(job_record& job);

    pool_arenas& memory_;
    pool_control& control_;
    const unsigned attempts_;
    unsigned slots_;                   ///< Of workers that there are or were.
    std::vector<job_record*> at_work_; ///< Those that have a slot.
    std::deque<job_record*> waiting_;
    std::uint64_t used_ = 0; ///< Slots with a job, a bit each.
    unsigned next_bell_ = 0;
    bool rung_ = false;
};

} // namespace regatta::detail
