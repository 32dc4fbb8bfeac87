// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How much CPU time others used while something was measured.

#include "machine/kernel_threads.hpp"

#include <regatta/cpu/cpu_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::race {

/// What disturbed a stretch of time.
struct disturbance {
    std::int64_t others_ns = 0;    ///< CPU time of other processes.
    std::int64_t kernel_ns = 0;    ///< CPU time of the kernel's own threads; not among the others.
    std::int64_t stolen_ns = 0;    ///< CPU time that the hypervisor gave to other machines.
    std::int64_t available_ns = 0; ///< Length of the stretch times the CPUs.
    bool contaminated = false;     ///< Others used more than the tolerance.
    /// A burst of others above the tolerance would have been seen. Otherwise a stretch that is not
    /// contaminated is not known to be clean.
    bool measurable = false;
};

/// Reads how much CPU time this process and all processes together have used.
///
/// The total comes from the finest counter that works here, which is found by trying: the v1
/// cpuacct controller (nanoseconds), the groups of the v2 hierarchy (microseconds), /proc/stat
/// (ticks, as a rule of 10 ms). A counter is taken only if it sees this process's own work, and a
/// control group only if it is the root of its hierarchy, because any other one sees no neighbours.
/// The hypervisor's share is in /proc/stat alone.
///
/// The groups of v2 count the work on all CPUs. A process that may not use all of them asks the
/// ticks, which are told of each CPU, where those groups have used more than the tolerance.
///
/// Children count as others until they were waited for: read after that, or say what is one's own.
///
/// The kernel's own threads (write-back, deferred work) work for whoever gives them something to
/// do. What they use counts for nobody: not as others, since the contender may have caused it.
/// `kernel_threads` says which are others nevertheless. Where only some CPUs are watched, it is not
/// told how much of the time of a thread that may run on any CPU was on these: such threads are
/// others there.
///
/// Threads: one. Cost: some 50 µs a reading, and 4 µs more for each thread of the kernel. Failure:
/// where nothing can be read, nothing is ever called contaminated, and `source` says so.
class load_meter {
public:
    /// Counters at one moment.
    struct reading {
        std::int64_t wall_ns = 0;
        std::int64_t all_ns = 0;    ///< Of all processes.
        std::int64_t own_ns = 0;    ///< Of this process and its ended children, or as was said.
        std::int64_t ticks_ns = 0;  ///< Of all processes on the CPUs at hand, in ticks.
        std::int64_t kernel_ns = 0; ///< Of the kernel's own threads.
        std::int64_t stolen_ns = 0;
    };

    /// Where the counters are; a test puts its own.
    struct files {
        std::string stat = "/proc/stat";
        std::string cpuacct = "/sys/fs/cgroup/cpuacct";
        std::string unified = "/sys/fs/cgroup";
    };

    /// @param further CPUs that are watched beside those on which this process may run.
    explicit load_meter(const cpu_set& further = {});
    explicit load_meter(files where, const cpu_set& further = {});

    reading read() const;
    /// @param own_ns what counts as one's own, such as `family_cpu_ns()`.
    reading read(std::int64_t own_ns) const;
    /// The same without the kernel's threads, which cost most: `kernel_ns` is 0.
    reading read_without_kernel(std::int64_t own_ns) const;
    /// CPU time of the kernel's own threads; 0 where no counter in use has them.
    std::int64_t kernel_ns() const;
    disturbance between(const reading& before, const reading& after) const noexcept;

    /// The counter in use, for people.
    const std::string& source() const noexcept { return source_; }
    /// CPU time below which this meter cannot tell anything.
    std::int64_t resolution_ns() const noexcept { return resolution_ns_; }

private:
    static constexpr double tolerance = 0.05; ///< Others may use this share of the CPU time.

    enum class counter { none, cpuacct, unified, ticks };

    std::int64_t all_ns() const;
    bool sees_own_work() const;
    std::int64_t resolution_of_ticks_ns() const noexcept;
    bool choose(counter kind, std::string name, std::int64_t resolution_ns);

    files where_;
    std::vector<unsigned> cpus_;    ///< Those that are watched, in ascending order.
    bool others_elsewhere_ = false; ///< Whether the counter has the work on more than these.
    counter counter_ = counter::none;
    std::string source_ = "none: other processes go unnoticed";
    std::int64_t resolution_ns_ = 0;
    std::int64_t tick_ns_ = 10'000'000;
    kernel_threads kernel_; ///< Where they are part of the counter.
};

} // namespace regatta::race
