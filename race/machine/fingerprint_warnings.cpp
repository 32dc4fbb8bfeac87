// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/fingerprint.hpp"

#include "machine/size_text.hpp"
#include "text/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace regatta::race {
namespace {

using warnings = std::vector<std::string>;

unsigned allowed_count(const fingerprint& m) {
    return m.allowed_cpus.empty() ? m.online_cpus : m.allowed_cpus.count();
}

void add_build(const fingerprint& m, warnings& found) {
    if (m.build_type != "Release" && m.build_type != "RelWithDebInfo") {
        found.push_back(fmt::format("this is a build of type \"{}\", not Release: absolute times "
                                    "mean nothing; build with -DCMAKE_BUILD_TYPE=Release",
                                    m.build_type));
    }
    if (m.flags.find("-fsanitize=") != m.flags.npos) {
        found.push_back("this is a build with a sanitizer: times mean nothing; build without "
                        "-fsanitize");
    }
}

void add_quota(const fingerprint& m, warnings& found) {
    const auto& quota = m.group.quota;
    if (!quota || *quota >= allowed_count(m)) {
        return;
    }
    std::string text =
        fmt::format("control groups grant {:.4g} CPU{} of time: bursts above that are throttled",
                    *quota, *quota == 1 ? "" : "s");
    if (m.group.throttled_periods != 0) {
        text += fmt::format(" ({} of {} periods were until now)", m.group.throttled_periods,
                            m.group.periods);
    }
    const double whole = std::floor(*quota);
    if (whole >= 1) {
        text += whole != *quota ? fmt::format(", and {:.4g} workers cannot be had", *quota) : "";
        text += fmt::format("; use {:.0f} worker{} at most, or", whole, whole == 1 ? "" : "s");
    } else {
        text += ", and not even one worker runs all the time;";
    }
    text += fmt::format(" raise {}", m.group.quota_file);
    found.push_back(std::move(text));
}

/// The share of the last 10 seconds in which some task waited, 0..1.
double waited(const std::optional<pressure_stall>& stall) {
    return stall ? stall->some.avg10 / 100 : 0;
}

void add_load(const fingerprint& m, warnings& found) {
    const double load = m.load_average.value_or(0);
    const double waiting = waited(m.waiting.cpu);
    // The load is that of all CPUs, however few of them this process may use.
    if (load > 0.25 * m.online_cpus + 0.25 || waiting >= 0.1) {
        std::string text = "the machine is busy (";
        text += m.load_average ? fmt::format("load average {:.1f}", load) : "";
        text += m.load_average && waiting > 0 ? ", " : "";
        text += waiting > 0 ? fmt::format("tasks waited for a CPU in {:.0f} % of the last 10 s",
                                          waiting * 100)
                            : "";
        found.push_back(text + "): close what uses the CPUs");
    }
    if (waited(m.waiting.io) >= 0.1) {
        found.push_back(fmt::format("tasks waited for disks in {:.0f} % of the last 10 s: close "
                                    "what reads and writes, or wait until it is done",
                                    waited(m.waiting.io) * 100));
    }
    if (m.nice.value_or(0) > 0) {
        found.push_back(fmt::format(
            "this process has a nice value of {}, so that others go first: start it without nice",
            *m.nice));
    }
}

void add_memory(const fingerprint& m, warnings& found) {
    const memory_state& memory = m.memory;
    const bool stalls = waited(m.waiting.memory) >= 0.01;
    if (stalls || (memory.available_bytes && *memory.available_bytes < memory.bytes / 10)) {
        std::string text = "memory is short (";
        text += memory.available_bytes
                    ? fmt::format("{} of {} are available", size_text(*memory.available_bytes),
                                  size_text(memory.bytes))
                    : "";
        text += memory.available_bytes && stalls ? ", " : "";
        text += stalls ? fmt::format("tasks waited for it in {:.0f} % of the last 10 s",
                                     waited(m.waiting.memory) * 100)
                       : "";
        found.push_back(text + "): close what uses it");
    }
    if (memory.swap_used_bytes > memory.bytes / 100) {
        found.push_back(
            fmt::format("{} of memory are swapped out and come back from disk when they "
                        "are touched: free memory, then swapoff -a",
                        size_text(memory.swap_used_bytes)));
    }
    const auto& limit = m.group.memory_limit_bytes;
    if (limit && m.group.memory_used_bytes.value_or(0) > *limit / 10 * 9) {
        found.push_back(fmt::format(
            "the control group has used {} of the {} of memory that it may have: raise {}",
            size_text(*m.group.memory_used_bytes), size_text(*limit), m.group.memory_file));
    }
}

void add_clock(const fingerprint& m, warnings& found) {
    const clock_settings& clock = m.clock;
    if (clock.on_battery.value_or(false)) {
        found.push_back("this machine runs on its battery and saves power: plug it in");
    }
    if (!clock.governor.empty() && clock.governor != "performance" &&
        clock.governor != "userspace" && clock.preference != "performance") {
        found.push_back(fmt::format("the clock is set by the governor \"{}\" and changes while "
                                    "measuring: set \"performance\" "
                                    "(cpupower frequency-set -g performance)",
                                    clock.governor));
    }
    if (clock.limit_mhz && clock.full_mhz && clock.highest_mhz && clock.boost.value_or(true) &&
        *clock.limit_mhz < 0.98 * *clock.full_mhz) {
        found.push_back(fmt::format("the clock is limited to {:.0f} of {:.0f} MHz: lift the limit "
                                    "(cpupower frequency-set -u {:.0f}MHz)",
                                    *clock.limit_mhz, *clock.full_mhz, *clock.highest_mhz));
    }
    if (clock.boost.value_or(false) && allowed_count(m) > 1) {
        found.push_back(
            fmt::format("the clock rises above its nominal rate while few CPUs work (turbo), so "
                        "that one worker "
                        "is faster than each of many: switch it off to compare worker counts ({})",
                        clock.driver.starts_with("intel_pstate") || clock.driver == "intel_cpufreq"
                            ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                            : "echo 0 > /sys/devices/system/cpu/cpufreq/boost"));
    }
    if (clock.throttled.value_or(0) > 0) {
        found.push_back(
            fmt::format("since boot cores were slowed down {} because they were hot: cool the "
                        "machine, or rest between measurements",
                        counted(static_cast<std::size_t>(*clock.throttled), "time")));
    }
    if (clock.slow_time()) {
        found.push_back(fmt::format("reading the time costs a system call (clock source \"{}\"): "
                                    "short times come out too long; boot with tsc=reliable if the "
                                    "processor's counter can be trusted",
                                    clock.time_source));
    }
}

void add_cores(const fingerprint& m, warnings& found) {
    const unsigned cpus = allowed_count(m);
    // Where a quota leaves fewer CPUs than there are cores, nobody has to share one.
    if (m.available_cores && *m.available_cores != 0 &&
        *m.available_cores < std::min(cpus, m.available_cpus)) {
        found.push_back(fmt::format(
            "{} CPUs are {} core{} whose threads share a core's units (SMT): beyond {} worker{} "
            "expect far less than a core each; use as many workers as cores and pin them, or "
            "switch "
            "SMT off (echo off > /sys/devices/system/cpu/smt/control)",
            cpus, *m.available_cores, *m.available_cores == 1 ? "" : "s", *m.available_cores,
            *m.available_cores == 1 ? "" : "s"));
    }
    std::string kinds;
    unsigned used = 0;
    for (const core_design& kind : m.cpu.kinds) {
        const cpu_set cpus_of_kind =
            m.allowed_cpus.empty() ? kind.cpus : kind.cpus & m.allowed_cpus;
        if (!cpus_of_kind.empty()) {
            ++used;
            kinds += fmt::format("{}{}: {}", kinds.empty() ? "" : "; ", kind.name,
                                 cpus_of_kind.to_string());
        }
    }
    if (used > 1) {
        found.push_back(
            fmt::format("the CPUs are not alike ({}), so that a further worker may get a "
                        "slower one: use CPUs of one kind (taskset -c)",
                        kinds));
    }
    if (m.cpu.nodes.value_or(1) > 1 && m.memory.numa_balancing.value_or(false)) {
        found.push_back(
            "the kernel moves memory between the nodes while measuring: switch that off "
            "(sysctl kernel.numa_balancing=0)");
    }
}

void add_pages(const fingerprint& m, warnings& found) {
    constexpr const char* mend = "(echo madvise > /sys/kernel/mm/transparent_hugepage/enabled)";
    const memory_state& memory = m.memory;
    if (memory.transparent_huge_pages == "always") {
        found.push_back(
            fmt::format("memory gets huge pages whenever the kernel finds some, so that "
                        "equal runs may differ: give them only to who asks {}",
                        mend));
    } else if (memory.transparent_huge_pages == "never") {
        found.push_back(
            fmt::format("no program gets huge pages, so that large arrays cost many more "
                        "look-ups of addresses than elsewhere: give them to who asks {}",
                        mend));
    }
    if (memory.huge_pages != 0 && memory.huge_pages_free == 0) {
        found.push_back(fmt::format("all {} huge pages that are set aside are taken: who asks for "
                                    "more gets small ones; raise vm.nr_hugepages",
                                    memory.huge_pages));
    }
}

void add_guest(const fingerprint& m, warnings& found) {
    if (m.guest.stolen_share.value_or(0) >= 0.01) {
        found.push_back(fmt::format("since boot the hypervisor gave {:.1f} % of the CPU time that "
                                    "this guest wanted to others: measure when the host is quiet, "
                                    "or on a host of its own",
                                    *m.guest.stolen_share * 100));
    }
    if (!m.guest.hypervisor.empty()) {
        found.push_back(fmt::format("this is a guest ({}): its neighbours on the host cannot be "
                                    "seen; trust ratios, not times",
                                    m.guest.text()));
    }
}

} // namespace

std::vector<std::string> warnings_of(const fingerprint& machine) {
    warnings found;
    add_build(machine, found);
    add_quota(machine, found);
    add_load(machine, found);
    add_memory(machine, found);
    add_clock(machine, found);
    add_cores(machine, found);
    add_pages(machine, found);
    add_guest(machine, found);
    return found;
}

std::vector<std::string> library_warnings_of(const fingerprint& machine) {
    warnings found;
    const std::string suitable = suitable_blas_core(machine.cpu, machine.cpu_model);
    const std::string requested = machine.blas ? machine.blas->requested_core : "";
    if (is_lesser_blas_core(requested, suitable)) {
        found.push_back(
            fmt::format("OPENBLAS_CORETYPE={} in the environment makes OpenBLAS leave a "
                        "part of this processor unused: set it to {}",
                        requested, suitable));
    }
    const auto add_core = [&](const std::string& library, const std::string& core,
                              const std::string& mend) {
        if (requested.empty() && is_lesser_blas_core(core, suitable)) {
            found.push_back(
                fmt::format("{} takes this processor for \"{}\" and leaves a part of it "
                            "unused: {} OPENBLAS_CORETYPE={}",
                            library, core, mend, suitable));
        }
    };
    if (machine.blas) {
        add_core(fmt::format("OpenBLAS {} of the system", machine.blas->version),
                 machine.blas->core, "start programs that use it, but not this one, with");
        if (machine.blas->usual_is_reference()) {
            found.push_back(fmt::format(
                "programs that ask for any BLAS get the reference one ({}), whose products of "
                "matrices take many times as long: install libopenblas0, or choose it with "
                "update-alternatives",
                machine.blas->usual_path));
        }
    }
    if (!machine.python || machine.python->numpy_version.empty()) {
        return found;
    }
    const python_interpreter& python = *machine.python;
    if (python.numpy_blas.empty() || python.numpy_blas.find("reference") != std::string::npos) {
        found.push_back(fmt::format(
            "numpy {} of {} computes {}, so that its products of matrices take many times as long: "
            "install an optimised BLAS (libopenblas0), or numpy from PyPI, which brings one",
            python.numpy_version, python.path,
            python.numpy_blas.empty() ? "without a BLAS" : "with " + python.numpy_blas));
    }
    add_core(fmt::format("numpy's {}", python.numpy_blas), python.numpy_blas_core,
             "start Python with");
    return found;
}

} // namespace regatta::race
