// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload that is measured.

#include "sampling/race_control.hpp"
#include "sampling/thread_state.hpp"
#include "workloads/workload.hpp"

#include <memory>

namespace regatta::race {

/// A workload from its making to its end. Both may run code of the user's: what that does to the
/// calling thread is undone, and an end that does not come back is told as a run is.
///
/// Threads: the one that made it.
class raced_workload {
public:
    raced_workload(const workload_info& info, const workload_options& options,
                   race_control& control)
        : control_(control) {
        const thread_state usual;
        work_ = info.make(options);
    }
    raced_workload(const raced_workload&) = delete;
    raced_workload& operator=(const raced_workload&) = delete;
    ~raced_workload() {
        control_.note_measuring(true);
        work_.reset();
        control_.note_measuring(false);
    }

    workload& operator*() const noexcept { return *work_; }
    workload* operator->() const noexcept { return work_.get(); }

private:
    race_control& control_;
    std::unique_ptr<workload> work_;
};

} // namespace regatta::race
