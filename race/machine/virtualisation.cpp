// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/virtualisation.hpp"

#include "machine/file_text.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace regatta::race {
namespace {

struct known_name {
    std::string_view sign;
    std::string_view name;
};

/// What hypervisors call themselves, in the processor's answer and in the firmware's tables.
constexpr known_name hypervisors[] = {
    {"KVMKVMKVM", "KVM"},
    {"Linux KVM Hv", "KVM"},
    {"TCGTCGTCGTCG", "QEMU without hardware support"},
    {"Microsoft Hv", "Hyper-V"},
    {"VMwareVMware", "VMware"},
    {"XenVMMXenVMM", "Xen"},
    {"VBoxVBoxVBox", "VirtualBox"},
    {"bhyve bhyve", "bhyve"},
    {" prl hyperv", "Parallels"},
    {"ACRNACRNACRN", "ACRN"},
    {"Google Compute Engine", "Google Compute Engine"},
    {"KVM", "KVM"},
    {"QEMU", "QEMU"},
    {"OpenStack", "OpenStack"},
    {"VMware", "VMware"},
    {"VirtualBox", "VirtualBox"},
    {"innotek", "VirtualBox"},
    {"Xen", "Xen"},
    {"xen", "Xen"},
    {"Parallels", "Parallels"},
    {"Alibaba Cloud ECS", "Alibaba Cloud"},
    {"BHYVE", "bhyve"},
};

std::string_view name_in(std::string_view text) {
    for (const known_name& one : hypervisors) {
        if (text.find(one.sign) != text.npos) {
            return one.name;
        }
    }
    return {};
}

/// What the processor answers in the name of the hypervisor; nothing without one.
std::vector<std::string> signatures() {
    std::vector<std::string> found;
#if defined(__x86_64__)
    constexpr unsigned hypervisor_bit = 1u << 31;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & hypervisor_bit) == 0) {
        return found;
    }
    // Further ones stand 0x100 apart; as many as Linux looks at.
    for (unsigned leaf = 0x40000000u; leaf < 0x40010000u; leaf += 0x100) {
        __cpuid(leaf, a, b, c, d);
        const unsigned words[] = {b, c, d};
        char text[sizeof words + 1] = {};
        std::memcpy(text, words, sizeof words);
        found.emplace_back(text);
    }
#endif
    return found;
}

/// From the firmware: who made the machine, and what it is sold as.
std::string_view name_of_firmware(const std::string& root) {
    const std::string folder = root + "/sys/class/dmi/id/";
    const std::string maker = line_of(folder + "sys_vendor");
    const std::string product = line_of(folder + "product_name");
    if (const auto name = name_in(product + ' ' + maker); !name.empty()) {
        return name;
    }
    if (maker.starts_with("Microsoft") && product == "Virtual Machine") {
        return "Hyper-V";
    }
    if (maker.starts_with("Amazon EC2") && product.find("metal") == product.npos) {
        return "Amazon EC2";
    }
    return {};
}

std::string hypervisor_of(const std::string& root) {
    if (const std::string told = line_of(root + "/sys/hypervisor/type"); !told.empty()) {
        const auto name = name_in(told);
        return name.empty() ? told : std::string(name);
    }
    if (root.empty()) {
        if (const auto name = hypervisor_by(signatures()); !name.empty()) {
            return std::string(name);
        }
    }
    if (const auto name = name_of_firmware(root); !name.empty()) {
        return std::string(name);
    }
    const std::string flags = ' ' + value_of(root + "/proc/cpuinfo", "flags", ':') + ' ';
    return flags.find(" hypervisor ") != flags.npos ? "unknown" : "";
}

std::string container_of(const std::string& root) {
    const auto exists = [&](const char* path) {
        return ::access((root + path).c_str(), F_OK) == 0;
    };
    if (const std::string told = line_of(root + "/run/systemd/container"); !told.empty()) {
        return told;
    }
    if (exists("/.dockerenv")) {
        return "docker";
    }
    if (exists("/run/.containerenv")) {
        return "podman";
    }
    const auto groups = detail::read_small_file(root + "/proc/self/cgroup");
    for (const char* const sign : {"kubepods", "docker", "libpod", "lxc"}) {
        if (groups && groups->find(std::string("/") + sign) != groups->npos) {
            return sign;
        }
    }
    return {};
}

/// Of the line of all CPUs: user nice system idle iowait irq softirq steal … (proc(5)).
std::optional<double> stolen_share_of(const std::string& root) {
    const std::string line = line_of(root + "/proc/stat");
    const auto fields = detail::split(line, ' ');
    if (fields.size() < 9 || fields[0] != "cpu") {
        return std::nullopt;
    }
    double wanted = 0;
    double stolen = 0;
    for (const std::size_t field : {1u, 2u, 3u, 6u, 7u, 8u}) { // Without idle and iowait.
        const auto ticks = detail::to_number(fields[field]);
        stolen = static_cast<double>(std::max<std::int64_t>(0, ticks.value_or(0)));
        wanted += stolen;
    }
    return wanted > 0 ? std::optional(stolen / wanted) : std::nullopt;
}

} // namespace

std::string virtualisation::text() const {
    std::string all;
    if (!hypervisor.empty()) {
        all = hypervisor == "unknown" ? "virtual machine" : "virtual machine (" + hypervisor + ")";
    }
    if (!container.empty()) {
        all += (all.empty() ? "container (" : ", container (") + container + ")";
    }
    return all;
}

std::string_view hypervisor_by(std::span<const std::string> signatures) {
    // Others speak Hyper-V's interface for the sake of Windows: it comes first, and theirs next.
    constexpr std::string_view imitated = "Hyper-V";
    std::string_view found;
    for (const std::string& one : signatures) {
        if (found.empty() || found == imitated) {
            const std::string_view name = name_in(one);
            found = name.empty() ? found : name;
        }
    }
    return found;
}

virtualisation read_virtualisation(const std::string& root) {
    virtualisation found;
    found.hypervisor = hypervisor_of(root);
    found.container = container_of(root);
    found.stolen_share = stolen_share_of(root);
    return found;
}

} // namespace regatta::race
