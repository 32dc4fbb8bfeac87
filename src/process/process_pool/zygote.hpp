// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A process that has the workers' program loaded and copies itself: a worker starts without an
/// exec, a loader and initialisers.

#include "process/process_pool/control_block.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/subprocess.hpp>

#include <optional>

namespace regatta::detail {

/// The zygote of a pool, as its parent knows it. Its copies are children of the parent, which waits
/// for them as for those that it has started itself.
///
/// Threads: the monitor's own.
class worker_zygote {
public:
    /// Has a worker copied. @param like how a worker of that pool is started otherwise.
    /// @returns nothing where it cannot be: the worker is to be started otherwise.
    /// Failure: `std::system_error` where the program cannot be started.
    std::optional<subprocess> start(unsigned slot, worker_slot& shared, const spawn_options& like);
    /// Readable when the zygote has ended; -1 without one.
    int pidfd() const noexcept { return process_.pidfd(); }
    /// Waits for it if it has ended by itself; the next `start` makes another one.
    void bury();
    /// Ends it and waits for it.
    void end();

private:
    enum class answer { copied, lacking, refused, none };

    void launch(const spawn_options& like);
    answer order(unsigned slot) const;

    subprocess process_;
    unique_descriptor orders_;
    bool useless_ = false; ///< It cannot copy itself; that will not change.
};

/// In the zygote: copies this process as often as the parent orders.
/// @returns in a copy, the slot that it is to serve; in the zygote nothing, when the parent has no
/// further orders.
std::optional<unsigned> serve_as_zygote(pool_control& control);

} // namespace regatta::detail
