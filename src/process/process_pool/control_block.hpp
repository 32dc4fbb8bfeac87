// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What stands in the control memory of a process pool.

#include <regatta/base/cache_line.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/process/detail/doorbell.hpp>
#include <regatta/process/detail/process_function.hpp>
#include <regatta/process/detail/task_words.hpp>
#include <regatta/process/shared_memory.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

using task_words = basic_task_words<shared_atomics>;

inline constexpr unsigned most_workers = 256;
inline constexpr unsigned most_jobs = 64; ///< At work at once; a bit each in one word.
inline constexpr unsigned kept_errors = 16;
/// How often who spins looks at once, before it looks less and less often: a small job and its
/// answer take less than that.
inline constexpr unsigned eager_polls = 50;

/// Under these numbers a worker inherits the three arenas and the parent's event descriptor.
inline constexpr int control_descriptor = 3;
inline constexpr int input_descriptor = 4;
inline constexpr int output_descriptor = 5;
inline constexpr int event_descriptor = 6;
inline constexpr int zygote_descriptor = 7;      ///< Of the zygote only: the parent's orders.
inline constexpr int first_free_descriptor = 16; ///< For those of the user.

/// First argument of a worker; the number of its slot and the name of the pool follow.
inline constexpr const char* pool_worker_flag = "--regatta-pool-worker";
/// The same of the process that workers are copied from.
inline constexpr const char* pool_zygote_flag = "--regatta-pool-zygote";

/// An exception that a task threw. Written by its worker before the commit.
struct error_note {
    std::uint64_t task;
    std::uint32_t attempt; ///< 0: not complete, because its worker died.
    char type[124];
    char text[376];
};

/// A job that workers may take part in. Written by the parent while no worker can claim a task of
/// it; a worker that reads it while it is rewritten claims nothing, so it uses nothing of it.
struct alignas(destructive_alignment) job_slot {
    /// Of the job; a worker's acquire load of it pairs with the parent's release store and
    /// publishes all below and the words of the tasks.
    std::atomic<std::uint32_t> generation{0};
    /// How often tasks were given back. Written by the parent, read by workers that found nothing.
    std::atomic<std::uint32_t> requeues{0};
    /// Offset of the words in the control memory, and their number. Relaxed: see above.
    std::atomic<std::uint64_t> words{0};
    std::atomic<std::uint64_t> tasks{0};
    std::uint64_t function = 0;
    located_span input;
    located_span output;
    bool tell_parent = false; ///< Whether the parent's event is to be raised at its end.
    std::byte arguments[most_arguments];

    /// The hint where to claim next. Written by workers, reset by the parent.
    alignas(destructive_alignment) std::atomic<std::uint64_t> cursor{0};
    alignas(destructive_alignment) basic_job_bell<shared_atomics> bell;
    /// How many of `notes` were begun. Written by workers; relaxed: it hands out numbers.
    std::atomic<std::uint32_t> errors{0};
    std::byte result[most_result];
    error_note notes[kept_errors];
};

/// A worker, as both sides see it.
struct alignas(destructive_alignment) worker_slot {
    basic_doorbell<shared_atomics> bell;
    /// Whether it serves. Written by the worker with release, cleared by the parent.
    std::atomic<std::uint32_t> ready{0};
    /// Whether it shall end. Written by the parent, read by the worker between tasks.
    std::atomic<std::uint32_t> retire{0};
    /// When the attempt at work began, by the monotonic clock, where tasks have a deadline; 0: none
    /// is. Written by the worker; relaxed: the parent acts on it only after the worker's end.
    std::atomic<std::int64_t> begun_ns{0};
    /// Tasks committed by it and its predecessors. Written by the worker, read for statistics.
    std::atomic<std::uint64_t> committed{0};
    /// Why it could not serve. Written before it ends, read after that.
    char refusal[256];
    /// When the parent noticed that its predecessor had ended; 0: it is the first.
    std::int64_t replaced_ns;
    std::int32_t cpu; ///< What it is pinned to; -1: nothing.
    /// The process that was copied from the zygote. Written by the kernel before that process runs,
    /// so that one is known whose zygote dies in the next instant; cleared and read by the parent.
    std::atomic<std::int32_t> process{0};
};

/// How workers set themselves up.
struct worker_settings {
    std::uint64_t registry = 0; ///< Hash of the functions that the parent knows.
    bool own_program = false;   ///< The worker's program is another one, with functions of its own.
    bool deadlines = false;     ///< Whether the beginning of each attempt is to be noted.
    unsigned spinning_up_to = 0; ///< Workers spin before they sleep while there are no more.
    scheduling schedule{};
    std::uint64_t memory = 0;                ///< RLIMIT_DATA; 0: none.
    worker_step kill_at = worker_step::none; ///< For tests: where workers die.
    std::int32_t kill_by = 0;                ///< The signal of which they do.
    std::int32_t parent = 0;                 ///< The process that made the pool.
};

/// The begin of the control memory; the words of the tasks follow.
struct pool_control {
    worker_settings settings;
    /// For tests: how many workers are still to die. Written by workers.
    std::atomic<std::int32_t> kills_left{0};
    /// Workers that there are to be. Written by the parent, read by workers that might spin.
    std::atomic<std::uint32_t> workers{0};
    /// Whether the parent has jobs that wait for a slot, and wants to hear of every end.
    std::atomic<std::uint32_t> tell_parent{0};
    /// Over all workers that took a dead one's place; relaxed: statistics.
    std::atomic<std::uint64_t> respawns{0};
    std::atomic<std::int64_t> respawn_ns{0};
    std::atomic<std::int64_t> longest_respawn_ns{0};
    /// Spins of workers and waits that ended in a sleep; relaxed: statistics.
    std::atomic<std::uint64_t> vain_spins{0};

    alignas(destructive_alignment) basic_work_count<shared_atomics> work;
    /// Which slots have a job. Written by the parent, read by workers; seq_cst as `work`.
    std::atomic<std::uint64_t> jobs_at_work{0};
    job_slot jobs[most_jobs];
    worker_slot slots[most_workers];
};
inline constexpr std::uint64_t pool_layout = layout_hash<pool_control>("process_pool v6");

/// Whether workers, and threads that wait for them, spin before they sleep: only while each worker
/// and one thread more have a CPU. relaxed: nothing but time depends on it.
inline bool may_spin(const pool_control& control) noexcept {
    return control.workers.load(std::memory_order_relaxed) <= control.settings.spinning_up_to;
}

static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(most_workers <= task_word::max_slots);

} // namespace regatta::detail
