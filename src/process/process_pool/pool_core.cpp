// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/pool_core.hpp"

#include "process/kept_descriptor.hpp"
#include "process/process_pool/function_registry.hpp"
#include "process/process_pool/kill_point.hpp"
#include "process/process_pool/memory_wait.hpp"
#include "process/process_pool/pool_options.hpp"
#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/start_thread.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/sync/backoff.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// For tests: where workers are to die.
void read_kill_point(pool_control& control) {
    unsigned step = 0;
    int count = 0;
    int signal = SIGKILL;
    const char* text = std::getenv(kill_variable);
    if (text != nullptr && std::sscanf(text, "%u:%d:%d", &step, &count, &signal) >= 2) {
        control.settings.kill_by = signal;
        control.settings.kill_at = static_cast<worker_step>(step);
        control.kills_left.store(count, std::memory_order_relaxed);
    }
}

unique_descriptor make_event(const std::string& pool) {
    unique_descriptor event = kept_descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event) {
        fail_system(errno, "process pool '" + pool + "': make an event descriptor");
    }
    return event;
}

} // namespace

pool_core::pool_core(process_pool_options options)
    : options_(checked_options(std::move(options)))
    , memory_(options_.name, options_.shared_memory)
    , control_(memory_.control())
    , event_(make_event(options_.name))
    , fleet_(options_, memory_, event_.get())
    , jobs_(memory_, options_.attempts, options_.workers) {
    worker_settings& settings = control_.settings;
    settings.registry = hash_of_process_functions();
    settings.parent = ::getpid();
    settings.own_program = !options_.worker_program.empty();
    settings.deadlines = options_.deadline.count() > 0;
    settings.spinning_up_to = available_cpus() - 1;
    settings.schedule = options_.schedule;
    settings.memory = options_.worker_memory;
    read_kill_point(control_);
    // relaxed: the workers are started later.
    control_.workers.store(options_.workers, std::memory_order_relaxed);
}

void pool_core::start() {
    monitor_ = detail::start_thread({options_.name, "/monitor"}, [this] { monitor(); });
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return started_; });
    if (start_error_ != nullptr) {
        lock.unlock();
        monitor_.join();
        std::rethrow_exception(start_error_);
    }
}

void pool_core::refuse_fork(const char* what) const {
    if (elsewhere()) {
        fail_system(ESRCH, "process pool '" + options_.name + "': " + what +
                               " in a fork of the process that made it");
    }
}

void pool_core::begin(const record_pointer& job, const process_call& call) {
    job->function = &call.function;
    job->input = call.input;
    job->output = call.output;
    job->argument_bytes = call.argument_bytes;
    job->result_bytes = call.result_bytes;
    std::memcpy(job->bytes.data(), call.arguments.data(), call.argument_bytes);
    job->tasks = call.tasks;
    bool tell = false;
    {
        const std::lock_guard lock(lock_);
        if (closed_) {
            fail_state("process pool '" + options_.name + "' is closed");
        }
        if (call.function.ambiguous) {
            fail_state("process pool '" + options_.name + "': two functions are called " +
                       std::string(call.function.name) + ": put one into a namespace");
        }
        // First: where there is no memory for it, it is no job of this pool.
        unfinished_.push_back(job);
        job->place = unfinished_.size() - 1;
        last_job_ += last_job_ == UINT32_MAX ? 2 : 1; // 0 is no job.
        job->generation = last_job_;
        try {
            jobs_.begin(*job);
        } catch (...) {
            unfinished_.pop_back();
            job->generation = 0; // It is no job of this pool.
            throw;
        }
        tell = must_tell();
    }
    if (job->tasks == 0) {
        finish(*job);
    } else if (job->slot.load(std::memory_order_relaxed) < 0) {
        try {
            collect_all(false); // Jobs that ended before they knew that this one waits for it.
        } catch (const std::bad_alloc&) {
            tell = true; // It has begun: the monitor collects them.
        }
    }
    // seq_cst: after the job was added; partner is the store of the monitor, which then looks.
    if (tell || options_.deadline.count() > 0 || gave_up_.load()) {
        raise_event();
    }
}

bool pool_core::wait(job_record& job, const time_point* deadline, bool for_future) {
    const bool collects = for_future || !job.reported;
    const bool spins =
        may_spin(control_) && (deadline == nullptr || *deadline > std::chrono::steady_clock::now());
    const auto over = [&] { return job.done.load() || (for_future && job.abandoned.load()); };
    if (!over()) {
        refuse_fork("wait for a job");
    }
    bool attending = false;
    bool spun = false;
    unsigned polls = 0;
    for (backoff pace; !over();) {
        // acquire: partner is the release of job_table::publish().
        const int slot = job.slot.load(std::memory_order_acquire);
        if (slot < 0) {
            std::unique_lock lock(lock_);
            const auto moved = [&] {
                return over() || job.slot.load(std::memory_order_relaxed) >= 0;
            };
            if (deadline == nullptr) {
                changed_.wait(lock, moved);
            } else if (!changed_.wait_until(lock, *deadline, moved)) {
                return false;
            }
            continue;
        }
        auto& bell = control_.jobs[slot].bell;
        if (for_future && !std::exchange(attending, true)) {
            bell.attend(job.generation);
        }
        // In this order: the bell of a job that was settled may be that of the next one.
        const auto complete = [&] {
            return collects && bell.complete(job.generation) &&
                   !job.settled.load(std::memory_order_relaxed);
        };
        if (complete()) {
            collect(job);
        } else if (spins && (polls++ < eager_polls || pace.pause())) {
            REGATTA_CPU_RELAX();
        } else {
            if (spins && !std::exchange(spun, true)) {
                control_.vain_spins.fetch_add(1, std::memory_order_relaxed);
            }
            const std::uint32_t ticket = bell.announce();
            const bool in_time = complete() || over() || bell.sleep(ticket, deadline);
            bell.awake();
            if (!in_time && !complete()) {
                return over();
            }
        }
    }
    return true;
}

bool pool_core::wait_for_result(job_record& job, const time_point* deadline) {
    const auto leave = [&] {
        // acquire: as in wait().
        if (const int slot = job.slot.load(std::memory_order_acquire); slot >= 0) {
            control_.jobs[slot].bell.leave(job.generation);
        }
    };
    try {
        const bool over = wait(job, deadline, true);
        leave();
        // If it ended before that, its worker may have left it to this thread.
        return job.done.load() || collect(job) || over;
    } catch (...) {
        leave();
        raise_event(); // As above: now it is left to the monitor.
        throw;
    }
}

bool pool_core::wait_for_all(const time_point* deadline) {
    refuse_fork("wait");
    std::vector<record_pointer> all;
    {
        const std::lock_guard lock(lock_);
        all = unfinished_;
    }
    return std::all_of(all.begin(), all.end(),
                       [&](const record_pointer& job) { return wait(*job, deadline); });
}

bool pool_core::collect(job_record& job) {
    record_pointer keep;
    bool tell = false;
    {
        const std::lock_guard lock(lock_);
        if (!jobs_.collect(job)) {
            return false;
        }
        if (!job.reported) {
            keep = mark_done(job);
        }
        tell = must_tell(); // A job that has waited may have got the slot.
    }
    changed_.notify_all(); // Its waiters: before code of the user's runs, which may wait for them.
    if (tell) {
        raise_event();
    }
    if (keep == nullptr) {
        finish(job);
    } else {
        ring(job);
    }
    return true;
}

void pool_core::collect_all(bool with_reported) {
    settled_jobs settled;
    bool tell = false;
    {
        const std::lock_guard lock(lock_);
        settled = jobs_.collect_all(with_reported);
        tell = must_tell();
    }
    if (settled.count != 0) {
        changed_.notify_all(); // As in collect().
    }
    if (tell) {
        raise_event();
    }
    for (job_record* const job : std::span(settled.jobs).first(settled.count)) {
        finish(*job);
    }
    if (settled.lacking) {
        throw std::bad_alloc();
    }
}

void pool_core::finish(job_record& job) {
    if (job.future) {
        (*job.future)();
        job.future.reset();
    } else if (job.reported && job.failed()) {
        std::uint64_t before = 0;
        {
            const std::lock_guard lock(lock_);
            before = reported_++;
        }
        try {
            job.check();
        } catch (...) {
            options_.on_error.report(std::current_exception(), before, "process pool",
                                     options_.name.c_str());
        }
    }
    record_pointer keep;
    {
        const std::lock_guard lock(lock_);
        keep = mark_done(job);
    }
    ring(job);
}

pool_core::record_pointer pool_core::mark_done(job_record& job) {
    unfinished_.back()->place = job.place;
    std::swap(unfinished_[job.place], unfinished_.back());
    record_pointer keep = std::move(unfinished_.back());
    unfinished_.pop_back();
    // seq_cst: before the ring; partner is wait().
    job.done.store(true);
    return keep;
}

void pool_core::ring(const job_record& job) noexcept {
    const int slot = job.slot.load(std::memory_order_relaxed);
    if (slot >= 0) {
        control_.jobs[slot].bell.ring();
    }
    changed_.notify_all();
}

std::size_t pool_core::cancel(job_record& job) {
    if (elsewhere()) {
        return 0;
    }
    std::size_t cancelled = 0;
    bool queued = false;
    {
        const std::lock_guard lock(lock_);
        if (job.done.load(std::memory_order_relaxed) || job.generation == 0) {
            return 0;
        }
        const bool was_settled = job.settled.load(std::memory_order_relaxed);
        cancelled = jobs_.cancel(job);
        queued = !was_settled && job.settled.load(std::memory_order_relaxed);
    }
    if (queued) {
        finish(job);
    }
    raise_event();
    return cancelled;
}

void pool_core::abandon(job_record& job) noexcept {
    job.abandoned.store(true);
    try {
        cancel(job);
    } catch (const std::bad_alloc&) {
    }
    ring(job);
}

std::size_t pool_core::progress(const job_record& job) {
    refuse_fork("look at the progress of a job");
    const std::lock_guard lock(lock_);
    return jobs_.progress(job);
}

void pool_core::resize(unsigned workers) {
    refuse_fork("resize");
    if (workers == 0 || workers > most_workers) {
        fail_argument("process pool '" + options_.name + "': resize to " + std::to_string(workers) +
                      ", possible are 1 to " + std::to_string(most_workers));
    }
    // relaxed: read by the monitor, which the event wakes, and by who might spin.
    control_.workers.store(workers, std::memory_order_relaxed);
    {
        const std::lock_guard lock(lock_);
        retry_ = true;
        jobs_.expect(workers);
    }
    raise_event();
}

unsigned pool_core::size() const noexcept {
    return control_.workers.load(std::memory_order_relaxed);
}

process_pool_stats pool_core::stats() const {
    process_pool_stats all;
    if (elsewhere()) { // A thread that does not exist here may hold the lock.
        return all;
    }
    {
        const std::lock_guard lock(lock_);
        all = jobs_.counts;
    }
    fleet_.add_to(all);
    all.vain_spins = control_.vain_spins.load(std::memory_order_relaxed);
    return all;
}

void pool_core::close() {
    if (elsewhere()) {
        return;
    }
    {
        const std::lock_guard lock(lock_);
        closed_ = true;
    }
    once_there_is_memory([this] { wait_for_all(nullptr); });
    {
        const std::lock_guard lock(lock_);
        ending_ = true;
    }
    raise_event();
    const std::lock_guard lock(closing_);
    if (monitor_.joinable()) {
        monitor_.join();
    }
}

void pool_core::raise_event() const noexcept {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(event_.get(), &one, sizeof one));
}

} // namespace regatta::detail
