// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A scheme: one way of running all items of a workload with a number of workers.

#include "schemes/run_log.hpp"
#include "workloads/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What a user may choose of the schemes.
struct scheme_options {
    unsigned workers = 1;
    std::size_t chunk = 8; ///< Items a message, for the schemes that send chunks.
};

/// What a scheme gets for one run.
struct run_context {
    workload& work;
    run_log& log;
    int log_descriptor = -1; ///< Of the mapping that holds `log`, for other processes.
    unsigned workers = 1;
};

/// What a run took of a program of the user's, as whoever started it measured it.
struct program_usage {
    std::int64_t begin_ns = 0;   ///< Just before its start, on the log's clock.
    std::int64_t end_ns = 0;     ///< Its end.
    std::int64_t cpu_ns = 0;     ///< With its descendants for which it waited.
    std::int64_t peak_bytes = 0; ///< Memory of the largest of these processes.
};

/// Something that a scheme measured of a run itself, for those reports that explain it.
struct run_figure {
    std::string_view name; ///< With its unit at the end: "sent_bytes".
    double value = 0;
};

/// Thrown by a scheme that cannot finish a run: a worker died, a library failed. The text names
/// what happened and to whom.
class scheme_failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One way of running a workload. Made anew for every timed run.
///
/// The race clears the log and calls, in this order: the factory, `prepare` (not timed: what such a
/// program does once, as starting the threads of a pool), `run` (timed, from nothing done to
/// everything done), the destructor (not timed). `run` leaves no worker behind that still touches
/// the workload.
class scheme {
public:
    scheme() = default;
    scheme(const scheme&) = delete;
    scheme& operator=(const scheme&) = delete;
    virtual ~scheme() = default;

    virtual void prepare(run_context& context) { static_cast<void>(context); }
    /// Runs every item exactly once. Throws `scheme_failure` where it cannot.
    virtual void run(run_context& context) = 0;
    /// False where the workers are a library's own and keep no log (`blas_threads`).
    virtual bool logs_items() const noexcept { return true; }
    /// Not null: what was run is a program of the user's. It knows nothing of the workload, so
    /// there is nothing to verify, and this says what its last run took.
    virtual const program_usage* program() const noexcept { return nullptr; }
    /// What it measured itself of its last run: the same names each time.
    virtual std::vector<run_figure> figures() const { return {}; }
};

/// An entry of the registry of schemes.
struct scheme_info {
    std::string_view name;
    std::string_view summary;
    /// What it is good for, for the closing words ("tasks of uneven length", "isolation", …).
    std::string_view suits;
    /// Empty: it can run. Otherwise why not, with the package that brings it.
    std::function<std::string(const workload&)> missing;
    std::function<std::unique_ptr<scheme>(const scheme_options&)> make;
    /// The version of the library behind it; empty for our own and the standard's.
    std::string version;
    /// Of a program of the user's: how it is started. Empty for all others.
    std::string command{};
    /// Whether it takes part only where it is asked for by name.
    bool on_request = false;
};

/// All schemes, in the order in which they are listed; absent peers are listed too.
const std::vector<scheme_info>& schemes();
/// The entry of that name, or null. "regatta" stands for our pool `balanced`.
const scheme_info* find_scheme(std::string_view name);

/// To be called first in `main`: where this process was started as the worker of a scheme, it does
/// that work and returns its exit status; otherwise it returns nothing.
std::optional<int> run_as_worker(int argc, char** argv);

} // namespace regatta::race
