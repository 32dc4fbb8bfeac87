// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// On which CPU the thread that submits runs, and on which its workers: what waking costs depends
/// on it more than on the pool.

#include <regatta/cpu/cpu_set.hpp>

namespace regatta::bench {

/// Where the workers run.
enum class worker_place {
    another_cpu, ///< That CPU sleeps, too: waking it takes an interrupt.
    same_cpu     ///< As the thread that submits: waking is a switch from one to the other.
};

/// Pins the calling thread to the first CPU of its mask, and every other thread that the process
/// has now to the first or second one, as told. The destructor gives all threads the caller's
/// earlier mask. Where the mask has one CPU, all are on it.
///
/// Threads: made and destroyed by one thread, while the process begins no others.
/// Failure: `std::system_error` if a thread cannot be pinned.
class placed_threads {
public:
    explicit placed_threads(worker_place where);
    placed_threads(const placed_threads&) = delete;
    placed_threads& operator=(const placed_threads&) = delete;
    ~placed_threads();

private:
    cpu_set saved_;
};

} // namespace regatta::bench
