// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A scheme: one way of running all items of a workload with a number of workers.

#include "schemes/run_log.hpp"
#include "workloads/workload.hpp"

#include <chrono>
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
    /// Queued tasks at most, in the pools that take a bound (`scheme_traits::bounded`); 0: no
    /// bound.
    std::size_t capacity = 0;
    /// How often a worker of a scheme that replaces those that die is killed; 0: never.
    std::chrono::nanoseconds kill_every{0};
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
/// everything done; more than once where it is `scheme_info::reusable`), the destructor (not
/// timed). `run` leaves no worker behind that still touches the workload.
class scheme {
public:
    scheme() = default;
    scheme(const scheme&) = delete;
    scheme& operator=(const scheme&) = delete;
    virtual ~scheme() = default;

    virtual void prepare(run_context& context) { static_cast<void>(context); }
    /// Runs every item exactly once. Throws `scheme_failure` where it cannot.
    virtual void run(run_context& context) = 0;
    /// False where the workers are a library's own and keep no log (`blas_threads`), and after a
    /// run of a workload's form with forks. Asked after the run.
    virtual bool logs_items() const noexcept { return true; }
    /// Not null: what was run is a program of the user's. It knows nothing of the workload, so
    /// there is nothing to verify, and this says what its last run took.
    virtual const program_usage* program() const noexcept { return nullptr; }
    /// What it measured itself of its last run. A run without a figure does not count in it.
    virtual std::vector<run_figure> figures() const { return {}; }
};

class worker_process;

/// What the workers of a scheme are.
enum class worker_kind {
    one, ///< One thread, whatever number is asked for.
    threads,
    processes,
};

/// What runs the items.
enum class language { cpp, python };

/// What reports, advice and tests must know of a scheme beyond its words.
struct scheme_traits {
    race::language language = race::language::cpp;
    worker_kind workers = worker_kind::threads;
    /// A plain loop: what speed-ups and the cost of the items are measured against.
    bool reference = false;
    /// The others are compared with it where the user names no baseline.
    bool usual_baseline = false;
    /// What a program takes on with it. 0: a loop; 1: threads of the standard library; 2: a
    /// library. Of schemes that tie, the one with the least is recommended.
    unsigned effort = 2;
    /// Inputs and results go through pipes; otherwise the workers share their memory.
    bool sends_data = false;
    /// The library that computes the items is told to start no threads of its own.
    bool one_library_thread = false;
    /// Its queue takes a bound: `scheme_options::capacity`.
    bool bounded = false;
    /// Several items go to a worker at once: `scheme_options::chunk`.
    bool sends_chunks = false;
    /// A worker that dies is replaced, and its item begun again: `scheme_options::kill_every`.
    bool replaces_workers = false;
    /// The library behind it keeps its threads after a run, asleep.
    bool keeps_threads = false;
    /// The library behind it synchronises in a way that the thread sanitizer does not see.
    bool synchronises_unseen = false;
};

/// An entry of the registry of schemes. The file of each scheme defines its own.
struct scheme_info {
    std::string_view name{};
    std::string_view summary{};
    /// What it is good for, for the closing words ("tasks of uneven length", "isolation", …).
    std::string_view suits{};
    /// Another name under which it is found.
    std::string_view alias{};
    /// Why it cannot run that workload, with the package that brings what is missing; empty: it
    /// can. Null: no such reason. Asked by `missing`.
    std::function<std::string(const workload&)> obstacle{};
    std::function<std::unique_ptr<scheme>(const scheme_options&)> make{};
    /// The library behind it; null for our own and the standard's. Asked by `version`.
    std::string (*library_version)() = nullptr;
    /// Of a program of the user's: how it is started. Empty for all others.
    std::string command{};
    /// Whether its workers can hand over further items, as `run_spawning` asks for.
    bool spawns = false;
    /// Whether a producer hands over the items one by one, so that it can do so on a schedule.
    bool single_tasks = false;
    /// Whether its workers are ready for another job after `run`: `run` may be called again and
    /// again, the log cleared in between.
    bool reusable = false;
    /// Whether it divides work by forks, as workloads do that are no set of items.
    bool forks = false;
    /// Whether it takes part only where it is asked for by name.
    bool on_request = false;
    /// What its worker processes do; null where it starts no process that is this program.
    int (*worker)(worker_process&, const std::vector<std::string>& arguments) = nullptr;
    scheme_traits traits{};

    /// Empty: it can run that workload. Otherwise why not, with the package that brings it.
    std::string missing(const workload& work) const;
    /// The version of the library behind it; empty for our own and the standard's.
    std::string version() const { return library_version != nullptr ? library_version() : ""; }
};

/// `scheme_info::make` of a scheme whose options are all in the context of its run.
template<class Scheme>
std::unique_ptr<scheme> make_new(const scheme_options&) {
    return std::make_unique<Scheme>();
}

/// What stands for a scheme whose library was not there when this program was built.
/// @param words its name, its summary and what it suits.
scheme_info absent_scheme(scheme_info words, const char* what, const char* package);

/// All schemes, in the order of the list in CMakeLists.txt; absent peers are listed too.
const std::vector<scheme_info>& schemes();
/// The entry of that name or alias, or null.
const scheme_info* find_scheme(std::string_view name);
/// The traits of the scheme of that name; of one that this program does not know, the usual ones.
scheme_traits traits_of(std::string_view name) noexcept;
/// What others are compared with where the user names no baseline.
const scheme_info& usual_baseline();

/// To be called first in `main`: where this process was started as the worker of a scheme, it does
/// that work and returns its exit status; otherwise it returns nothing.
std::optional<int> run_as_worker(int argc, char** argv);

} // namespace regatta::race
