// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/info/info_text.hpp"

#include "machine/size_text.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

/// The lines of a theme: a label and what is to be said, in full sentences' order.
class theme {
public:
    explicit theme(std::string_view title) : title_(title) {}

    /// Nothing for an empty text. What files tell may be anything: no control characters.
    void add(std::string_view label, std::string_view text) {
        if (!text.empty()) {
            lines_.emplace_back(label, detail::printable_text(text));
        }
    }
    std::string text(const text_style& style) const {
        std::string out = lines_.empty() ? "" : '\n' + coloured(title_, "1", style) + '\n';
        for (const auto& [label, words] : lines_) {
            out += beside("  " + padded_right(label, 14, style), words, style);
        }
        return out;
    }

private:
    std::string title_;
    std::vector<std::pair<std::string_view, std::string>> lines_;
};

/// "x" with a value, else nothing.
template<class T>
std::string phrase(const std::optional<T>& value, fmt::format_string<const T&> format) {
    return value ? fmt::format(format, *value) : std::string();
}

theme system_of(const fingerprint& m) {
    theme lines("System");
    lines.add("distribution", m.system);
    lines.add("kernel", joined({m.kernel, m.architecture}, ", "));
    lines.add("booted with", joined(m.boot_options, " "));
    lines.add("board", m.board);
    lines.add("guest", m.guest.text());
    if (m.guest.stolen_share && !m.guest.hypervisor.empty()) {
        lines.add("stolen", fmt::format("{} of the CPU time that was wanted since boot",
                                        percent_text(*m.guest.stolen_share)));
    }
    std::vector<std::string> mitigated;
    std::vector<std::string> open;
    std::vector<std::string> unknown;
    for (const mitigation& one : m.mitigations) {
        const bool safe =
            one.state.starts_with("Mitigation") || one.state.starts_with("KVM: Mitigation");
        (one.state.starts_with("Unknown") ? unknown : safe ? mitigated : open).push_back(one.flaw);
    }
    lines.add("mitigations", joined(mitigated, ", "));
    lines.add("vulnerable", joined(open, ", "));
    lines.add("not known", joined(unknown, ", "));
    return lines;
}

std::string cores_text(const processor& cpu) {
    if (!cpu.cores) {
        return {};
    }
    std::string text = counted(*cpu.cores, "core");
    text += cpu.sockets ? " in " + counted(*cpu.sockets, "socket") : "";
    const bool alike = *cpu.cores * cpu.threads_per_core == cpu.cpus;
    text += cpu.threads_per_core > 1 ? fmt::format(", {}{} threads each (SMT)",
                                                   alike ? "" : "up to ", cpu.threads_per_core)
                                     : ", no SMT";
    text += cpu.nodes ? ", " + counted(*cpu.nodes, "memory node") : "";
    return text;
}

std::string usable_text(const fingerprint& m) {
    std::string text = fmt::format("{} online", m.online_cpus);
    if (!m.allowed_cpus.empty()) {
        text += fmt::format("; this command may use {}", m.allowed_cpus.to_string());
    }
    if (!m.cpu.isolated.empty()) {
        text += fmt::format("; isolated: {}", m.cpu.isolated.to_string());
    }
    return text;
}

std::string quota_text(const control_group& group) {
    if (!group.quota) {
        return "none";
    }
    std::string text =
        fmt::format("the time of {:.4g} CPU{}", *group.quota, *group.quota == 1 ? "" : "s");
    if (group.periods != 0) {
        text +=
            fmt::format("; held back in {} of {} periods", group.throttled_periods, group.periods);
    }
    return text;
}

std::string caches_text(const processor& cpu) {
    std::vector<std::string> all;
    for (const alike_caches& cache : cpu.caches) {
        const char* const type = cache.type == cache_type::data          ? "d"
                                 : cache.type == cache_type::instruction ? "i"
                                                                         : "";
        const std::string size = cache.bytes == 0 ? "of unknown size" : size_text(cache.bytes);
        all.push_back(fmt::format("L{}{} {}", cache.level, type, size));
        if (cache.count > 1) {
            all.back().insert(0, fmt::format("{} x ", cache.count));
        }
        if (cache.cpus > 1) {
            all.back() += fmt::format(" for {} CPUs{}", cache.cpus, cache.count > 1 ? " each" : "");
        }
    }
    return joined(all, ", ");
}

std::string clock_text(const clock_settings& clock) {
    std::string range;
    if (clock.lowest_mhz && clock.highest_mhz) {
        range = fmt::format("{:.0f} to {:.0f} MHz", *clock.lowest_mhz, *clock.highest_mhz);
    }
    return joined({phrase(clock.now_mhz, "{:.0f} MHz now"),
                   phrase(clock.base_mhz, "{:.0f} MHz nominally"), range,
                   clock.limit_mhz != clock.full_mhz
                       ? fmt::format("limited to {:.0f} MHz", *clock.limit_mhz)
                       : ""},
                  "; ");
}

std::string governor_text(const clock_settings& clock) {
    if (clock.governor.empty() && !clock.boost) {
        return "not visible here";
    }
    return joined({clock.governor, clock.driver,
                   clock.preference.empty() ? "" : "preference " + clock.preference,
                   clock.boost ? *clock.boost ? "turbo on" : "turbo off" : ""},
                  ", ");
}

theme processor_of(const fingerprint& m) {
    theme lines("Processor");
    lines.add("model", m.cpu_model);
    lines.add("cores", cores_text(m.cpu));
    for (const core_design& kind : m.cpu.kinds) {
        lines.add("kind of core", fmt::format("{}: {}", kind.name, kind.cpus.to_string()));
    }
    lines.add("CPUs", usable_text(m));
    lines.add("quota", quota_text(m.group));
    lines.add("caches", caches_text(m.cpu));
    lines.add("instructions", joined(m.cpu.instruction_sets, " "));
    lines.add("clock", clock_text(m.clock));
    lines.add("governor", governor_text(m.clock));
    if (m.clock.throttled) {
        lines.add("too hot",
                  fmt::format("{} since boot",
                              counted(static_cast<std::size_t>(*m.clock.throttled), "time")));
    }
    if (m.clock.on_battery) {
        lines.add("power", *m.clock.on_battery ? "battery" : "mains");
    }
    lines.add("time source", m.clock.time_source);
    return lines;
}

theme memory_of(const fingerprint& m) {
    const memory_state& memory = m.memory;
    theme lines("Memory");
    if (memory.bytes != 0) {
        std::string text = size_text(memory.bytes);
        text +=
            memory.available_bytes ? ", " + size_text(*memory.available_bytes) + " available" : "";
        lines.add("memory", std::move(text));
        lines.add("swap", memory.swap_bytes == 0
                              ? "none"
                              : fmt::format("{}, {} used", size_text(memory.swap_bytes),
                                            size_text(memory.swap_used_bytes)));
    }
    if (m.group.memory_limit_bytes) {
        std::string text = size_text(*m.group.memory_limit_bytes);
        text +=
            m.group.memory_used_bytes ? ", " + size_text(*m.group.memory_used_bytes) + " used" : "";
        lines.add("group's limit", std::move(text));
    }
    const std::string& shared = memory.shared_huge_pages;
    std::string reserved;
    if (memory.huge_pages != 0) {
        reserved = fmt::format("{} of {} set aside, {} free", memory.huge_pages,
                               size_text(memory.huge_page_bytes), memory.huge_pages_free);
    }
    lines.add("huge pages", joined({memory.transparent_huge_pages,
                                    shared.empty() ? "" : "in shared memory: " + shared, reserved},
                                   "; "));
    if (memory.numa_balancing && m.cpu.nodes.value_or(1) > 1) {
        lines.add("NUMA", *memory.numa_balancing
                              ? "the kernel moves memory to the node that uses it"
                              : "memory stays on the node where it was made");
    }
    return lines;
}

std::string waited_text(const std::optional<pressure_stall>& stall, std::string_view what) {
    return stall ? fmt::format("for {} {}", what, percent_text(stall->some.avg10 / 100))
                 : std::string();
}

theme load_of(const fingerprint& m) {
    theme lines("Load");
    lines.add("load average", phrase(m.load_average, "{:.1f} in the last minute"));
    const std::string waited =
        joined({waited_text(m.waiting.cpu, "a CPU"), waited_text(m.waiting.memory, "memory"),
                waited_text(m.waiting.io, "disks")},
               ", ");
    lines.add("pressure",
              waited.empty() ? "" : "in the last 10 s tasks waited " + waited + " of the time");
    lines.add("nice", m.nice.value_or(0) == 0 ? "" : std::to_string(*m.nice));
    return lines;
}

theme libraries_of(const fingerprint& m) {
    theme lines("Libraries");
    if (m.blas) {
        const blas_record& blas = *m.blas;
        const std::string suitable = suitable_blas_core(m.cpu, m.cpu_model);
        const bool lesser = is_lesser_blas_core(blas.core, suitable);
        lines.add("OpenBLAS",
                  blas.path.empty()
                      ? "none (libopenblas0-pthread)"
                      : joined({blas.version, blas.core.empty() ? "" : "for the core " + blas.core,
                                lesser ? suitable + " would suit" : "", blas.path},
                               ", "));
        lines.add("any BLAS", blas.usual_path.empty() ? "none" : blas.usual_path);
    }
    if (m.python) {
        const python_interpreter& python = *m.python;
        lines.add("Python", python.path.empty() ? python.missing
                                                : fmt::format("{} {}, {}", python.implementation,
                                                              python.version, python.path));
        lines.add("numpy",
                  !python.numpy_version.empty()
                      ? joined({python.numpy_version,
                                python.numpy_blas.empty() ? "without a BLAS" : python.numpy_blas,
                                python.numpy_blas_core.empty()
                                    ? ""
                                    : "for the core " + python.numpy_blas_core},
                               ", ")
                  : python.path.empty() ? ""
                                        : "none");
    }
    return lines;
}

theme program_of(const fingerprint& m) {
    theme lines("This program");
    lines.add("version", "regatta " + m.version);
    lines.add("built", joined({m.build_type, m.compiler, m.flags}, ", "));
    return lines;
}

std::string warning_line(const std::string& warning, const text_style& style) {
    return coloured(wrapped("! " + detail::printable_text(warning) + ".", 2, style), "33", style);
}

} // namespace

std::string info_text(const fingerprint& machine, const text_style& style) {
    std::string out;
    for (const theme& one : {system_of(machine), processor_of(machine), memory_of(machine),
                             load_of(machine), libraries_of(machine), program_of(machine)}) {
        out += one.text(style);
    }
    out.erase(0, 1);
    const auto spoilt = warnings_of(machine);
    out += '\n' + coloured(spoilt.empty() ? "Nothing is seen that spoils a measurement."
                                          : "What spoils a measurement here",
                           "1", style);
    out += '\n';
    for (const std::string& warning : spoilt) {
        out += warning_line(warning, style);
    }
    const auto slowed = library_warnings_of(machine);
    if (!slowed.empty()) {
        out +=
            '\n' + coloured("What slows down programs that multiply matrices", "1", style) + '\n';
    }
    for (const std::string& warning : slowed) {
        out += warning_line(warning, style);
    }
    return out;
}

std::string short_warnings(const fingerprint& machine, const text_style& style) {
    constexpr std::size_t most = 3;
    const auto all = warnings_of(machine);
    std::string out;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
        out += paragraph("Warning: " + detail::printable_text(all[i]) + ".", style, "33");
    }
    if (all.size() > most) {
        out +=
            paragraph(fmt::format("{} more: see `regatta info`.", all.size() - most), style, "33");
    }
    return out;
}

} // namespace regatta::race
