// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Machines with all that decides a measurement, as their kernels tell it.

#include "machines.hpp"

#include <string>

namespace library_test {

/// What every machine has: a system, a kernel, a load and CPU time.
inline void add_system(machine_files& files, const std::string& name, const std::string& release,
                       const std::string& architecture) {
    files.file("/etc/os-release", "NAME=\"Some\"\nPRETTY_NAME=\"" + name + "\"\n")
        .file("/proc/sys/kernel/ostype", "Linux\n")
        .file("/proc/sys/kernel/osrelease", release + "\n")
        .file("/proc/sys/kernel/arch", architecture + "\n")
        .file("/proc/loadavg", "0.10 1.00 0.50 1/87 5757\n")
        .file("/proc/stat", "cpu  1000 0 500 9000 10 0 5 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\n");
}

/// The settings of a CPU's clock.
inline void add_policy(machine_files& files, unsigned cpu, const std::string& governor,
                       unsigned lowest_mhz, unsigned highest_mhz, unsigned limit_mhz) {
    const std::string folder = "cpu" + std::to_string(cpu) + "/cpufreq/";
    files.cpu_file(folder + "scaling_governor", governor)
        .cpu_file(folder + "cpuinfo_min_freq", std::to_string(lowest_mhz * 1000))
        .cpu_file(folder + "cpuinfo_max_freq", std::to_string(highest_mhz * 1000))
        .cpu_file(folder + "scaling_max_freq", std::to_string(limit_mhz * 1000));
}

/// Two CPUs of a host that nothing is told of, in a container.
inline machine_files small_guest() {
    machine_files files = virtual_machine();
    add_system(files, "Debian GNU/Linux 12 (bookworm)", "6.18.44", "x86_64");
    std::string cpuinfo;
    for (const char* const cpu : {"0", "1"}) {
        cpuinfo += "processor\t: " + std::string(cpu) +
                   "\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\ncpu MHz\t\t: 2599.996\n"
                   "flags\t\t: fpu sse4_2 fma avx2 avx512f avx512dq hypervisor avx512bw avx512vl\n"
                   "\n";
    }
    const std::string flaws = "/sys/devices/system/cpu/vulnerabilities/";
    return files.file("/proc/cpuinfo", cpuinfo)
        .file("/proc/meminfo", "MemTotal:       24684096 kB\nMemFree:        20000000 kB\n"
                               "MemAvailable:   23514108 kB\nSwapTotal:             0 kB\n"
                               "SwapFree:              0 kB\nHugePages_Total:       0\n"
                               "HugePages_Free:        0\nHugepagesize:       2048 kB\n")
        .file("/proc/loadavg", "1.69 2.30 2.22 2/103 25816\n")
        .file("/proc/self/status", "Name:\tregatta\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n")
        .file("/proc/cmdline", "console=ttyS0 mitigations=auto quiet isolcpus=1\n")
        .file("/.dockerenv", "")
        .file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
        .file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
        .file("/sys/kernel/mm/transparent_hugepage/shmem_enabled",
              "always within_size advise [never] deny force\n")
        .file(flaws + "meltdown", "Not affected\n")
        .file(flaws + "spec_rstack_overflow", "Vulnerable: Microcode, no safe RET\n")
        .file(flaws + "spectre_v2", "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional\n");
}

/// Four Arm cores that a cloud lends; their processor has numbers for a name.
inline machine_files four_core_arm() {
    machine_files files;
    files.sets("0-3", "0-3", "0-3").nodes("0").node(0, "0-3", 7168, "10");
    add_system(files, "openEuler 22.03 (LTS-SP3)", "5.10.0-182.0.0.95.oe2203sp3.aarch64",
               "aarch64");
    std::string cpuinfo;
    for (unsigned cpu = 0; cpu < 4; ++cpu) {
        files.cpu(cpu,
                  {.siblings = std::to_string(cpu), .core = static_cast<int>(cpu), .package = 0});
        files.cache(0, 1, "Data", "64K", cpu_set{cpu}).cache(1, 2, "Unified", "512K", cpu_set{cpu});
        cpuinfo += "processor\t: " + std::to_string(cpu) +
                   "\nBogoMIPS\t: 200.00\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 "
                   "atomics fphp asimdhp cpuid asimdrdm jscvt fcma dcpop asimddp asimdfhm\n"
                   "CPU implementer\t: 0x48\nCPU architecture: 8\nCPU variant\t: 0x1\n"
                   "CPU part\t: 0xd01\nCPU revision\t: 0\n\n";
    }
    files.cache(2, 3, "Unified", "32768K", cpu_set::first(4));
    return files.file("/proc/cpuinfo", cpuinfo)
        .file("/proc/meminfo", "MemTotal:        7340032 kB\nMemAvailable:    6000000 kB\n")
        .file("/proc/stat", "cpu  9000 0 500 90000 10 0 80 420 0 0\n")
        .file("/sys/class/dmi/id/sys_vendor", "OpenStack Foundation\n")
        .file("/sys/class/dmi/id/product_name", "KVM Virtual Machine\n")
        .file("/sys/devices/system/clocksource/clocksource0/current_clocksource",
              "arch_sys_counter\n");
}

/// Two sockets of six cores with two siblings each, on which somebody has changed a lot.
inline machine_files tuned_server() {
    machine_files files = two_sockets();
    add_system(files, "Some Server 9", "6.1.0", "x86_64");
    for (unsigned cpu = 0; cpu < 24; ++cpu) {
        add_policy(files, cpu, "powersave", 800, 3500, 3000);
        files.cpu_file("cpu" + std::to_string(cpu) + "/thermal_throttle/core_throttle_count", "2");
    }
    files.cpu_file("cpu0/cpufreq/scaling_driver", "intel_pstate")
        .cpu_file("cpu0/cpufreq/energy_performance_preference", "balance_performance")
        .cpu_file("cpu0/cpufreq/base_frequency", "2400000")
        .cpu_file("intel_pstate/no_turbo", "0");
    return files
        .file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Quick 9000 CPU @ 2.40GHz\n"
                               "cpu MHz\t\t: 1200.5\nflags\t\t: fpu sse4_2 avx f16c fma avx2\n")
        .file("/proc/meminfo", "MemTotal:       67108864 kB\nMemAvailable:   50331648 kB\n"
                               "SwapTotal:       8388608 kB\nSwapFree:        5242880 kB\n"
                               "HugePages_Total:      64\nHugePages_Free:        0\n"
                               "Hugepagesize:       2048 kB\n")
        .file("/proc/self/status", "Cpus_allowed_list:\t0-23\n")
        .file("/proc/sys/kernel/numa_balancing", "1\n")
        .file("/proc/pressure/cpu", "some avg10=0.00 avg60=0.50 avg300=0.25 total=100\n")
        .file("/sys/class/dmi/id/sys_vendor", "Some Maker Inc.\n")
        .file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n")
        .file("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
}

/// An Arm board with cores of two kinds.
inline machine_files arm_board() {
    machine_files files = big_little();
    add_system(files, "Some Board OS", "6.6.20", "aarch64");
    std::string cpuinfo;
    for (unsigned cpu = 0; cpu < 6; ++cpu) {
        cpuinfo += "processor\t: " + std::to_string(cpu) +
                   "\nFeatures\t: fp asimd crc32\nCPU implementer\t: 0x41\nCPU part\t: " +
                   (cpu < 4 ? "0xd03" : "0xd08") + "\n\n";
        add_policy(files, cpu, "ondemand", 408, cpu < 4 ? 1416 : 1800, cpu < 4 ? 1416 : 1800);
    }
    files.cpu_file("cpu0/cpufreq/scaling_cur_freq", "1008000");
    return files.file("/proc/cpuinfo", cpuinfo)
        .file("/proc/meminfo", "MemTotal:        3932160 kB\nMemAvailable:    3000000 kB\n")
        .file("/proc/device-tree/model", std::string("Some Board 4\0", 13))
        .file("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
}

/// A container of a large machine, which grants it one CPU and a half and 2 GiB.
inline machine_files small_container() {
    machine_files files = two_sockets();
    add_system(files, "Some Image 3", "5.15.0", "x86_64");
    const std::string own = "/sys/fs/cgroup/kubepods/one";
    return files
        .file("/proc/cpuinfo",
              "processor\t: 0\nmodel name\t: Large 7763\nflags\t\t: fpu avx2 fma\n")
        .file("/proc/meminfo", "MemTotal:      536870912 kB\nMemAvailable:  400000000 kB\n")
        .file("/proc/self/status", "Cpus_allowed_list:\t0-23\n")
        .file("/proc/self/cgroup", "0::/kubepods/one\n")
        .file("/proc/self/mountinfo",
              "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n")
        .file(own + "/cpu.max", "150000 100000\n")
        .file(own + "/cpu.weight", "20\n")
        .file(own + "/cpu.stat", "usage_usec 900000000\nnr_periods 3000\nnr_throttled 120\n"
                                 "throttled_usec 1200000\n")
        .file(own + "/memory.max", "2147483648\n")
        .file(own + "/memory.current", "1073741824\n")
        .file("/sys/fs/cgroup/kubepods/memory.max", "max\n");
}

} // namespace library_test
