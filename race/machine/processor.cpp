// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/processor.hpp"

#include "machine/file_text.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/detail/topology_reader.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace regatta::race {
namespace {

constexpr std::string_view interesting[] = {
    // x86
    "sse4_2",
    "avx",
    "f16c",
    "fma",
    "avx2",
    "avx512f",
    "avx512dq",
    "avx512bw",
    "avx512vl",
    "avx512_vnni",
    "avx_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "amx_int8",
    "amx_bf16",
    // Arm
    "asimd",
    "asimdhp",
    "asimddp",
    "sve",
    "sve2",
    "i8mm",
    "bf16",
    "sme",
    "neon",
};

/// Nothing without the kernel's files, in whose place `topology::read` makes up a machine.
std::optional<topology> topology_of(const std::string& root) {
    return detail::read_topology<topology>(
        [&](const std::string& path) { return detail::read_small_file(root + path); });
}

/// Whether the kernel's files name a core or siblings; some sandboxes list the CPUs alone.
bool tells_cores(const topology& machine) {
    return std::ranges::any_of(
        machine.cores, [](const cpu_core& core) { return core.id >= 0 || core.cpus.count() > 1; });
}

/// Distinct pairs of package and core, and distinct packages; what older kernels tell.
void read_cpuinfo(const std::string& path, processor& into) {
    const auto text = detail::read_small_file(path);
    std::set<std::pair<std::string_view, std::string_view>> cores;
    std::set<std::string_view> packages;
    std::string_view package;
    for (const auto line : detail::split(text ? std::string_view(*text) : "", '\n')) {
        const auto at = std::min(line.find(':'), line.size() - 1);
        const std::string_view key = detail::trimmed(line.substr(0, at));
        const std::string_view value = detail::trimmed(line.substr(at + 1));
        if (key == "processor") {
            ++into.cpus;
        } else if (key == "physical id") {
            packages.insert(package = value);
        } else if (key == "core id") {
            cores.emplace(package, value);
        }
    }
    if (!cores.empty()) {
        into.cores = static_cast<unsigned>(cores.size());
        into.sockets = static_cast<unsigned>(packages.size());
        into.threads_per_core = std::max(1u, into.cpus / *into.cores);
    }
}

void add_cache(std::vector<alike_caches>& all, const cpu_cache& one) {
    const unsigned cpus = one.cpus.count();
    const auto alike = std::ranges::find_if(all, [&](const alike_caches& known) {
        return known.level == one.level && known.type == one.type && known.bytes == one.bytes &&
               known.cpus == cpus;
    });
    if (alike != all.end()) {
        ++alike->count;
    } else {
        all.push_back({one.level, one.type, one.bytes, 1, cpus});
    }
}

} // namespace

bool processor::has(std::string_view instructions) const noexcept {
    return std::ranges::find(instruction_sets, instructions) != instruction_sets.end();
}

std::optional<unsigned> processor::cores_of(const cpu_set& some) const {
    if (siblings.empty()) {
        return std::nullopt;
    }
    return static_cast<unsigned>(std::ranges::count_if(
        siblings, [&](const cpu_set& core) { return !(core & some).empty(); }));
}

processor read_processor(const std::string& root) {
    processor found;
    const std::string cpuinfo = root + "/proc/cpuinfo";
    const auto machine = topology_of(root);
    if (machine && tells_cores(*machine)) {
        found.cores = static_cast<unsigned>(machine->cores.size());
        found.sockets = static_cast<unsigned>(machine->packages.size());
        for (const cpu_core& core : machine->cores) {
            found.siblings.push_back(core.cpus);
            found.threads_per_core = std::max(found.threads_per_core, core.cpus.count());
        }
    } else {
        read_cpuinfo(cpuinfo, found);
    }
    if (machine) {
        found.cpus = static_cast<unsigned>(machine->cpus.size());
        found.nodes = static_cast<unsigned>(machine->nodes.size());
        found.online = machine->online;
        found.isolated = machine->isolated | machine->partitioned;
        for (const core_kind& kind : machine->kinds) {
            if (machine->is_hybrid()) {
                found.kinds.push_back({kind.name, kind.cpus});
            }
        }
        for (const cpu_cache& cache : machine->caches) {
            add_cache(found.caches, cache);
        }
    }
    std::string flags = value_of(cpuinfo, "flags", ':');
    flags += ' ' + value_of(cpuinfo, "Features", ':'); // Arm's word
    const auto words = detail::split(flags, ' ');
    for (const std::string_view set : interesting) {
        if (std::ranges::find(words, set) != words.end()) {
            found.instruction_sets.emplace_back(set);
        }
    }
    return found;
}

} // namespace regatta::race
