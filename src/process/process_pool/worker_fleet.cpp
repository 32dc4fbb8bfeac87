// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/worker_fleet.hpp"

#include "process/kept_descriptor.hpp"
#include "process/process_pool/control_block.hpp"
#include "process/process_pool/memory_wait.hpp"
#include "process/process_pool/oom_kills.hpp"
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/subprocess.hpp>

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// How long a worker that was rung may take to come before others are rung in its place.
constexpr std::chrono::milliseconds patience_with_sleepers{10};

/// Whether a signal has stopped the process, not a debugger; false where /proc does not tell.
bool is_stopped(pid_t process) {
    const auto stat = read_small_file("/proc/" + std::to_string(process) + "/stat");
    const std::size_t state = stat ? stat->rfind(')') : std::string::npos; // Behind the name.
    return state != std::string::npos && stat->compare(state, 3, ") T") == 0;
}

} // namespace

worker_fleet::worker_fleet(const process_pool_options& options, pool_arenas& memory, int event)
    : options_(options)
    , memory_(memory)
    , control_(memory.control())
    , event_(event)
    , members_(most_workers)
    , oom_kills_(count_oom_kills()) {
    null_ = kept_descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null_) { // Without it the workers would read what is meant for this program.
        fail_system(errno, "process pool '" + options_.name + "': open /dev/null");
    }
    passed_.reserve(options_.descriptors.size()); // What is opened has an owner at once.
    for (const inherited_descriptor& one : options_.descriptors) {
        passed_.emplace_back(::fcntl(one.parent, F_DUPFD_CLOEXEC, 3));
        if (!passed_.back()) {
            fail_system(errno, "process pool '" + options_.name + "': pass on descriptor " +
                                   std::to_string(one.parent) + " as " + std::to_string(one.child));
        }
    }
}

void worker_fleet::adjust(unsigned workers) {
    wanted_ = workers;
    for (unsigned slot = 0; slot < most_workers; ++slot) {
        member& one = members_[slot];
        if (slot < workers && !one.running && given_up_.empty() &&
            next_start(one) <= clock::now()) {
            start(slot);
        } else if (slot >= workers && one.running && !one.retiring) {
            one.retiring = true;
            // release: partner is worker_loop::retiring(). Then the count, so that one that is
            // about to sleep looks again.
            control_.slots[slot].retire.store(1, std::memory_order_release);
            control_.work.add();
            control_.slots[slot].bell.ring();
        }
    }
}

bool worker_fleet::take_failed_start(unsigned slot) noexcept {
    return std::exchange(members_[slot].start_failed, false);
}

void worker_fleet::start(unsigned slot) {
    const std::lock_guard starting(starting_);
    member& one = members_[slot];
    worker_slot& shared = control_.slots[slot];
    shared.bell.reset();
    // relaxed, all: there is no worker in the slot; spawning publishes it.
    shared.ready.store(0, std::memory_order_relaxed);
    shared.retire.store(0, std::memory_order_relaxed);
    shared.begun_ns.store(0, std::memory_order_relaxed);
    shared.refusal[0] = '\0';
    shared.replaced_ns = one.died_ns;
    shared.cpu = -1;
    if (!options_.pin.empty()) {
        shared.cpu = static_cast<std::int32_t>(
            *std::next(options_.pin.begin(), slot % options_.pin.count()));
    }
    std::optional<subprocess> process;
    bool copied = false;
    try {
        const spawn_options wanted = options_of(slot);
        if (options_.zygote) {
            process = zygote_.start(slot, shared, wanted);
        }
        copied = process.has_value();
        if (!copied) {
            process = spawn(wanted);
        }
    } catch (const std::exception& error) {
        // A copy may have run until it was found that it cannot be watched, and may have slept: it
        // must not be counted nor rung any more.
        shared.ready.store(0, std::memory_order_relaxed); // As above.
        shared.bell.reset();
        one.start_failed = true;
        if (std::exchange(first_, false)) {
            throw;
        }
        // What is lacking, descriptors or memory, would be lacking for the others as well: they
        // wait, too, and a short lack counts once, however many workers there are.
        resume_ = saturated_sum(clock::now(), longest_back_off());
        count_failed_start(error.what());
        return;
    }
    first_ = false;
    if (options_.pin.empty()) {
        // It has inherited the CPU of this thread, also where each is to have one of its own. It
        // stays there where it cannot be moved.
        static_cast<void>(options_.cpus.try_enter_worker(process->pid()));
    }
    if (control_.settings.kill_at == worker_step::started &&
        control_.kills_left.fetch_sub(1, std::memory_order_relaxed) > 0) {
        process->kill(SIGKILL);
    }
    const std::lock_guard lock(lock_);
    one.process = std::move(*process);
    one.running = true;
    one.retiring = false;
    one.killed_at = 0;
    one.rung_ns = 0;
    one.awake_ns = 0;
    one.seen_ready = false;
    one.committed = shared.committed.load(std::memory_order_relaxed);
    ++counts_.spawned;
    counts_.copied += copied ? 1 : 0;
}

spawn_options worker_fleet::options_of(unsigned slot) const {
    spawn_options wanted{
        .program = options_.worker_program.empty() ? "/proc/self/exe" : options_.worker_program,
        .arguments = {pool_worker_flag, std::to_string(slot),
                      options_.name + "/" + std::to_string(slot)},
        .environment = options_.environment,
        .directory = options_.directory,
        .standard_input = null_.get(),
        .descriptors = {{memory_.of(pool_segment::control).descriptor(), control_descriptor},
                        {memory_.of(pool_segment::input).descriptor(), input_descriptor},
                        {memory_.of(pool_segment::output).descriptor(), output_descriptor},
                        {event_, event_descriptor}},
        .own_process_group = true};
    wanted.arguments.insert(wanted.arguments.end(), options_.worker_arguments.begin(),
                            options_.worker_arguments.end());
    for (std::size_t i = 0; i < passed_.size(); ++i) {
        wanted.descriptors.push_back({passed_[i].get(), options_.descriptors[i].child});
    }
    return wanted;
}

void worker_fleet::watch(std::vector<pollfd>& polled) const {
    for (const member& one : members_) {
        if (one.running) {
            polled.push_back({one.process.pidfd(), POLLIN, 0});
        }
    }
    if (zygote_.pidfd() >= 0) {
        polled.push_back({zygote_.pidfd(), POLLIN, 0}); // The last: bury() looks at it alone.
    }
}

std::vector<worker_death> worker_fleet::bury(std::span<const pollfd> watched) {
    if (zygote_.pidfd() >= 0 && !watched.empty() && watched.back().fd == zygote_.pidfd() &&
        watched.back().revents != 0) {
        zygote_.bury();
    }
    std::vector<worker_death> deaths;
    std::optional<std::uint64_t> oom_kills; // One look for all that have ended by now.
    bool looked = false;
    auto next = watched.begin();
    for (unsigned slot = 0; slot < most_workers && next != watched.end(); ++slot) {
        member& one = members_[slot];
        if (!one.running || (next++)->revents == 0) {
            continue;
        }
        bool expected = false;
        worker_death death;
        once_there_is_memory([&] {
            deaths.reserve(deaths.size() + 1);
            if (!std::exchange(looked, true)) {
                oom_kills = count_oom_kills();
            }
            death = describe_end(slot, oom_kills, expected);
        });
        worker_slot& shared = control_.slots[slot];
        // acquire: partner is the worker's release; all is published by its end anyway.
        const bool was_ready = shared.ready.exchange(0, std::memory_order_acquire) != 0;
        shared.bell.reset(); // Nobody is rung here until another worker sleeps.
        one.died_ns = expected ? 0 : monotonic_ns();
        one.due = clock::now();
        if (!expected) {
            const bool useful = shared.committed.load(std::memory_order_relaxed) != one.committed;
            one.deaths = useful ? 0 : one.deaths + 1;
            if (one.deaths > 2) {
                one.due += std::min<std::chrono::nanoseconds>(
                    longest_back_off(),
                    std::chrono::milliseconds(1 << std::min(one.deaths - 3, 20u)));
            }
            if (was_ready) {
                failed_starts_ = 0;
            } else {
                once_there_is_memory([&] {
                    count_failed_start(shared.refusal[0] != '\0' ? shared.refusal : death.text);
                });
            }
        }
        deaths.push_back(std::move(death));
    }
    oom_kills_ = oom_kills ? oom_kills : oom_kills_; // Kills of others are no news any more.
    return deaths;
}

worker_death worker_fleet::describe_end(unsigned slot, std::optional<std::uint64_t> oom_kills,
                                        bool& expected) {
    member& one = members_[slot];
    worker_death death{slot};
    bool known = true; // How it has ended.
    const std::lock_guard lock(lock_);
    try {
        const exit_status status = one.process.wait();
        death.signal = status.signal();
        death.status = status.exited() ? status.code() : 0;
        death.text = status.describe();
        // When all are to end, one may be killed that is stopped: it has no task.
        expected = one.retiring && (status.success() || wanted_ == 0);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        // Something else in this process has waited for it, as was perhaps found before there was
        // memory to say so. It has ended all the same.
        known = false;
        death.text = "ended, and something else in this program has waited for it";
        expected = one.retiring;
    }
    if (expected) {
        // Nothing to count.
    } else if (one.killed_at != 0 && (death.signal == SIGKILL || !known)) {
        // Not one that crashed just then, or that the kernel was dumping.
        ++counts_.deadline_kills;
        death.cause = failure_cause::deadline;
        // Another attempt than the one that took too long: it is not to blame.
        death.charged =
            control_.slots[slot].begun_ns.load(std::memory_order_relaxed) == one.killed_at;
    } else if (death.signal == SIGKILL && oom_kills && oom_kills_ && *oom_kills > *oom_kills_) {
        ++*oom_kills_;
        ++counts_.memory_kills;
        death.cause = failure_cause::memory;
    }
    counts_.deaths += expected ? 0 : 1;
    one.running = false;
    one.process = subprocess();
    return death;
}

void worker_fleet::count_failed_start(const std::string& why) {
    bool any_ready = false;
    for (unsigned slot = 0; slot < most_workers; ++slot) {
        member& one = members_[slot];
        // relaxed: only that it has come so far.
        if (one.running && control_.slots[slot].ready.load(std::memory_order_relaxed) != 0) {
            any_ready = true;
            if (!std::exchange(one.seen_ready, true)) {
                failed_starts_ = 0; // It has become ready since the last failure.
            }
        }
    }
    ++failed_starts_;
    // While one serves, no task needs the others, which are tried again at the longest back-off.
    // Its own end begins the count anew.
    if (failed_starts_ >= options_.failed_starts && !any_ready) {
        given_up_ = std::to_string(failed_starts_) +
                    " workers in a row did not become ready; the last one: " + why;
    }
}

void worker_fleet::enforce_deadline() {
    if (options_.deadline.count() <= 0) {
        return;
    }
    const std::int64_t now = monotonic_ns();
    for (unsigned slot = 0; slot < most_workers; ++slot) {
        member& one = members_[slot];
        const std::int64_t begun = control_.slots[slot].begun_ns.load(std::memory_order_relaxed);
        if (one.running && one.killed_at == 0 && begun != 0 &&
            now - begun >= options_.deadline.count()) {
            one.killed_at = begun;
            one.process.kill(SIGKILL);
        }
        // relaxed: if it has begun and this does not see it yet, it is not stopped, and is spared.
        if (!one.running || one.killed_at != 0 || begun != 0 ||
            control_.slots[slot].bell.asleep()) {
            one.awake_ns = 0;
        } else if (one.awake_ns == 0) {
            one.awake_ns = now;
        } else if (now - one.awake_ns >= longest_absence().count()) {
            if (is_stopped(one.process.pid())) {
                one.killed_at = one.awake_ns; // Not the begin of an attempt: none is charged.
                one.process.kill(SIGKILL);
            }
            one.awake_ns = now; // It waits for a CPU.
        }
    }
}

bool worker_fleet::ring_was_lost(bool rung) {
    const auto now = clock::now();
    bool lost = false;
    bool again = rung;
    if (next_look_ && *next_look_ <= now) {
        next_look_.reset();
        for (unsigned slot = 0; slot < most_workers; ++slot) {
            member& one = members_[slot];
            std::uint32_t ring = 0;
            if (!one.running || !control_.slots[slot].bell.unanswered(ring)) {
                one.rung_ns = 0;
            } else if (one.rung_ns == 0 || one.ring != ring) {
                one.ring = ring;
                one.rung_ns = monotonic_ns();
                one.lost = false;
                again = true;
            } else if (!std::exchange(one.lost, true)) {
                lost = true;
                again = true; // At those that are rung now.
            }
        }
    }
    if (again && !next_look_) {
        next_look_ = now + patience_with_sleepers;
    }
    return lost;
}

std::chrono::nanoseconds worker_fleet::longest_back_off() const noexcept {
    return std::max(saturated_nanoseconds(options_.longest_back_off), std::chrono::nanoseconds(0));
}

std::chrono::nanoseconds worker_fleet::longest_absence() const noexcept {
    return std::max<std::chrono::nanoseconds>(options_.deadline, patience_with_sleepers);
}

std::optional<worker_fleet::clock::time_point> worker_fleet::next(bool jobs) const {
    std::optional<clock::time_point> earliest = next_look_;
    const auto take = [&](clock::time_point at) { earliest = std::min(earliest.value_or(at), at); };
    const bool deadlines = jobs && options_.deadline.count() > 0;
    if (deadlines) {
        take(saturated_sum(clock::now(), options_.deadline)); // For an attempt that begins now.
    }
    for (unsigned slot = 0; slot < most_workers; ++slot) {
        const member& one = members_[slot];
        const std::int64_t begun = control_.slots[slot].begun_ns.load(std::memory_order_relaxed);
        if (one.running && deadlines && begun != 0 && one.killed_at == 0) {
            take(saturated_sum(clock::time_point(std::chrono::nanoseconds(begun)),
                               options_.deadline));
        }
        if (one.running && deadlines && one.awake_ns != 0 && one.killed_at == 0) {
            take(saturated_sum(clock::time_point(std::chrono::nanoseconds(one.awake_ns)),
                               longest_absence()));
        }
        if (!one.running && slot < wanted_ && given_up_.empty()) {
            take(next_start(one));
        }
    }
    return earliest;
}

bool worker_fleet::any() const noexcept {
    return std::any_of(members_.begin(), members_.end(),
                       [](const member& one) { return one.running; });
}

void worker_fleet::kill_all() {
    for (member& one : members_) {
        if (one.running) {
            one.process.kill(SIGKILL);
        }
    }
}

bool worker_fleet::signal(unsigned slot, int number) {
    const std::scoped_lock both(starting_, lock_);
    return slot < most_workers && members_[slot].running && members_[slot].process.kill(number);
}

void worker_fleet::add_to(process_pool_stats& stats) const {
    {
        const std::lock_guard lock(lock_);
        stats.deaths = counts_.deaths;
        stats.deadline_kills = counts_.deadline_kills;
        stats.memory_kills = counts_.memory_kills;
        stats.spawned = counts_.spawned;
        stats.copied = counts_.copied;
    }
    // relaxed, all: statistics.
    const std::uint64_t respawns = control_.respawns.load(std::memory_order_relaxed);
    stats.mean_respawn = std::chrono::nanoseconds(
        respawns == 0 ? 0
                      : control_.respawn_ns.load(std::memory_order_relaxed) /
                            static_cast<std::int64_t>(respawns));
    stats.longest_respawn =
        std::chrono::nanoseconds(control_.longest_respawn_ns.load(std::memory_order_relaxed));
    for (const worker_slot& slot : control_.slots) {
        stats.workers += slot.ready.load(std::memory_order_relaxed) != 0 ? 1 : 0;
    }
}

} // namespace regatta::detail
