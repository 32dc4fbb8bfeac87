// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a race runs: independent items over a state that threads and processes share.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What a user may choose of a workload; each workload says which it reads and checks their ranges.
struct workload_options {
    std::optional<std::size_t> size{};      ///< The problem's size in the workload's own unit.
    std::string kernel = "naive";           ///< Which code computes an item.
    std::uint64_t seed = 1;                 ///< Of the input data.
    std::optional<std::size_t> max_prime{}; ///< Up to which number an item counts primes.
    std::optional<std::size_t> items{};     ///< How many items, where that is not the size.
    std::string type = "float";             ///< Of the elements: "float" or "double".
};

/// How much a run computes or moves, in the unit in which such work is usually given.
struct amount {
    double value = 0;
    std::string_view unit; ///< "items", "events", "forks", "GFLOP", "GB" (10⁹ bytes) …
};

/// Whether the output of a run is right, and if not, what is wrong and where.
struct verification {
    bool ok = false;
    std::string message;
};

/// A number that describes a mapping: a size, or an offset in bytes from the mapping's begin.
struct layout_number {
    std::string_view name;
    std::uint64_t value = 0;
};

/// What an item hands further items to: the scheme that runs it.
///
/// Threads: any worker, in the middle of an item.
class spawner {
public:
    spawner() = default;
    spawner(const spawner&) = delete;
    spawner& operator=(const spawner&) = delete;
    virtual ~spawner() = default;

    /// Has that item run, by whichever worker and whenever the scheme sees fit.
    virtual void spawn(std::size_t item) = 0;
};

/// A state in one shared mapping, a number of independent items, and a check of the result.
///
/// One that divides itself by forks is a `forked_workload` (workloads/forked). Where its parts are
/// not independent it is one item, and only schemes with forks run it.
///
/// Threads: `run` may be called for different items at once, from threads and from processes that
/// attached to the same mapping; everything else belongs to the one thread that drives the race.
class workload {
public:
    workload() = default;
    workload(const workload&) = delete;
    workload& operator=(const workload&) = delete;
    virtual ~workload() = default;

    /// The name under which the registry knows it.
    virtual std::string_view name() const noexcept = 0;
    /// How many items a run consists of.
    virtual std::size_t items() const noexcept = 0;
    /// How many of them the scheme hands out itself, the first ones; these spawn the others.
    virtual std::size_t handed_out() const noexcept { return items(); }
    /// What a run of all items amounts to; divided by its time it is the throughput.
    virtual amount work_of_run() const { return {static_cast<double>(items()), "items"}; }
    /// Whether an item is so short that reading the clock around each would be most of the time.
    virtual bool tiny_items() const noexcept { return false; }
    /// Computes one item. Idempotent: writes only what belongs to the item.
    virtual void run(std::size_t item) noexcept = 0;
    /// The same where items spawn others, to `to`. Such items are `tiny_items`: the time of one
    /// that runs within another must not count twice.
    virtual void run_spawning(std::size_t item, spawner& to) noexcept {
        static_cast<void>(to);
        run(item);
    }
    /// Spoils the output, so that an item that a scheme forgets cannot pass.
    virtual void reset() noexcept = 0;
    /// Compares the output with an independent reference.
    virtual verification verify() const = 0;
    /// Descriptor of the mapping; with the name it is all that another process needs to attach.
    virtual int descriptor() const noexcept = 0;
    /// All that a program in another language must know of the mapping, besides the name, to
    /// compute the items by itself; empty: none is there that could.
    virtual std::vector<layout_number> layout() const { return {}; }
    /// Whether it also has a form that divides itself by forks (workloads/forked/kernels.hpp).
    virtual bool forks() const noexcept { return false; }
    /// Whether that is the only form: all of it is one item.
    virtual bool needs_forks() const noexcept { return false; }
    /// Whether it has the form that `run_whole` computes.
    virtual bool offers_whole() const noexcept { return false; }
    /// Computes everything in one call with a library's own threads, as `blas_threads` does.
    /// @returns false if this workload has no such form.
    virtual bool run_whole(unsigned workers) {
        static_cast<void>(workers);
        return false;
    }
};

/// An entry of the registry of workloads. The file of each workload defines its own.
struct workload_info {
    std::string_view name;
    std::string_view summary;
    /// The options it reads, as text for `--list` ("--size 64..2048, --kernel naive|tiled|blas").
    std::string_view options;
    /// Of the option size, where the user does not choose.
    std::size_t usual_size = 0;
    /// At which any scheme runs it in a moment, as the tests of all schemes do; more tiny items
    /// than a queue has room for. 0: none is that small.
    std::size_t small_size = 0;
    /// The same of the option max_prime, where it reads that.
    std::size_t usual_max_prime = 0;
    /// The same of the option items, where it reads that.
    std::size_t usual_items = 0;
    /// Throws `std::invalid_argument` for an option out of range and `std::system_error` where the
    /// memory cannot be had.
    std::function<std::unique_ptr<workload>(const workload_options&)> make{};
    /// Attaches to the mapping of another process. Throws if it is not this workload's.
    std::function<std::unique_ptr<workload>(int descriptor)> attach{};
};

/// All workloads, in the order of the list in CMakeLists.txt.
const std::vector<workload_info>& workloads();
/// The entry of that name among them, or null.
const workload_info* find_workload(std::string_view name);

} // namespace regatta::race
