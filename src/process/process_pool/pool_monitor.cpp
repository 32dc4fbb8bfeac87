// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The thread of a process pool that starts its workers, buries them, and completes futures.

#include "process/poll_descriptors.hpp"
#include "process/process_pool/memory_wait.hpp"
#include "process/process_pool/pool_core.hpp"
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// How long idle workers that were told to end may take before they are killed: one may be stopped.
constexpr std::chrono::milliseconds grace{500};

} // namespace

void pool_core::monitor() {
    std::optional<time_point> killing;
    std::vector<pollfd> polled;
    for (bool first = true, ending = false; !ending || fleet_.any(); first = false) {
        std::exception_ptr failed; // Later it is memory alone: what is left is done the next time.
        try {
            if (first) {
                platform::name_this_thread((options_.name + "/monitor").c_str());
                polled.reserve(most_workers + 2); // The event, and the zygote.
            }
            if (first && options_.cpus) {
                if (const int error = options_.cpus.try_enter()) {
                    fail_system(error, "process pool '" + options_.name + "': enter its CPUs");
                }
            }
            // relaxed: see resize().
            fleet_.adjust(ending ? 0 : control_.workers.load(std::memory_order_relaxed));
        } catch (const std::exception&) {
            failed = std::current_exception();
        }
        if (first) {
            {
                const std::lock_guard lock(lock_);
                started_ = true;
                start_error_ = failed;
            }
            changed_.notify_all();
            if (failed != nullptr) {
                return;
            }
        }
        // Before another worker is started there: a copy that could not be watched may have claimed
        // a task.
        for (unsigned slot = 0; slot < most_workers; ++slot) {
            if (fleet_.take_failed_start(slot)) {
                once_there_is_memory([&] {
                    const std::lock_guard lock(lock_);
                    jobs_.recover({.slot = slot, .charged = false});
                });
            }
        }
        // Before each sleep: no worker is left then that could end it, and who begins a job only
        // does if this says so. seq_cst, and by who begins a job after it was added under the lock:
        // either it sees this, or this its job.
        gave_up_.store(!fleet_.given_up().empty());
        if (gave_up_.load() && !fleet_.any()) {
            once_there_is_memory([this] { give_up(); });
        }
        bool jobs = false;
        {
            const std::lock_guard lock(lock_);
            jobs = jobs_.any();
            if (fleet_.ring_was_lost(jobs_.take_rung()) && jobs) {
                jobs_.ring(most_workers);
            }
            watching_ = fleet_.watches_bells();
        }
        polled.assign(1, {event_.get(), POLLIN, 0});
        fleet_.watch(polled);
        once_there_is_memory([&] { poll_until_something(polled, jobs, killing); });
        // Before a worker is started in its place, whose tasks would be taken for the dead one's.
        for (const worker_death& death : fleet_.bury(std::span(polled).subspan(1))) {
            once_there_is_memory([&] {
                const std::lock_guard lock(lock_);
                jobs_.recover(death);
            });
        }
        {
            const std::lock_guard lock(lock_);
            if (std::exchange(retry_, false)) {
                fleet_.retry();
            }
        }
        once_there_is_memory([this] { fleet_.enforce_deadline(); });
        once_there_is_memory([this] { collect_all(true); });
        {
            const std::lock_guard lock(lock_);
            ending = ending_;
        }
        if (ending && !killing) {
            killing = std::chrono::steady_clock::now() + grace;
        } else if (killing && *killing <= std::chrono::steady_clock::now()) {
            fleet_.kill_all();
            killing = time_point::max();
        }
    }
    fleet_.end_zygote();
}

void pool_core::poll_until_something(std::vector<pollfd>& polled, bool jobs,
                                     std::optional<time_point> at_most) {
    auto next = fleet_.next(jobs);
    if (at_most) {
        next = std::min(next.value_or(*at_most), *at_most);
    }
    timespec rest{};
    if (next && *next != time_point::max()) {
        const auto left = std::max(saturated_difference(*next, std::chrono::steady_clock::now()),
                                   std::chrono::nanoseconds(0));
        const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
        rest.tv_sec = static_cast<time_t>(whole.count());
        rest.tv_nsec = static_cast<long>(std::chrono::nanoseconds(left - whole).count());
    } else {
        next.reset();
    }
    poll_descriptors(polled, next ? &rest : nullptr);
    if (polled.front().revents != 0) {
        std::uint64_t count = 0;
        static_cast<void>(!::read(event_.get(), &count, sizeof count));
    }
}

void pool_core::give_up() {
    // Jobs that wait for a slot get one as others are settled, and are given up in their turn.
    for (bool more = true; more;) {
        {
            const std::lock_guard lock(lock_);
            if (retry_) {
                return; // What was begun since then is for the workers to come.
            }
            jobs_.give_up("process pool '" + options_.name + "': " + fleet_.given_up());
        }
        collect_all(true);
        const std::lock_guard lock(lock_);
        more = jobs_.any();
    }
}

} // namespace regatta::detail
