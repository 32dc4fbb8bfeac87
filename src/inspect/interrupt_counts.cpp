// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/inspect/interrupt_counts.hpp>

#include "inspect/interrupt_files.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta {
namespace {

/// The handler in the description of a numbered interrupt, "PCI-MSIX-0000:00:02.0 1-edge
/// virtio1-req.0". The words before it name the controller, its own number and the trigger.
std::string handler_of_interrupt(std::string_view description) {
    std::size_t after = 0;
    for (const auto word : detail::split(description, ' ')) {
        std::string lower(word);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto end = static_cast<std::size_t>(word.data() - description.data()) + word.size();
        for (const std::string_view trigger : {"edge", "level", "fasteoi"}) {
            // "1-edge" on its own, or "Level" after the number; only the first match counts.
            if (after == 0 && lower.ends_with(trigger) &&
                (lower == trigger || lower.find('-') != std::string::npos)) {
                after = end;
            }
        }
    }
    const auto handler = detail::trimmed(description.substr(after));
    return std::string(handler.empty() ? detail::trimmed(description) : handler);
}

interrupt_kind kind_of_interrupt(std::string_view label, std::string_view name) noexcept {
    // Under Xen a CPU has numbered interrupts of its own: "xen-percpu -virq timer0", "… -ipi …".
    const bool of_xen = name.starts_with("xen-percpu");
    // Arm and RISC-V list the CPU's timer among the numbered interrupts: "twd" is a Cortex-A9's.
    // Under Hyper-V it is HVS.
    if (label == "LOC" || label == "HVS" || name == "twd" ||
        (of_xen && name.find("timer") != std::string_view::npos) ||
        name.find("arch_timer") != std::string_view::npos ||
        name.find("riscv-timer") != std::string_view::npos) {
        return interrupt_kind::tick;
    }
    if (of_xen && name.find("-ipi") != std::string_view::npos) {
        return interrupt_kind::interprocessor;
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

/// The difference of two readings of a count; 0 if it fell, as that of a device does that was taken
/// out. Kernels keep 32 bits: at 1000 ticks a second they wrap around after 50 days.
std::uint64_t count_since(std::uint64_t then, std::uint64_t now) noexcept {
    constexpr std::uint32_t half = 1U << 31;
    if (now >= then) {
        return now - then;
    }
    const auto wrapped = static_cast<std::uint32_t>(now - then);
    return then <= std::numeric_limits<std::uint32_t>::max() && wrapped < half ? wrapped : 0;
}

} // namespace

interrupt_counts interrupt_counts::read(const cpu_set& cpus) {
    return detail::read_interrupt_counts(cpus, false);
}

interrupt_counts interrupt_counts::read_soft(const cpu_set& cpus) {
    return detail::read_interrupt_counts(cpus, true);
}

interrupt_counts interrupt_counts::parse(std::string_view text, const cpu_set& cpus, bool soft) {
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

std::vector<interrupt_count> interrupt_counts::since(const interrupt_counts& before,
                                                     unsigned cpu) const {
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
        if (const std::uint64_t count = count_since(then, one.counts[*now_at])) {
            result.push_back({one.label, one.name, one.kind, count});
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return result;
}

bool interrupt_counts::has(unsigned cpu) const noexcept {
    return column_of(cpu).has_value();
}

bool interrupt_counts::has_ticks(unsigned cpu) const noexcept {
    return has(cpu) && std::any_of(rows_.begin(), rows_.end(),
                                   [](const row& one) { return one.kind == interrupt_kind::tick; });
}

std::optional<std::size_t> interrupt_counts::column_of(unsigned cpu) const noexcept {
    const auto found = std::find(cpus_.begin(), cpus_.end(), cpu);
    return found == cpus_.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - cpus_.begin()));
}

const interrupt_counts::row* interrupt_counts::same_row(const row& other,
                                                        std::size_t hint) const noexcept {
    if (hint < rows_.size() && rows_[hint].label == other.label) {
        return &rows_[hint];
    }
    const auto found = std::find_if(rows_.begin(), rows_.end(),
                                    [&](const row& r) { return r.label == other.label; });
    return found == rows_.end() ? nullptr : &*found;
}

void interrupt_counts::add_row(std::string_view line, const std::vector<bool>& wanted, bool soft) {
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
               : numbered                  ? handler_of_interrupt(description)
                                           : std::string(description);
    one.kind = soft ? interrupt_kind::soft : kind_of_interrupt(one.label, one.name);
    rows_.push_back(std::move(one));
}

interrupt_counts detail::read_interrupt_counts(const cpu_set& cpus, bool soft,
                                               const std::string& root) {
    const auto text = read_small_file(root + (soft ? "/proc/softirqs" : "/proc/interrupts"));
    return interrupt_counts::parse(text ? std::string_view(*text) : std::string_view(), cpus, soft);
}

} // namespace regatta
