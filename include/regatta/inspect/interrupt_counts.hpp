// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How often each interrupt came to each CPU.

#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// Where an interrupt comes from.
enum class interrupt_kind : std::uint8_t {
    tick,           ///< The CPU's own timer.
    device,         ///< A device; such interrupts can be sent to other CPUs.
    interprocessor, ///< Another CPU, which wants something done or a task run.
    other,          ///< Machine checks, performance counters, …
    soft            ///< Not an interrupt itself: work that one has left behind.
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
    std::string label; ///< The kernel's: "36", "LOC".
    std::string name;  ///< For people: "virtio1-req.0", "Local timer interrupts".
    interrupt_kind kind = interrupt_kind::other;
    std::uint64_t count = 0;
};

namespace detail {

/// "PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0", of a numbered interrupt: who handles it. The words
/// before that name the controller, its own number and how it is triggered.
inline std::string handler_of_interrupt(std::string_view description) {
    std::size_t after = 0;
    for (const auto word : split(description, ' ')) {
        std::string lower(word);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto end = static_cast<std::size_t>(word.data() - description.data()) + word.size();
        for (const std::string_view trigger : {"edge", "level", "fasteoi"}) {
            // "1-edge" on its own, or "Level" after the number; the first one only.
            if (after == 0 && lower.ends_with(trigger) &&
                (lower == trigger || lower.find('-') != std::string::npos)) {
                after = end;
            }
        }
    }
    const auto handler = trimmed(description.substr(after));
    return std::string(handler.empty() ? trimmed(description) : handler);
}

inline interrupt_kind kind_of_interrupt(std::string_view label, std::string_view name) noexcept {
    // Arm and RISC-V have the CPU's timer among the numbered ones.
    if (label == "LOC" || name.find("arch_timer") != std::string_view::npos ||
        name.find("riscv-timer") != std::string_view::npos) {
        return interrupt_kind::tick;
    }
    if (!label.empty() && label.find_first_not_of("0123456789") == std::string_view::npos) {
        return interrupt_kind::device;
    }
    for (const std::string_view known : {"RES", "CAL", "TLB", "IWI"}) {
        if (label == known) {
            return interrupt_kind::interprocessor;
        }
    }
    return label.starts_with("IPI") ? interrupt_kind::interprocessor : interrupt_kind::other;
}

} // namespace detail

/// What /proc/interrupts or /proc/softirqs said of some CPUs.
///
/// Threads: as a plain value. Failure: a file that cannot be read, or a line that is none, gives
/// no rows. Cost: `read` takes the kernel some 50 µs on 2 CPUs and some ms on 256.
class interrupt_counts {
public:
    /// Reads /proc/interrupts for `cpus`; those that are off have no column and so no counts.
    /// @param root a directory that stands in for `/`.
    static interrupt_counts read(const cpu_set& cpus, const std::string& root = {}) {
        const auto text = detail::read_small_file(root + "/proc/interrupts");
        return parse(text ? std::string_view(*text) : std::string_view(), cpus, false);
    }
    /// The same of /proc/softirqs.
    static interrupt_counts read_soft(const cpu_set& cpus, const std::string& root = {}) {
        const auto text = detail::read_small_file(root + "/proc/softirqs");
        return parse(text ? std::string_view(*text) : std::string_view(), cpus, true);
    }

    static interrupt_counts parse(std::string_view text, const cpu_set& cpus, bool soft) {
        interrupt_counts result;
        const auto line_end = std::min(text.find('\n'), text.size());
        std::vector<bool> wanted; // By column.
        for (const auto word : detail::split(text.substr(0, line_end), ' ')) {
            const auto cpu = detail::to_number(word.starts_with("CPU") ? word.substr(3) : word);
            const bool take = cpu && *cpu >= 0 && *cpu < cpu_set::max_width &&
                              cpus.contains(static_cast<unsigned>(*cpu));
            wanted.push_back(take);
            if (take) {
                result.cpus_.push_back(static_cast<unsigned>(*cpu));
            }
        }
        text.remove_prefix(std::min(line_end + 1, text.size()));
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            result.add_row(text.substr(0, end), wanted, soft);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return result;
    }

    /// What came to `cpu` since `before`, the most frequent first; what did not come is left out.
    std::vector<interrupt_count> since(const interrupt_counts& before, unsigned cpu) const {
        std::vector<interrupt_count> result;
        const auto now_at = column_of(cpu);
        const auto then_at = before.column_of(cpu);
        if (!now_at || !then_at) {
            return result;
        }
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const row& one = rows_[i];
            const row* const old = before.same_row(one, i);
            const std::uint64_t then = old == nullptr ? 0 : old->counts[*then_at];
            if (one.counts[*now_at] > then) {
                result.push_back({one.label, one.name, one.kind, one.counts[*now_at] - then});
            }
        }
        std::stable_sort(result.begin(), result.end(),
                         [](const auto& a, const auto& b) { return a.count > b.count; });
        return result;
    }

    bool empty() const noexcept { return rows_.empty(); }
    /// Whether the kernel counts for this CPU.
    bool has(unsigned cpu) const noexcept { return column_of(cpu).has_value(); }

private:
    struct row {
        std::string label;
        std::string name;
        interrupt_kind kind = interrupt_kind::other;
        std::vector<std::uint64_t> counts; ///< In the order of `cpus_`.
    };

    std::optional<std::size_t> column_of(unsigned cpu) const noexcept {
        const auto found = std::find(cpus_.begin(), cpus_.end(), cpu);
        return found == cpus_.end()
                   ? std::nullopt
                   : std::optional(static_cast<std::size_t>(found - cpus_.begin()));
    }

    /// The row of the same label; as a rule it is where it was.
    const row* same_row(const row& other, std::size_t hint) const noexcept {
        if (hint < rows_.size() && rows_[hint].label == other.label) {
            return &rows_[hint];
        }
        const auto found = std::find_if(rows_.begin(), rows_.end(),
                                        [&](const row& r) { return r.label == other.label; });
        return found == rows_.end() ? nullptr : &*found;
    }

    void add_row(std::string_view line, const std::vector<bool>& wanted, bool soft) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) {
            return;
        }
        row one;
        one.label = std::string(detail::trimmed(line.substr(0, colon)));
        line.remove_prefix(colon + 1);
        for (const bool take : wanted) {
            line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
            const auto end = std::min(line.find(' '), line.size());
            const auto number = detail::to_number(line.substr(0, end));
            if (!number || *number < 0) {
                return; // "ERR: 0" counts for the whole machine.
            }
            line.remove_prefix(end);
            if (take) {
                one.counts.push_back(static_cast<std::uint64_t>(*number));
            }
        }
        const auto description = detail::trimmed(line);
        const bool numbered = one.label.find_first_not_of("0123456789") == std::string::npos;
        one.name = soft || description.empty() ? one.label
                   : numbered                  ? detail::handler_of_interrupt(description)
                                               : std::string(description);
        one.kind = soft ? interrupt_kind::soft : detail::kind_of_interrupt(one.label, one.name);
        rows_.push_back(std::move(one));
    }

    std::vector<unsigned> cpus_; ///< Wanted and there, in the order of the columns.
    std::vector<row> rows_;
};

} // namespace regatta
