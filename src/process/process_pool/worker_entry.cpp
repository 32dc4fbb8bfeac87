// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/worker_entry.hpp"

#include "process/process_pool/control_block.hpp"
#include "process/process_pool/function_registry.hpp"
#include "process/process_pool/kill_point.hpp"
#include "process/process_pool/worker_loop.hpp"
#include "process/process_pool/worker_maps.hpp"
#include "process/process_pool/zygote.hpp"
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/process/process_pool.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace regatta {
namespace detail {
namespace {

/// What `main` has been told about this process.
enum class process_role { untold, no_worker, worker };
constinit std::atomic<process_role> role{process_role::untold};

/// Restricts this process as the pool's options say. Failure: `std::system_error`.
void set_up(const worker_settings& settings, const worker_slot& mine) {
    if (settings.memory != 0) {
        const auto bytes = static_cast<rlim_t>(settings.memory);
        const rlimit limit{bytes, bytes};
        if (::setrlimit(RLIMIT_DATA, &limit) != 0) {
            fail_system(errno, "limit the worker's memory");
        }
    }
    if (mine.cpu >= 0) {
        pin_this_thread({static_cast<unsigned>(mine.cpu)});
    }
    if (const int error = try_schedule_this_thread(settings.schedule)) {
        fail_system(error, "schedule the worker as " + to_string(settings.schedule));
    }
}

/// Says that this worker serves, and what that took where it replaces a dead one.
void announce(pool_control& control, worker_slot& mine) {
    if (mine.replaced_ns != 0) {
        // relaxed: statistics.
        const std::int64_t took = monotonic_ns() - mine.replaced_ns;
        control.respawns.fetch_add(1, std::memory_order_relaxed);
        control.respawn_ns.fetch_add(took, std::memory_order_relaxed);
        std::int64_t longest = control.longest_respawn_ns.load(std::memory_order_relaxed);
        while (longest < took && !control.longest_respawn_ns.compare_exchange_weak(
                                     longest, took, std::memory_order_relaxed)) {
        }
    }
    // release: partner is the parent's acquire load: all of the above.
    mine.ready.store(1, std::memory_order_release);
}

int serve_slot(const worker_maps& maps, unsigned slot, const char* name) {
    pool_control& control = maps.control();
    if (slot >= most_workers) {
        std::fprintf(stderr, "regatta: %s is for the processes that a process pool starts itself\n",
                     pool_worker_flag);
        return 2;
    }
    at_step(control, worker_step::mapped);
    worker_slot& mine = control.slots[slot];
    try {
        if (!control.settings.own_program &&
            control.settings.registry != hash_of_process_functions()) {
            fail_state("the worker's program knows other functions than its parent: was the "
                       "program replaced?");
        }
        platform::name_this_thread(name);
        set_up(control.settings, mine);
    } catch (const std::exception& error) {
        std::snprintf(mine.refusal, sizeof mine.refusal, "%s", error.what());
        return 3;
    }
    announce(control, mine);
    at_step(control, worker_step::attached);
    worker_loop(maps, slot).serve();
    return 0;
}

/// Keeps descriptors that the pool has passed on from the programs that tasks start.
void close_on_exec(int first, int last) noexcept {
    for (int number = first; number <= last; ++number) {
        ::fcntl(number, F_SETFD, FD_CLOEXEC);
    }
}

int serve_pool(std::string_view flag, unsigned slot, const std::string& name) {
    const worker_maps maps;
    close_on_exec(control_descriptor,
                  flag == pool_zygote_flag ? zygote_descriptor : event_descriptor);
    if (flag == pool_worker_flag) {
        return serve_slot(maps, slot, name.c_str());
    }
    const std::optional<unsigned> copied = serve_as_zygote(maps.control());
    return copied ? serve_slot(maps, *copied, (name + "/" + std::to_string(*copied)).c_str()) : 0;
}

} // namespace

void check_not_a_worker() {
    // acquire: partner is the release in run_process_worker().
    const process_role mine = role.load(std::memory_order_acquire);
    if (mine == process_role::worker) {
        fail_state("a task of a process pool makes a process pool of the same program; that is for "
                   "the parent, or options name a worker_program");
    }
    if (mine == process_role::untold) {
        fail_state("a process pool starts this program again for its workers: main has to begin "
                   "with run_process_worker(argc, argv); or options name a worker_program");
    }
}

} // namespace detail

void run_process_worker(int argc, const char* const* argv) {
    detail::note_process_functions();
    const std::string_view flag = argc < 4 ? "" : argv[1];
    if (flag != detail::pool_worker_flag && flag != detail::pool_zygote_flag) {
        // release: partner is check_not_a_worker(); it publishes nothing else.
        detail::role.store(detail::process_role::no_worker, std::memory_order_release);
        return;
    }
    detail::role.store(detail::process_role::worker, std::memory_order_release); // As above.
    // The worker is a background process of its terminal. After `stty tostop` this signal would
    // stop it when it prints.
    ::signal(SIGTTOU, SIG_IGN);
    int status = 1;
    try {
        const auto slot = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
        status = detail::serve_pool(flag, slot, argv[3]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "regatta: worker of a process pool: %s\n", error.what());
    }
    // What the tasks printed is written; the rest of the program has not begun and does not end.
    std::fflush(nullptr);
    ::_exit(status);
}

} // namespace regatta
