// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Who runs on a CPU, from the kernel's own mouth: every switch of tasks there.

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// One thing that the kernel told about the tasks of a CPU.
struct switch_record {
    enum class kind : std::uint8_t {
        runs,  ///< `tid` has the CPU from now on; 0: the CPU is idle.
        named, ///< `tid` has a new name.
        began, ///< `tid` was started by `other_tid`.
        ended, ///< `tid` is gone.
        lost,  ///< The kernel had no room for `count` records.
    };
    kind what = kind::runs;
    int pid = 0; ///< Of the process.
    int tid = 0; ///< Of the thread.
    /// Of `runs`: the task that had the CPU until now; of `began`: the one that started it.
    int other_pid = 0;
    int other_tid = 0;
    /// Of `runs`: that task was ready to go on. Said when it leaves, so by one record of the two.
    bool preempted = false;
    std::int64_t time_ns = 0; ///< CLOCK_MONOTONIC.
    std::uint64_t count = 0;
    std::string_view name; ///< Of `named`; valid during the visit.
};

/// A stream of `switch_record`s of one CPU, from when it was opened.
///
/// Needs root, CAP_PERFMON or `kernel.perf_event_paranoid` of 0 or less. The numbers of tasks are
/// those of the caller's PID namespace; a task outside of it has the number 0, like an idle CPU.
///
/// Threads: one, on any CPU. Blocks: never. Failure: `open` returns nothing and the error number.
/// Cost: the kernel writes two records of 40 bytes a switch; nothing while nothing switches.
/// Source: perf_event_open(2), PERF_RECORD_SWITCH_CPU_WIDE (Linux 4.3).
class switch_trace {
public:
    /// What to record: switches and the names of tasks, or the names alone.
    enum class content { switches, names };

    switch_trace(switch_trace&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1))
        , memory_(std::exchange(other.memory_, nullptr))
        , pages_(other.pages_)
        , page_(other.page_)
        , record_(std::move(other.record_)) {}
    switch_trace& operator=(switch_trace&& other) noexcept;

    ~switch_trace();

    /// Begins to record CPU `cpu`.
    /// @param error set where nothing is returned: EACCES or EPERM without the right to, ENODEV for
    /// a CPU that is off, ENOSYS or ENOENT for a kernel without it.
    static std::optional<switch_trace> open(unsigned cpu, int& error,
                                            content what = content::switches);

    /// Hands every record since the last call to `visit(const switch_record&)`, in the order of
    /// time. A record that describes a moment before the call is in it, if it was that CPU on which
    /// the caller learnt of the moment.
    void drain(const std::function<void(const switch_record&)>& visit);

private:
    /// The end of every record but a sample: the task that it happened to, and when.
    struct sample_id {
        std::uint32_t pid, tid;
        std::uint64_t time;
    };

    void copy(void* to, std::uint64_t position, std::size_t size) const noexcept;
    std::uint32_t word(std::size_t index) const noexcept;
    void translate(const perf_event_header& header,
                   const std::function<void(const switch_record&)>& visit) const;

    /// A task that has just ended has the number -1.
    static int number(std::uint32_t raw) noexcept;
    switch_trace() = default;

    int descriptor_ = -1;
    std::byte* memory_ = nullptr; ///< The kernel's page of positions, then the ring.
    std::size_t pages_ = 0;       ///< Of the ring: a power of two.
    std::size_t page_ = 0;        ///< Bytes of one.
    std::vector<std::byte> record_;
};

} // namespace regatta::detail
