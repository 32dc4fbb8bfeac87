// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the workers of a mode run: anywhere, pinned to CPUs, or on CPUs that are theirs alone.

#include <regatta/cpu/cpu_set.hpp>

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace regatta::race {

/// The place where the workers of one sample run; made before it, and given up with this object.
class worker_room {
public:
    worker_room() = default;
    worker_room(const worker_room&) = delete;
    worker_room& operator=(const worker_room&) = delete;
    virtual ~worker_room() = default;

    /// Called by each worker when it begins. Failure: `std::system_error`.
    virtual void enter(unsigned worker) = 0;
    /// Instead of that, for a process of one thread that has yet to start the workers: it may run
    /// on all CPUs of the workers. Failure: `std::system_error`.
    virtual void enter_process(pid_t process) = 0;
    /// Called when the workers have ended.
    /// Failure: `std::runtime_error` where the room was not what it had promised all that time, or
    /// where it cannot be given up without a trace.
    virtual void close() = 0;
};

/// Who wants which CPUs.
struct room_request {
    std::vector<unsigned> worker_cpus; ///< Worker i runs on the i-th.
    cpu_set cpus;                      ///< To be owned; those of the workers are among them.
    std::vector<pid_t> noise;          ///< Own processes, which may be moved off these CPUs.
    bool move_others = false;          ///< Everybody else may be moved, too.
    bool whole_process = false;        ///< `enter_process` will be called, and not `enter`.
};

/// Any CPU that this process may use.
std::unique_ptr<worker_room> open_room();
/// Each worker is pinned to its CPU; so may be anybody else.
std::unique_ptr<worker_room> pinned_room(const room_request& request);
/// The CPUs belong to the workers, each of which is pinned to its own.
/// Failure: `std::runtime_error` or `std::system_error` where they cannot be had.
std::unique_ptr<worker_room> exclusive_room(const room_request& request);

/// Whether CPUs can be owned here.
struct exclusive_answer {
    bool available = false;
    std::string level;                    ///< What would be had ("isolated partition").
    std::string reason;                   ///< Why not.
    std::vector<std::string> explanation; ///< What was obtained, and what could not be had and why.
};

/// Finds out by trying, and gives back what it got. Failure: none.
exclusive_answer try_exclusive_room(const room_request& request);

} // namespace regatta::race
