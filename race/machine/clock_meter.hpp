// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// At which clock the processor ran while something was measured.

#include <cstdint>
#include <optional>
#include <string>

namespace regatta::race {

/// Finds the effective clock of the CPUs that this process uses: what they did, not what they were
/// set to.
///
/// Where the kernel lets it count cycles (perf_event_open; virtual machines seldom do), it is the
/// cycles of all threads and children that began after the meter, by the time that they ran. Else
/// as many threads as were busy each run a chain of additions that depend on one another, a cycle
/// each, right after the stretch, and the steady clock says how long it took.
///
/// Threads: one, which also starts what is measured. Cost: under 1 µs by counting; by additions
/// some 1.5 ms a call of `end`. Failure: on a processor whose additions it cannot chain, and
/// without a counter, there is no clock, and `source` says so.
class clock_meter {
public:
    enum class method { best, additions };

    explicit clock_meter(method wanted = method::best);
    clock_meter(const clock_meter&) = delete;
    clock_meter& operator=(const clock_meter&) = delete;
    ~clock_meter();

    /// A stretch begins.
    void begin();
    /// It has ended: its clock, in Hz.
    /// @param busy how many CPUs worked in it.
    std::optional<double> end(unsigned busy);

    /// How it was found, for people.
    const std::string& source() const noexcept { return source_; }

private:
    struct counts {
        std::uint64_t cycles = 0;
        std::uint64_t ran_ns = 0;
    };
    std::optional<counts> read() const;

    int counter_ = -1; ///< Descriptor of the counter of cycles.
    std::optional<counts> before_;
    std::string source_;
};

} // namespace regatta::race
