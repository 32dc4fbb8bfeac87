// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/worker_loop.hpp"

#include "process/process_pool/control_block.hpp"
#include "process/process_pool/function_registry.hpp"
#include <regatta/base/config.hpp>
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/process/process_job.hpp>
#include <regatta/sync/backoff.hpp>

#include <cxxabi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

namespace regatta::detail {
namespace {

/// The exit status of a worker that cannot tell its parent of what it has done.
constexpr int lost_event_status = 4;

/// The name of the type of the exception that is being handled, as it is written in a program; as
/// the compiler spells it where there is no memory for more.
class type_name {
public:
    type_name() noexcept {
        const std::type_info* const type = abi::__cxa_current_exception_type();
        if (type != nullptr) {
            int status = 0;
            written_ = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
            text_ = written_ != nullptr ? written_ : type->name();
        }
    }
    type_name(const type_name&) = delete;
    type_name& operator=(const type_name&) = delete;
    ~type_name() { std::free(written_); }
    const char* text() const noexcept { return text_; }

private:
    char* written_ = nullptr;
    const char* text_ = "an unknown type";
};

/// Copies a text as far as there is room for whole characters of UTF-8, which have at most 4 bytes.
template<std::size_t Size>
void copy_text(char (&to)[Size], const char* from) noexcept {
    if (std::snprintf(to, Size, "%s", from) < static_cast<int>(Size)) {
        return;
    }
    const auto is_inner = [&](std::size_t at) {
        return (static_cast<unsigned char>(from[at]) & 0xC0u) == 0x80u;
    };
    std::size_t end = Size - 1;
    while (end > Size - 4 && is_inner(end)) {
        --end;
    }
    to[is_inner(end) ? Size - 1 : end] = '\0'; // No UTF-8: as much as there is room for.
}

/// Made in the worker itself, not in the zygote that it may be a copy of.
const process_stamp& stamp_of_worker() noexcept {
    static const process_stamp stamp;
    return stamp;
}

/// Raises the parent's event. Where a task has closed the descriptor this worker ends: its end
/// tells the parent as well, which looks at all jobs then.
void tell_parent() noexcept {
    const std::uint64_t one = 1;
    while (::write(event_descriptor, &one, sizeof one) != static_cast<ssize_t>(sizeof one)) {
        if (errno == EAGAIN) {
            return; // It is raised, more often than can be counted.
        }
        if (errno != EINTR) {
            std::fprintf(stderr,
                         "regatta: worker of a process pool: cannot tell its parent of the end of "
                         "a job by descriptor %d (%s): has a task closed it?\n",
                         event_descriptor, std::strerror(errno));
            std::fflush(nullptr);
            ::_exit(lost_event_status);
        }
    }
}

} // namespace

void end_fork_of_worker() noexcept {
    if (process_stamp::in_fork() && stamp_of_worker().elsewhere()) {
        ::_exit(EXIT_FAILURE); // What is in the buffers of its streams is the worker's to write.
    }
}

worker_loop::worker_loop(const worker_maps& maps, unsigned slot) noexcept
    : maps_(maps)
    , control_(maps.control())
    , mine_(maps.control().slots[slot])
    , slot_(slot) {
    static_cast<void>(stamp_of_worker());
}

/// `spawn` has asked the kernel to end this process with its parent. The start of a program that
/// has capabilities, or is set-user-id, has taken that back, and so does a task that changes the
/// user. Where `worker_program` is a script, that may have asked for nothing: a worker that is no
/// child of the parent's own leads no group of processes.
void worker_loop::stay_with_parent() const noexcept {
    int asked = 0;
    if ((::prctl(PR_GET_PDEATHSIG, &asked, 0, 0, 0) == 0 && asked == SIGKILL) ||
        ::getpgrp() != ::getpid()) {
        return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // It may have ended before that. One outside of this process's namespace is shown as 0.
    const pid_t parent = ::getppid();
    if (parent != control_.settings.parent && parent != 0) {
        ::_exit(EXIT_FAILURE);
    }
}

void worker_loop::serve() {
    stay_with_parent();
    std::uint32_t seen = 0;
    for (backoff pace; !retiring();) {
        seen = control_.work.look();
        if (look_for_work()) {
            pace.reset();
            continue;
        }
        const bool spins = may_spin(control_);
        unsigned polls = 0;
        while (spins && control_.work.look() == seen && (polls++ < eager_polls || pace.pause())) {
            REGATTA_CPU_RELAX();
        }
        if (control_.work.look() != seen) {
            continue;
        }
        if (spins) {
            control_.vain_spins.fetch_add(1, std::memory_order_relaxed);
        }
        stay_with_parent();
        const std::uint32_t ticket = mine_.bell.announce();
        step(worker_step::sleeping);
        if (control_.work.look() == seen && !retiring()) {
            mine_.bell.sleep(ticket);
        }
        mine_.bell.awake();
        pace.reset();
    }
}

bool worker_loop::retiring() const noexcept {
    // acquire: what the parent did before it is over; nothing rests on it.
    return mine_.retire.load(std::memory_order_acquire) != 0;
}

bool worker_loop::look_for_work() {
    struct candidate {
        std::uint32_t generation;
        unsigned index;
    };
    std::array<candidate, most_jobs> found;
    std::size_t count = 0;
    // seq_cst: after the look at the work count; partner is the parent's store before it counts.
    for (auto left = control_.jobs_at_work.load(std::memory_order_seq_cst); left != 0;
         left &= left - 1) {
        const auto index = static_cast<unsigned>(std::countr_zero(left));
        // relaxed: only for the order; work_on() looks again.
        found[count++] = {control_.jobs[index].generation.load(std::memory_order_relaxed), index};
    }
    // By age; the numbers go round after 2^32.
    std::sort(found.begin(), found.begin() + count, [](const candidate& a, const candidate& b) {
        return static_cast<std::int32_t>(a.generation - b.generation) < 0;
    });
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
        any = work_on(found[i].index) || any;
    }
    return any;
}

bool worker_loop::work_on(unsigned index) {
    job_slot& job = control_.jobs[index];
    // acquire: partner is the parent's release: publishes the job.
    const std::uint32_t generation = job.generation.load(std::memory_order_acquire);
    // Before the look at the words: tasks that come back later are looked for later. acquire: those
    // that had come back before are seen as pending.
    const std::uint32_t requeues = job.requeues.load(std::memory_order_acquire);
    finished_look& last = looks_[index];
    if (generation == 0 || (last.generation == generation && last.requeues == requeues)) {
        return false;
    }
    // relaxed: published by the generation, or of a job that is over, of which none can be claimed.
    const std::uint64_t tasks = job.tasks.load(std::memory_order_relaxed);
    auto* const words = maps_.words_of(job.words.load(std::memory_order_relaxed), tasks);
    if (words == nullptr) {
        return false;
    }
    std::uint64_t committed = 0;
    const bool over = task_words(words, static_cast<std::size_t>(tasks), generation)
                          .work(
                              job.cursor, slot_, [this] { return retiring(); },
                              [&](std::size_t task, unsigned attempt) {
                                  ++committed;
                                  return run({generation, task, attempt, slot_}, job);
                              },
                              [this](worker_step at) { step(at); });
    if (control_.settings.deadlines) {
        mine_.begun_ns.store(0, std::memory_order_relaxed); // After a claim that failed.
    }
    if (over && !job.bell.complete(generation)) {
        step(worker_step::swept);
        end_job(job, generation);
    }
    if (!retiring()) {
        last = {generation, requeues};
    }
    return committed != 0;
}

void worker_loop::step(worker_step at) noexcept {
    if (at == worker_step::claimed) {
        mine_.bell.answer();
    }
    if (control_.settings.deadlines) {
        // From before the claim on, so that no claim is ever held without. relaxed: see begun_ns.
        if (at == worker_step::claiming) {
            mine_.begun_ns.store(monotonic_ns(), std::memory_order_relaxed);
        } else if (at == worker_step::committed) {
            mine_.begun_ns.store(0, std::memory_order_relaxed);
        }
    }
    at_step(control_, at);
}

void worker_loop::end_job(job_slot& job, std::uint32_t generation) {
    // Of a job that was still this one when it was found complete; if the parent knew it already,
    // it may be another by now, which it then does not mark.
    const bool reported = job.tell_parent;
    job.bell.mark(generation);
    // seq_cst: partner is the parent, which sets it and then looks for itself.
    const bool tell = control_.tell_parent.load(std::memory_order_seq_cst) != 0 ||
                      (reported && !job.bell.attended(generation));
    step(worker_step::completed);
    job.bell.ring();
    step(worker_step::rung);
    if (tell) {
        tell_parent();
    }
}

task_status worker_loop::run(const process_task& task, job_slot& job) noexcept {
    task_status how = task_status::done;
    try {
        const unsigned removed = removed_process_functions();
        if (function_ == nullptr || removed != removed_ || function_->id != job.function) {
            function_ = find_process_function(job.function);
            removed_ = removed;
        }
        if (function_ == nullptr) {
            how = task_status::threw;
            note_error(job, task, "regatta::unknown_function",
                       "the worker's program does not know the function; it has to name it in "
                       "offer_process_functions");
        } else {
            function_->call({task, maps_, job.input, job.output, job.arguments, job.result});
        }
    } catch (const std::exception& error) {
        how = task_status::threw;
        note_error(job, task, type_name().text(), error.what());
    } catch (...) {
        how = task_status::threw;
        note_error(job, task, type_name().text(), "");
    }
    // relaxed: statistics. Only this worker writes it.
    mine_.committed.store(mine_.committed.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
    return how;
}

void worker_loop::note_error(job_slot& job, const process_task& task, const char* type,
                             const char* text) noexcept {
    const std::uint32_t index = job.errors.fetch_add(1, std::memory_order_relaxed);
    if (index < kept_errors) {
        error_note& note = job.notes[index];
        note.task = task.index;
        copy_text(note.type, type);
        copy_text(note.text, text);
        note.attempt = task.attempt;
    }
}

} // namespace regatta::detail
