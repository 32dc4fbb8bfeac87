// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How often each interrupt occurred on each CPU.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// The sources of interrupts.
enum class interrupt_kind : std::uint8_t {
    tick,           ///< The CPU's own timer.
    device,         ///< A device; its interrupts can be sent to other CPUs.
    interprocessor, ///< Another CPU, which requests work or wakes a task.
    other,          ///< Machine checks, performance counters, …
    soft            ///< Not an interrupt: work that one deferred.
};

constexpr std::string_view to_string(interrupt_kind kind) noexcept {
    switch (kind) {
    case interrupt_kind::tick:
        return "tick";
    case interrupt_kind::device:
        return "device";
    case interrupt_kind::interprocessor:
        return "interprocessor";
    case interrupt_kind::soft:
        return "soft";
    case interrupt_kind::other:
        break;
    }
    return "other";
}

/// One interrupt on one CPU.
struct interrupt_count {
    std::string label; ///< The kernel's label: "36", "LOC".
    std::string name;  ///< For people: "virtio1-req.0", "Local timer interrupts".
    interrupt_kind kind = interrupt_kind::other;
    std::uint64_t count = 0;
};

/// The contents of /proc/interrupts or /proc/softirqs for some CPUs.
///
/// Threads: like a plain value.
/// Failure: none; an unreadable file or an invalid line gives no rows.
/// Cost: `read` costs about 50 µs on 2 CPUs and some ms on 256.
class REGATTA_SYSTEM_API interrupt_counts {
public:
    /// Reads /proc/interrupts for `cpus`. Offline CPUs have no column and so no counts.
    static interrupt_counts read(const cpu_set& cpus);
    /// Reads /proc/softirqs for `cpus`.
    static interrupt_counts read_soft(const cpu_set& cpus);

    /// Parses a text that was read before.
    /// @param soft whether the text is that of /proc/softirqs.
    static interrupt_counts parse(std::string_view text, const cpu_set& cpus, bool soft);

    /// The interrupts of `cpu` since `before`, the most frequent first; without those that did not
    /// occur. A count of 32 bits, as most kernels keep them, may have wrapped around once.
    std::vector<interrupt_count> since(const interrupt_counts& before, unsigned cpu) const;

    bool empty() const noexcept { return rows_.empty(); }
    /// Whether the kernel counts interrupts of this CPU.
    bool has(unsigned cpu) const noexcept;
    /// Whether one of its counts for this CPU is that of the tick.
    bool has_ticks(unsigned cpu) const noexcept;

private:
    struct row {
        std::string label;
        std::string name;
        interrupt_kind kind = interrupt_kind::other;
        std::vector<std::uint64_t> counts; ///< In the order of `cpus_`.
    };

    std::optional<std::size_t> column_of(unsigned cpu) const noexcept;

    /// The row of the same label; usually it has the same index.
    const row* same_row(const row& other, std::size_t hint) const noexcept;
    void add_row(std::string_view line, const std::vector<bool>& wanted, bool soft);

    std::vector<unsigned> cpus_; ///< Requested and present, in the order of the columns.
    std::vector<row> rows_;
};

} // namespace regatta
