// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/fingerprint.hpp"

#include <regatta/base/version.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

namespace regatta::race {
namespace {

/// The first line of a file; empty where there is none.
std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

std::string trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\"");
    const auto end = text.find_last_not_of(" \t\"");
    return begin == text.npos ? std::string() : std::string(text.substr(begin, end - begin + 1));
}

/// The value behind `key` in lines of "key<separator>value"; empty where there is none.
std::string value_of(const std::string& path, std::string_view key, char separator) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        const auto at = line.find(separator);
        if (at != line.npos && trimmed(std::string_view(line).substr(0, at)) == key) {
            return trimmed(std::string_view(line).substr(at + 1));
        }
    }
    return {};
}

std::optional<double> number(const std::string& text) {
    std::istringstream stream(text);
    double value = 0;
    return stream >> value ? std::optional(value) : std::nullopt;
}

/// Distinct pairs of package and core; absent where /proc/cpuinfo does not tell.
std::optional<unsigned> physical_cores(const std::string& cpuinfo) {
    std::ifstream file(cpuinfo);
    std::set<std::pair<std::string, std::string>> cores;
    std::string line;
    std::string package;
    while (std::getline(file, line)) {
        const auto at = line.find(':');
        if (at == line.npos) {
            continue;
        }
        const std::string key = trimmed(std::string_view(line).substr(0, at));
        if (key == "physical id") {
            package = trimmed(std::string_view(line).substr(at + 1));
        } else if (key == "core id") {
            cores.emplace(package, trimmed(std::string_view(line).substr(at + 1)));
        }
    }
    return cores.empty() ? std::nullopt : std::optional(static_cast<unsigned>(cores.size()));
}

std::string virtualisation(const std::string& root) {
    std::string found;
    const auto add = [&](const std::string& what) {
        found.append(found.empty() ? "" : ", ").append(what);
    };
    const std::string vendor = first_line(root + "/sys/class/dmi/id/sys_vendor");
    const std::string flags = value_of(root + "/proc/cpuinfo", "flags", ':');
    const std::string hypervisor = first_line(root + "/sys/hypervisor/type");
    if (!hypervisor.empty()) {
        add(hypervisor);
    } else if (flags.find("hypervisor") != flags.npos) {
        add(vendor.empty() ? "virtual machine" : "virtual machine (" + vendor + ")");
    }
    if (exists(root + "/.dockerenv") || exists(root + "/run/.containerenv")) {
        add("container");
    }
    return found;
}

std::optional<bool> boost(const std::string& root) {
    if (const std::string off = first_line(root + "/sys/devices/system/cpu/intel_pstate/no_turbo");
        !off.empty()) {
        return off == "0";
    }
    if (const std::string on = first_line(root + "/sys/devices/system/cpu/cpufreq/boost");
        !on.empty()) {
        return on == "1";
    }
    return std::nullopt;
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

std::string compiler_name() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

std::string one_digit(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

} // namespace

fingerprint take_fingerprint(const std::string& root) {
    fingerprint m;
    const std::string cpuinfo = root + "/proc/cpuinfo";
    m.cpu_model = value_of(cpuinfo, "model name", ':');
    m.cores = physical_cores(cpuinfo);
    m.clock_mhz = number(value_of(cpuinfo, "cpu MHz", ':'));
    m.online_cpus = std::thread::hardware_concurrency();
    if (const long online = ::sysconf(_SC_NPROCESSORS_ONLN); online > 0) {
        m.online_cpus = static_cast<unsigned>(online);
    }
    m.available_cpus = regatta::available_cpus(root);
    cpu_set allowed;
    if (try_affinity_of_this_thread(allowed) == 0) {
        m.allowed_cpus = allowed.to_string();
    }
    utsname names{};
    if (::uname(&names) == 0) {
        m.kernel = std::string(names.sysname) + " " + names.release;
        m.architecture = names.machine;
    }
    m.system = value_of(root + "/etc/os-release", "PRETTY_NAME", '=');
    m.governor = first_line(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    m.boost = boost(root);
    m.virtualisation = virtualisation(root);
    if (const auto kib = number(value_of(root + "/proc/meminfo", "MemTotal", ':'))) {
        m.memory_bytes = static_cast<std::uint64_t>(*kib) * 1024;
    }
    m.cpu_quota = cpu_quota(root);
    m.load_average = number(first_line(root + "/proc/loadavg"));
    m.compiler = compiler_name();
    m.flags = trimmed(REGATTA_BUILD_FLAGS);
    m.build_type = REGATTA_BUILD_TYPE;
    m.version = version_string;
    m.time = utc_now();
    return m;
}

std::vector<std::string> warnings_of(const fingerprint& machine) {
    std::vector<std::string> found;
    const auto cpus = static_cast<double>(machine.available_cpus);
    if (machine.build_type != "Release" && machine.build_type != "RelWithDebInfo") {
        found.push_back("this is a build of type \"" + machine.build_type +
                        "\", not Release: absolute times mean nothing");
    }
    if (machine.load_average && *machine.load_average > 0.25 * cpus + 0.25) {
        found.push_back("the machine is busy (load average " + one_digit(*machine.load_average) +
                        "): close what uses the CPUs");
    }
    if (machine.cpu_quota && *machine.cpu_quota < static_cast<double>(machine.online_cpus)) {
        found.push_back("control groups grant " + one_digit(*machine.cpu_quota) +
                        " CPUs of time: bursts above that are throttled");
    }
    if (!machine.governor.empty() && machine.governor != "performance") {
        found.push_back("the clock is set by the governor \"" + machine.governor +
                        "\" and changes while measuring: set \"performance\"");
    }
    if (!machine.virtualisation.empty()) {
        found.push_back("this is a guest (" + machine.virtualisation +
                        "): its neighbours on the host cannot be seen; trust ratios, not times");
    }
    return found;
}

} // namespace regatta::race
