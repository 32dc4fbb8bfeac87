// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/job_table.hpp"

#include "process/process_pool/control_block.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

task_words job_table::words_of(const job_record& job) const noexcept {
    return {memory_.words_at(job.words), job.tasks, job.generation};
}

void job_table::begin(job_record& job) {
    if (job.tasks == 0) {
        job.settled.store(true, std::memory_order_release);
        return;
    }
    job.words = memory_.take_words(job.tasks);
    if (~used_ != 0 && waiting_.empty()) {
        publish(job, static_cast<unsigned>(std::countr_one(used_)));
    } else {
        try {
            waiting_.push_back(&job);
        } catch (...) {
            memory_.give_words(job.words, job.tasks);
            throw;
        }
        // seq_cst: before the look for jobs that ended just now; partner is a worker's load.
        control_.tell_parent.store(1, std::memory_order_seq_cst);
    }
    counts.submitted += job.tasks;
}

void job_table::publish_waiting() {
    while (!waiting_.empty() && ~used_ != 0) {
        job_record& job = *waiting_.front();
        waiting_.pop_front();
        publish(job, static_cast<unsigned>(std::countr_one(used_)));
    }
    // relaxed: only this side writes it.
    if (waiting_.empty() && control_.tell_parent.load(std::memory_order_relaxed) != 0) {
        control_.tell_parent.store(0, std::memory_order_seq_cst);
    }
}

void job_table::publish(job_record& job, unsigned index) {
    job_slot& slot = control_.jobs[index];
    task_words words = words_of(job);
    words.reset();
    // relaxed, all: published by the generation.
    slot.words.store(job.words, std::memory_order_relaxed);
    slot.tasks.store(job.tasks, std::memory_order_relaxed);
    slot.cursor.store(0, std::memory_order_relaxed);
    if (slot.errors.load(std::memory_order_relaxed) != 0) {
        slot.errors.store(0, std::memory_order_relaxed);
        for (error_note& note : slot.notes) {
            note.attempt = 0;
        }
    }
    slot.function = job.function->id;
    slot.input = job.input;
    slot.output = job.output;
    slot.tell_parent = job.reported;
    slot.bell.begin(job.generation);
    std::memcpy(slot.arguments, job.bytes.data(), job.argument_bytes);
    // release: partner is the acquire of worker_loop::work_on().
    slot.generation.store(job.generation, std::memory_order_release);
    used_ |= std::uint64_t{1} << index;
    // seq_cst: before the work count; partner is worker_loop::look_for_work().
    control_.jobs_at_work.store(used_, std::memory_order_seq_cst);
    job.work_place = at_work_.size();
    at_work_.push_back(&job);
    // release: partner is the acquire of a wait, which goes to the slot.
    job.slot.store(static_cast<int>(index), std::memory_order_release);
    ring(job.tasks);
}

void job_table::ring(std::size_t workers) noexcept {
    control_.work.add();
    for (unsigned i = 0; i < slots_ && workers > 0; ++i) {
        // From where the last one ended, so that all get their turn.
        const unsigned slot = (next_bell_ + i) % slots_;
        if (control_.slots[slot].bell.ring()) {
            rung_ = true;
            --workers;
            next_bell_ = workers == 0 ? slot + 1 : next_bell_;
        }
    }
}

bool job_table::complete(const job_record& job) const noexcept {
    const int slot = job.slot.load(std::memory_order_relaxed);
    return slot >= 0 && control_.jobs[slot].bell.complete(job.generation);
}

void job_table::settle(job_record& job) {
    const auto index = static_cast<unsigned>(job.slot.load(std::memory_order_relaxed));
    job_slot& slot = control_.jobs[index];
    // relaxed: written before the commits of the tasks, all of which have been acquired.
    const bool errors = slot.errors.load(std::memory_order_relaxed) != 0;
    if (errors) {
        const std::size_t before = job.failures.size();
        try {
            add_notes(job, slot);
        } catch (...) {
            job.failures.resize(before);
            throw;
        }
        counts.errors += job.failures.size() - before;
    }
    std::sort(job.failures.begin(), job.failures.end(),
              [](const task_failure& a, const task_failure& b) { return a.task < b.task; });
    std::sort(job.skipped.begin(), job.skipped.end(),
              [](const skipped_tasks& a, const skipped_tasks& b) { return a.first < b.first; });
    std::uint64_t cancelled = 0;
    std::uint64_t poisoned = 0;
    const auto add = [&](failure_cause cause, std::uint64_t tasks) {
        if (cause != failure_cause::exception) {
            (cause == failure_cause::cancelled ? cancelled : poisoned) += tasks;
        }
    };
    for (const task_failure& one : job.failures) {
        add(one.cause, 1);
    }
    for (const skipped_tasks& some : job.skipped) {
        add(some.cause, some.end - some.first);
    }
    counts.poisoned += poisoned;
    counts.cancelled += cancelled;
    counts.run += job.tasks - cancelled - poisoned;
    std::memcpy(job.bytes.data(), slot.result, job.result_bytes);
    memory_.give_words(job.words, job.tasks);
    used_ &= ~(std::uint64_t{1} << index);
    // relaxed: a worker that still sees it finds no task of it.
    control_.jobs_at_work.store(used_, std::memory_order_relaxed);
    at_work_.back()->work_place = job.work_place;
    std::swap(at_work_[job.work_place], at_work_.back());
    at_work_.pop_back();
    job.settled.store(true, std::memory_order_release);
}

void job_table::add_notes(job_record& job, const job_slot& slot) {
    const task_words words = words_of(job);
    for (std::size_t i = 0; i < job.tasks; ++i) {
        const task_word word = words.look(i);
        if (word.state != task_status::threw) {
            continue;
        }
        task_failure failure{i, failure_cause::exception, word.attempts};
        const auto note =
            std::find_if(std::begin(slot.notes), std::end(slot.notes), [&](const error_note& one) {
                return one.attempt == word.attempts && one.task == i;
            });
        if (note != std::end(slot.notes)) {
            failure.type.assign(note->type, ::strnlen(note->type, sizeof note->type));
            failure.text.assign(note->text, ::strnlen(note->text, sizeof note->text));
        } else {
            failure.text = "the job keeps the texts of its first " + std::to_string(kept_errors) +
                           " exceptions";
        }
        job.failures.push_back(std::move(failure));
    }
}

bool job_table::collect(job_record& job) {
    if (job.settled.load(std::memory_order_relaxed) || !complete(job)) {
        return false;
    }
    settle(job);
    publish_waiting();
    return true;
}

settled_jobs job_table::collect_all(bool with_reported) {
    settled_jobs settled;
    for (std::size_t i = 0; i < at_work_.size();) {
        job_record& job = *at_work_[i];
        if (!complete(job) || (job.reported && !with_reported)) {
            ++i;
            continue;
        }
        try {
            settle(job); // Puts another one into its place.
            settled.jobs[settled.count++] = &job;
        } catch (const std::bad_alloc&) {
            settled.lacking = true;
            ++i;
        }
    }
    publish_waiting();
    return settled;
}

void job_table::tell_if_complete(job_record& job) {
    const int slot = job.slot.load(std::memory_order_relaxed);
    if (slot >= 0 && words_of(job).all_final()) {
        control_.jobs[slot].bell.mark(job.generation);
        control_.jobs[slot].bell.ring();
    }
}

void job_table::recover(const worker_death& death) {
    std::size_t requeued = 0;
    for (job_record* const job : at_work_) {
        task_words words = words_of(*job);
        bool any = false;
        for (std::size_t i = 0; i < job->tasks; ++i) {
            const task_word seen = words.look(i);
            if (seen.state != task_status::claimed || seen.slot != death.slot) {
                continue;
            }
            // First: where there is no memory for it, the task is still the dead worker's.
            job->failures.push_back(
                {i, death.cause, seen.attempts, death.signal, death.status, {}, death.text});
            const auto what = words.recover(i, death.slot, attempts_, death.charged);
            if (what == task_recovery::failed) {
                continue;
            }
            job->failures.pop_back();
            if (what == task_recovery::requeued) {
                ++requeued;
                ++counts.reruns;
                any = true;
            }
        }
        if (any) {
            // release: partner is the acquire of worker_loop::work_on().
            control_.jobs[job->slot.load(std::memory_order_relaxed)].requeues.fetch_add(
                1, std::memory_order_release);
        }
        // Also if it had nothing: it may have died between its last commit and the mark, or
        // between the mark and the ring.
        tell_if_complete(*job);
    }
    // At least one, if there is work: the dead one, or one that was to end, may have been rung for
    // a task and not have looked.
    if (!at_work_.empty()) {
        ring(std::max<std::size_t>(requeued, 1));
    }
}

void job_table::end_tasks(job_record& job, task_status how, failure_cause cause,
                          const std::string& why) {
    task_words words = words_of(job);
    for (std::size_t i = 0; i < job.tasks; ++i) {
        // Only workers change the word meanwhile, and only by a claim. So these are the attempts.
        const task_word seen = words.look(i);
        if (seen.state != task_status::pending) {
            continue;
        }
        // First: it may find no memory.
        const bool begun = seen.attempts != 0;
        const bool more = !begun && !job.skipped.empty() && job.skipped.back().end == i &&
                          job.skipped.back().cause == cause;
        if (begun) {
            job.failures.push_back({i, cause, seen.attempts, 0, 0, {}, why});
        } else if (!more) {
            job.skipped.push_back({i, i, cause, why});
        }
        const bool settled = words.settle(i, how);
        job.cancelled += settled ? 1 : 0;
        if (!begun) {
            job.skipped.back().end += settled ? 1 : 0;
            if (!settled && !more) {
                job.skipped.pop_back();
            }
        } else if (!settled) {
            job.failures.pop_back();
        }
    }
    tell_if_complete(job);
}

std::size_t job_table::cancel(job_record& job) {
    if (job.settled.load(std::memory_order_relaxed) || complete(job)) {
        return 0;
    }
    if (job.slot.load(std::memory_order_relaxed) < 0) {
        // Its words are not yet in use: it gets a slot, whoever has one cannot be waited for here.
        job.skipped.push_back({0, job.tasks, failure_cause::cancelled});
        waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &job));
        job.cancelled = job.tasks;
        counts.cancelled += job.tasks;
        memory_.give_words(job.words, job.tasks);
        job.settled.store(true, std::memory_order_release);
        return job.tasks;
    }
    const std::size_t before = job.cancelled;
    end_tasks(job, task_status::cancelled, failure_cause::cancelled, "");
    return job.cancelled - before;
}

void job_table::give_up(const std::string& why) {
    for (job_record* const job : at_work_) {
        end_tasks(*job, task_status::failed, failure_cause::no_worker, why);
    }
}

std::size_t job_table::progress(const job_record& job) const noexcept {
    if (job.settled.load(std::memory_order_relaxed)) {
        return job.tasks;
    }
    std::size_t ended = 0;
    if (job.slot.load(std::memory_order_relaxed) >= 0) {
        const task_words words = words_of(job);
        for (std::size_t i = 0; i < job.tasks; ++i) {
            ended += words.look(i).final() ? 1 : 0;
        }
    }
    return ended;
}

} // namespace regatta::detail
