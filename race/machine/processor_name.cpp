// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/processor_name.hpp"

#include "machine/file_text.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

struct arm_core {
    std::string_view implementer;
    std::string_view part;
    std::string_view name;
};

constexpr arm_core arm_cores[] = {
    {"0x41", "0xd03", "Cortex-A53"},
    {"0x41", "0xd04", "Cortex-A35"},
    {"0x41", "0xd05", "Cortex-A55"},
    {"0x41", "0xd07", "Cortex-A57"},
    {"0x41", "0xd08", "Cortex-A72"},
    {"0x41", "0xd09", "Cortex-A73"},
    {"0x41", "0xd0a", "Cortex-A75"},
    {"0x41", "0xd0b", "Cortex-A76"},
    {"0x41", "0xd0c", "Neoverse-N1"},
    {"0x41", "0xd0d", "Cortex-A77"},
    {"0x41", "0xd40", "Neoverse-V1"},
    {"0x41", "0xd41", "Cortex-A78"},
    {"0x41", "0xd44", "Cortex-X1"},
    {"0x41", "0xd46", "Cortex-A510"},
    {"0x41", "0xd47", "Cortex-A710"},
    {"0x41", "0xd48", "Cortex-X2"},
    {"0x41", "0xd49", "Neoverse-N2"},
    {"0x41", "0xd4d", "Cortex-A715"},
    {"0x41", "0xd4e", "Cortex-X3"},
    {"0x41", "0xd4f", "Neoverse-V2"},
    {"0x41", "0xd80", "Cortex-A520"},
    {"0x41", "0xd81", "Cortex-A720"},
    {"0x41", "0xd82", "Cortex-X4"},
    {"0x41", "0xd84", "Neoverse-V3"},
    {"0x41", "0xd8e", "Neoverse-N3"},
    {"0x43", "0x0af", "ThunderX2"},
    {"0x46", "0x001", "A64FX"},
    {"0x48", "0xd01", "Kunpeng-920 (TaiShan v110)"},
    {"0x48", "0xd02", "Kunpeng-920B (TaiShan v120)"},
    {"0x51", "0x001", "Oryon"},
    {"0x61", "0x022", "Apple M1 (Icestorm)"},
    {"0x61", "0x023", "Apple M1 (Firestorm)"},
    {"0x6d", "0xd49", "Azure Cobalt 100"},
    {"0xc0", "0xac3", "Ampere-1"},
    {"0xc0", "0xac4", "Ampere-1a"},
};

std::string arm_name(std::string_view implementer, std::string_view part) {
    for (const arm_core& one : arm_cores) {
        if (one.implementer == implementer && one.part == part) {
            return std::string(one.name);
        }
    }
    return "Arm processor, implementer " + std::string(implementer) + ", part " + std::string(part);
}

/// The designs of the cores in the order in which they appear, with their numbers.
std::string arm_names(const std::string& cpuinfo) {
    const auto text = detail::read_small_file(cpuinfo);
    std::vector<std::pair<std::string, unsigned>> designs;
    std::string_view implementer;
    for (const auto line : detail::split(text ? std::string_view(*text) : "", '\n')) {
        const auto at = std::min(line.find(':'), line.size() - 1);
        const std::string_view key = detail::trimmed(line.substr(0, at));
        const std::string_view value = detail::trimmed(line.substr(at + 1));
        if (key == "CPU implementer") {
            implementer = value;
        } else if (key == "CPU part") {
            const std::string name = arm_name(implementer, value);
            const auto found =
                std::ranges::find(designs, name, &std::pair<std::string, unsigned>::first);
            if (found != designs.end()) {
                ++found->second;
            } else {
                designs.emplace_back(name, 1);
            }
        }
    }
    if (designs.size() == 1) {
        return designs.front().first;
    }
    std::string all;
    for (const auto& [name, count] : designs) {
        all += (all.empty() ? "" : ", ") + std::to_string(count) + " x " + name;
    }
    return all;
}

} // namespace

std::string processor_name(const std::string& root) {
    const std::string cpuinfo = root + "/proc/cpuinfo";
    const std::string name = value_of(cpuinfo, "model name", ':');
    // 32-bit Arm gives the architecture for a name: "ARMv7 Processor rev 4 (v7l)".
    if (!name.empty() && !name.starts_with("ARMv")) {
        return name;
    }
    if (const std::string arm = arm_names(cpuinfo); !arm.empty()) {
        return arm;
    }
    // LoongArch, MIPS, RISC-V, POWER
    for (const char* const key : {"Model Name", "cpu model", "uarch", "cpu"}) {
        if (const std::string other = value_of(cpuinfo, key, ':'); !other.empty()) {
            return other;
        }
    }
    return name;
}

} // namespace regatta::race
