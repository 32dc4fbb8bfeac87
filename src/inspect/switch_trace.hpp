// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The kernel's record of every task switch on a CPU.

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// One event of the tasks of a CPU, as the kernel records it.
struct switch_record {
    enum class kind : std::uint8_t {
        runs,  ///< `tid` has the CPU from now on; 0: the CPU is idle.
        named, ///< `tid` has a new name.
        began, ///< `tid` was started by `other_tid`.
        ended, ///< `tid` has ended.
        lost,  ///< The kernel had no room for `count` records.
    };
    kind what = kind::runs;
    int pid = 0; ///< Of the process.
    int tid = 0; ///< Of the thread.
    /// For `runs`, the task that had the CPU before; for `began`, the one that started it.
    int other_pid = 0;
    int other_tid = 0;
    /// For `runs`: the previous task was still runnable. Only the record of its leaving says so.
    bool preempted = false;
    std::int64_t time_ns = 0; ///< CLOCK_MONOTONIC.
    std::uint64_t count = 0;
    std::string_view name; ///< For `named`; valid during the visit.
};

/// A stream of the `switch_record`s of one CPU, from when it was opened.
///
/// Needs root, CAP_PERFMON or `kernel.perf_event_paranoid` of 0 or less. Task numbers are those of
/// the caller's PID namespace; a task outside it has number 0, like an idle CPU.
///
/// Threads: one, on any CPU.
/// Blocks: never.
/// Failure: `open` returns nothing and the error number.
/// Cost: the kernel writes two records of 32 bytes per switch, and nothing without switches.
/// Source: perf_event_open(2), PERF_RECORD_SWITCH_CPU_WIDE (Linux 4.3).
class switch_trace {
public:
    /// The records: switches and names of tasks, or names only.
    enum class content { switches, names };

    switch_trace(switch_trace&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1))
        , clock_offset_ns_(other.clock_offset_ns_)
        , memory_(std::exchange(other.memory_, nullptr))
        , pages_(other.pages_)
        , page_(other.page_)
        , presumed_lost_(other.presumed_lost_)
        , record_(std::move(other.record_)) {}
    switch_trace& operator=(switch_trace&& other) noexcept;

    ~switch_trace();

    /// Starts to record CPU `cpu`.
    /// @param error set on failure: EACCES or EPERM without the privilege, ENODEV for an offline
    /// CPU, ENOSYS or ENOENT if the kernel does not support it.
    static std::optional<switch_trace> open(unsigned cpu, int& error,
                                            content what = content::switches);

    /// Passes every record since the last call to `visit(const switch_record&)`, in order of time.
    /// The record of an earlier event is included if the caller learnt of the event on that CPU.
    /// A full ring counts as one lost record, until the kernel says how many were lost.
    void drain(const std::function<void(const switch_record&)>& visit);

    /// Whether it still records. The kernel ends the trace of a CPU that goes offline, and does not
    /// go on with it when the CPU returns.
    /// Blocks: for 50 ms where it has ended. Cost: an interrupt of the CPU.
    bool records() const noexcept;

private:
    /// The end of every record except samples: its task and time.
    struct sample_id {
        std::uint32_t pid, tid;
        std::uint64_t time;
    };

    /// The most that the kernel writes at once: a record, and that of losses before it.
    static constexpr std::size_t longest_record = 96;

    void copy(void* to, std::uint64_t position, std::size_t size) const noexcept;
    std::uint32_t word(std::size_t index) const noexcept;
    void translate(const perf_event_header& header,
                   const std::function<void(const switch_record&)>& visit);

    /// Maps the number -1 of a task that has just ended to 0.
    static int number(std::uint32_t raw) noexcept;
    switch_trace() = default;

    int descriptor_ = -1;
    std::int64_t clock_offset_ns_ = 0; ///< From the kernel's clock to this process's.
    std::byte* memory_ = nullptr;      ///< The kernel's control page, then the ring.
    std::size_t pages_ = 0;            ///< Of the ring: a power of two.
    std::size_t page_ = 0;             ///< Bytes of one page.
    bool presumed_lost_ = false;       ///< One record, of which the kernel has yet to tell.
    std::vector<std::byte> record_;
};

} // namespace regatta::detail
