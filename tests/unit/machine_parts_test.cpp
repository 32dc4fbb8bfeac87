// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/blas_record.hpp"
#include "machine/clock_settings.hpp"
#include "machine/control_group.hpp"
#include "machine/cpuset_groups.hpp"
#include "machine/file_text.hpp"
#include "machine/kernel_settings.hpp"
#include "machine/memory_state.hpp"
#include "machine/processor.hpp"
#include "machine/processor_name.hpp"
#include "machine/size_text.hpp"
#include "machine/virtualisation.hpp"

#include "machines.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace race = regatta::race;
using library_test::machine_files;
using library_test::machine_root;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::string name_in(const std::string& cpuinfo) {
    return race::processor_name(
        machine_root(machine_files().file("/proc/cpuinfo", cpuinfo)).path());
}

std::string guest_in(const machine_files& files) {
    return race::read_virtualisation(machine_root(files).path()).text();
}

const char* const v1_mounts = "33 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                              "34 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

} // namespace

TEST(machine_file_text, takes_a_value_out_of_lines) {
    const machine_root root(machine_files()
                                .file("/a", "  first line \nsecond\n")
                                .file("/b", "key: 1\nNAME = \"Some System\"\nother:2\n")
                                .file("/c", "always [madvise] never\n")
                                .file("/d", std::string("a tree\0", 7))
                                .file("/empty", ""));
    EXPECT_EQ(race::line_of(root.path() + "/a"), "first line");
    EXPECT_EQ(race::line_of(root.path() + "/d"), "a tree");
    EXPECT_EQ(race::line_of(root.path() + "/empty"), "");
    EXPECT_EQ(race::line_of(root.path() + "/none"), "");
    EXPECT_EQ(race::value_of(root.path() + "/b", "NAME", '='), "Some System");
    EXPECT_EQ(race::value_of(root.path() + "/b", "other", ':'), "2");
    EXPECT_EQ(race::value_of(root.path() + "/b", "oth", ':'), "");
    EXPECT_EQ(race::choice_of(root.path() + "/c"), "madvise");
    EXPECT_EQ(race::choice_of(root.path() + "/a"), "first line");
    EXPECT_EQ(race::decimal("3400.5 MHz"), 3400.5);
    EXPECT_EQ(race::decimal("MHz"), std::nullopt);
    EXPECT_EQ(race::flag_of(root.path() + "/a"), std::nullopt);
}

TEST(machine_size_text, has_the_unit_that_suits) {
    EXPECT_EQ(race::size_text(48 * 1024), "48 KiB");
    EXPECT_EQ(race::size_text(3 << 19), "1.5 MiB");
    EXPECT_EQ(race::size_text(std::uint64_t(24684096) * 1024), "23.5 GiB");
    EXPECT_EQ(race::size_text(12), "12 bytes");
    EXPECT_EQ(race::size_text(1023), "1023 bytes");
    EXPECT_EQ(race::size_text((1 << 20) - 1), "1.0 MiB");
    EXPECT_EQ(race::size_text((1 << 20) - 100), "1023.9 KiB");
    EXPECT_EQ(race::size_text(std::uint64_t(1048572) * 1024), "1.0 GiB");
}

TEST(machine_processor_name, is_what_the_processor_calls_itself_or_is_called) {
    EXPECT_EQ(name_in("processor\t: 0\nmodel name\t: Quick 9000\n"), "Quick 9000");
    EXPECT_EQ(name_in("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"), "Neoverse-N1");
    EXPECT_EQ(name_in("CPU implementer\t: 0x41\nCPU part\t: 0xfff\n"),
              "Arm processor, implementer 0x41, part 0xfff");
    EXPECT_EQ(name_in("model name\t: ARMv7 Processor rev 4 (v7l)\nCPU implementer\t: 0x41\n"
                      "CPU part\t: 0xd03\n"),
              "Cortex-A53");
    EXPECT_EQ(name_in("model name\t: ARMv7 Processor rev 4 (v7l)\n"),
              "ARMv7 Processor rev 4 (v7l)");
    EXPECT_EQ(name_in("hart\t: 0\nuarch\t: sifive,u74-mc\n"), "sifive,u74-mc");
    EXPECT_EQ(name_in("CPU Family\t\t: Loongson-64bit\nModel Name\t\t: Loongson-3A5000\n"),
              "Loongson-3A5000");
    EXPECT_EQ(name_in("garbage\n::\n\n:"), "");
    EXPECT_EQ(race::processor_name("/nowhere"), "");
}

TEST(machine_processor, counts_cores_where_only_cpuinfo_tells) {
    const machine_root root(machine_files().file(
        "/proc/cpuinfo", "processor\t: 0\nphysical id\t: 0\ncore id\t: 0\nflags\t: fpu avx fma\n\n"
                         "processor\t: 1\nphysical id\t: 0\ncore id\t: 0\n\n"
                         "processor\t: 2\nphysical id\t: 1\ncore id\t: 0\n\n"
                         "processor\t: 3\nphysical id\t: 1\ncore id\t: 0\n"));
    const race::processor found = race::read_processor(root.path());
    EXPECT_EQ(found.cpus, 4u);
    EXPECT_EQ(found.cores, 2u);
    EXPECT_EQ(found.sockets, 2u);
    EXPECT_EQ(found.threads_per_core, 2u);
    EXPECT_THAT(found.instruction_sets, ElementsAre("avx", "fma"));
    EXPECT_EQ(found.cores_of(regatta::cpu_set{0, 1}), std::nullopt);
}

TEST(machine_processor, takes_cores_from_cpuinfo_where_the_kernel_only_lists_the_cpus) {
    machine_files files;
    files.sets("0-1", "0-1", "0-1");
    EXPECT_EQ(race::read_processor(machine_root(files).path()).cores, std::nullopt);
    files.file("/proc/cpuinfo", "processor\t: 0\nphysical id\t: 0\ncore id\t: 0\n\n"
                                "processor\t: 1\nphysical id\t: 0\ncore id\t: 0\n");
    const race::processor found = race::read_processor(machine_root(files).path());
    EXPECT_EQ(found.cpus, 2u);
    EXPECT_EQ(found.cores, 1u);
    EXPECT_EQ(found.sockets, 1u);
    EXPECT_EQ(found.threads_per_core, 2u);
    EXPECT_EQ(found.cores_of(regatta::cpu_set{0}), std::nullopt);
}

TEST(machine_processor, puts_caches_together_that_are_alike) {
    const race::processor found =
        race::read_processor(machine_root(library_test::hybrid_desktop()).path());
    EXPECT_EQ(found.cores, 16u);
    EXPECT_EQ(found.cores_of(regatta::cpu_set::parse("0-3,16")), 3u);
    ASSERT_EQ(found.kinds.size(), 2u);
    EXPECT_EQ(found.kinds[0].name, "performance");
    std::vector<std::string> caches;
    for (const race::alike_caches& cache : found.caches) {
        caches.push_back(std::to_string(cache.count) + " L" + std::to_string(cache.level) + " " +
                         race::size_text(cache.bytes) + " " + std::to_string(cache.cpus));
    }
    EXPECT_THAT(caches,
                ElementsAre("8 L1 48 KiB 2", "8 L1 32 KiB 1", "8 L1 32 KiB 2", "8 L1 64 KiB 1",
                            "8 L2 2 MiB 2", "2 L2 4 MiB 4", "1 L3 36 MiB 24"));
}

TEST(machine_processor, tells_caches_apart_that_more_cpus_share) {
    machine_files files;
    files.sets("0-2", "0-2", "0-2");
    files.cache(0, 2, "Unified", "512K", regatta::cpu_set{0, 1});
    files.cache(0, 2, "Unified", "512K", regatta::cpu_set{2});
    const race::processor found = race::read_processor(machine_root(files).path());
    ASSERT_EQ(found.caches.size(), 2u);
    EXPECT_EQ(found.caches[0].cpus, 2u);
    EXPECT_EQ(found.caches[1].cpus, 1u);
}

TEST(machine_clock_settings, name_all_governors) {
    machine_files files;
    files.cpu_file("cpu0/cpufreq/scaling_governor", "performance")
        .cpu_file("cpu1/cpufreq/scaling_governor", "powersave")
        .cpu_file("cpu2/cpufreq/scaling_governor", "performance")
        .cpu_file("cpufreq/boost", "0");
    const auto found =
        race::read_clock_settings(regatta::cpu_set::first(3), machine_root(files).path());
    EXPECT_EQ(found.governor, "performance, powersave");
    EXPECT_EQ(found.boost, false);
    EXPECT_FALSE(found.now_mhz.has_value());
    EXPECT_FALSE(found.slow_time());
}

// A guest whose hypervisor tells no clock.
TEST(machine_clock_settings, no_clock_stands_still) {
    auto files = library_test::virtual_machine();
    files.file("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 0.000\n");
    EXPECT_FALSE(race::read_clock_settings({}, machine_root(files).path()).now_mhz.has_value());
    files.cpu_file("cpu0/cpufreq/scaling_cur_freq", "1800000");
    EXPECT_EQ(race::read_clock_settings({}, machine_root(files).path()).now_mhz, 1800);
}

TEST(machine_clock_settings, the_battery_is_used_where_no_mains_supply_is_plugged_in) {
    const auto on_battery = [](const char* plugged, const char* type) {
        machine_files files;
        files.file("/sys/class/power_supply/AC/online", std::string(plugged) + "\n")
            .file("/sys/class/power_supply/AC/type", std::string(type) + "\n")
            .file("/sys/class/power_supply/BAT0/type", "Battery\n");
        return race::read_clock_settings({}, machine_root(files).path()).on_battery;
    };
    EXPECT_EQ(on_battery("0", "Mains"), true);
    EXPECT_EQ(on_battery("1", "Mains"), false);
    EXPECT_EQ(on_battery("0", "USB"), std::nullopt);
    for (const char* const second : {"0", "1"}) { // One of two supplies is enough.
        machine_files files;
        for (const char* const name : {"AC0", "AC1"}) {
            const std::string folder = std::string("/sys/class/power_supply/") + name;
            const bool is_second = std::string(name) == "AC1";
            files.file(folder + "/type", "Mains\n")
                .file(folder + "/online", is_second == (*second == '1') ? "1\n" : "0\n");
        }
        EXPECT_EQ(race::read_clock_settings({}, machine_root(files).path()).on_battery, false);
    }
}

// The slow core of a hybrid machine is not limited.
TEST(machine_clock_settings, the_limit_is_that_of_the_cpu_with_the_largest_loss) {
    machine_files files;
    files.cpu_file("cpu0/cpufreq/cpuinfo_max_freq", "4000000")
        .cpu_file("cpu0/cpufreq/scaling_max_freq", "2000000")
        .cpu_file("cpu1/cpufreq/cpuinfo_max_freq", "1500000")
        .cpu_file("cpu1/cpufreq/scaling_max_freq", "1500000");
    const auto found = race::read_clock_settings({0, 1}, machine_root(files).path());
    EXPECT_EQ(found.limit_mhz, 2000);
    EXPECT_EQ(found.full_mhz, 4000);
}

TEST(machine_processor, a_core_counts_if_one_of_its_threads_may_be_used) {
    race::processor found;
    EXPECT_EQ(found.cores_of({0}), std::nullopt);
    found.siblings = {{0, 1}, {2, 3}};
    EXPECT_EQ(found.cores_of({0, 2}), 2U);
    EXPECT_EQ(found.cores_of({2, 3}), 1U);
}

TEST(machine_processor, cpus_of_isolated_partitions_are_isolated) {
    machine_files files;
    files.file("/sys/devices/system/cpu/online", "0-7\n")
        .file("/sys/devices/system/cpu/isolated", "2\n")
        .file("/sys/fs/cgroup/cpuset.cpus.isolated", "5-6\n");
    EXPECT_EQ(race::read_processor(machine_root(files).path()).isolated,
              (regatta::cpu_set{2, 5, 6}));
}

// A group without CPUs of its own has those of the group above.
TEST(machine_cpuset_groups, only_those_that_change_something_are_found) {
    machine_files files;
    const std::string top = "/sys/fs/cgroup";
    files.file("/proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file(top + "/cpuset.cpus.effective", "0-7\n")
        .file(top + "/same/cpuset.cpus.effective", "0-7\n")
        .file(top + "/plain/inner/cpuset.cpus.effective", "0-7\n")
        .file(top + "/less/cpuset.cpus.effective", "0-3\n")
        .file(top + "/less/same/cpuset.cpus.effective", "0-3\n")
        .file(top + "/parted/cpuset.cpus.effective", "0-7\n")
        .file(top + "/parted/cpuset.cpus.partition", "root\n");
    regatta::topology machine;
    machine.online = regatta::cpu_set::first(8);
    const auto groups = race::find_cpuset_groups(machine, machine_root(files).path());
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].path, "/less");
    EXPECT_EQ(groups[1].path, "/parted");
    EXPECT_EQ(groups[1].partition, "root");
}

// Where both versions are mounted, version 1 has the controller, whichever is listed first.
TEST(machine_control_group, is_that_of_the_version_with_the_controller) {
    machine_files files;
    files.file("/proc/self/cgroup", "0::/new\n4:cpu,cpuacct:/old\n")
        .file("/proc/self/mountinfo",
              std::string(v1_mounts) +
                  "35 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/cpu/old/cpu.shares", "2048\n");
    const auto found = race::read_control_group(machine_root(files).path());
    EXPECT_EQ(found.path, "/old");
    EXPECT_EQ(found.weight, 2.0);
    EXPECT_EQ(found.quota_file, "cpu.cfs_quota_us");
}

TEST(machine_control_group, tells_the_periods_of_the_group_that_was_held_back_most) {
    machine_files files;
    files.file("/proc/self/cgroup", "0::/pod/app\n")
        .file("/proc/self/mountinfo", "31 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/pod/app/cpu.stat",
              "nr_periods 90\nnr_throttled 40\nthrottled_usec 5\n")
        .file("/sys/fs/cgroup/pod/cpu.stat", "nr_periods 80\nnr_throttled 10\nthrottled_usec 7\n");
    const auto found = race::read_control_group(machine_root(files).path());
    EXPECT_EQ(found.periods, 90U);
    EXPECT_EQ(found.throttled_periods, 40U);
    EXPECT_EQ(found.throttled_ns, 5000);
}

TEST(machine_control_group, of_version_1) {
    machine_files files;
    files.file("/proc/self/cgroup", "5:memory:/a/b\n4:cpu,cpuacct:/a/b\n")
        .file("/proc/self/mountinfo", v1_mounts)
        .file("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n")
        .file("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n")
        .file("/sys/fs/cgroup/cpu/a/b/cpu.shares", "512\n")
        .file("/sys/fs/cgroup/cpu/a/b/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n")
        .file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "200000\n")
        .file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n")
        .file("/sys/fs/cgroup/cpu/a/cpu.stat",
              "nr_periods 50\nnr_throttled 7\nthrottled_time 123456\n")
        .file("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n")
        .file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n")
        .file("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4096\n");
    const auto found = race::read_control_group(machine_root(files).path());
    EXPECT_EQ(found.path, "/a/b");
    EXPECT_EQ(found.quota, 2.0);
    EXPECT_EQ(found.periods, 50u); // Of the group above, which holds this one back.
    EXPECT_EQ(found.throttled_periods, 7u);
    EXPECT_EQ(found.throttled_ns, 123456);
    EXPECT_EQ(found.weight, 0.5);
    EXPECT_EQ(found.memory_limit_bytes, 1048576u);
    EXPECT_EQ(found.memory_used_bytes, 4096u);
    EXPECT_EQ(found.quota_file, "cpu.cfs_quota_us");
    EXPECT_EQ(found.memory_file, "memory.limit_in_bytes");
}

TEST(machine_control_group, of_version_2_counts_microseconds) {
    machine_files files;
    files.file("/proc/self/cgroup", "0::/one\n")
        .file("/proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/one/cpu.weight", "20\n")
        .file("/sys/fs/cgroup/one/memory.max", "max\n")
        .file("/sys/fs/cgroup/one/cpu.stat",
              "usage_usec 9\nnr_periods 3000\nnr_throttled 120\nthrottled_usec 1200000\n");
    const auto found = race::read_control_group(machine_root(files).path());
    EXPECT_EQ(found.throttled_ns, 1'200'000'000);
    EXPECT_EQ(found.weight, 0.2);
    EXPECT_EQ(found.memory_limit_bytes, std::nullopt);
    EXPECT_EQ(found.quota, std::nullopt);
}

TEST(machine_control_group, of_several_tells_the_memory_of_the_one_with_the_least_room) {
    machine_files files;
    files.file("/proc/self/cgroup", "0::/pod/app\n")
        .file("/proc/self/mountinfo", "31 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/pod/app/memory.max", "1000000\n")
        .file("/sys/fs/cgroup/pod/app/memory.current", "100000\n")
        .file("/sys/fs/cgroup/pod/memory.max", "2000000\n")
        .file("/sys/fs/cgroup/pod/memory.current", "1990000\n");
    auto found = race::read_control_group(machine_root(files).path());
    EXPECT_EQ(found.memory_limit_bytes, 2000000u);
    EXPECT_EQ(found.memory_used_bytes, 1990000u);
    files.file("/sys/fs/cgroup/pod/memory.current", "300000\n");
    found = race::read_control_group(machine_root(files).path());
    EXPECT_EQ(found.memory_limit_bytes, 1000000u);
    EXPECT_EQ(found.memory_used_bytes, 100000u);
}

// The kernel takes them back before anything is short, as the machine's available memory says.
TEST(machine_control_group, caches_of_files_are_no_used_memory) {
    machine_files files;
    files.file("/proc/self/cgroup", "0::/app\n")
        .file("/proc/self/mountinfo", "31 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/app/memory.max", "1000000\n")
        .file("/sys/fs/cgroup/app/memory.current", "990000\n")
        .file("/sys/fs/cgroup/app/memory.stat", "anon 90000\nfile 900000\ninactive_file 600000\n"
                                                "active_file 200000\nslab_reclaimable 50000\n");
    EXPECT_EQ(race::read_control_group(machine_root(files).path()).memory_used_bytes, 140000u);

    machine_files v1;
    v1.file("/proc/self/cgroup", "3:cpu,cpuacct:/a\n4:memory:/a\n")
        .file("/proc/self/mountinfo", v1_mounts)
        .file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000\n")
        .file("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "990000\n")
        .file("/sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\nactive_file 2\n"
                                                     "total_inactive_file 500000\n"
                                                     "total_active_file 300000\n");
    EXPECT_EQ(race::read_control_group(machine_root(v1).path()).memory_used_bytes, 190000u);
}

TEST(machine_control_group, that_cannot_be_read_limits_nothing) {
    const auto found = race::read_control_group("/nowhere");
    EXPECT_EQ(found.path, "");
    EXPECT_EQ(found.quota, std::nullopt);
    EXPECT_EQ(found.weight, std::nullopt);
}

TEST(machine_virtualisation, is_named_as_far_as_it_names_itself) {
    const char* const maker = "/sys/class/dmi/id/sys_vendor";
    const char* const product = "/sys/class/dmi/id/product_name";
    EXPECT_EQ(guest_in(machine_files().file("/proc/cpuinfo", "flags\t: fpu hypervisor sse\n")),
              "virtual machine");
    EXPECT_EQ(guest_in(machine_files().file("/proc/cpuinfo", "flags\t: fpu sse\n")), "");
    EXPECT_EQ(guest_in(machine_files().file("/sys/hypervisor/type", "xen\n")),
              "virtual machine (Xen)");
    EXPECT_EQ(guest_in(machine_files().file(maker, "QEMU\n").file("/run/.containerenv", "")),
              "virtual machine (QEMU), container (podman)");
    EXPECT_EQ(guest_in(machine_files()
                           .file(maker, "Microsoft Corporation\n")
                           .file(product, "Virtual Machine\n")),
              "virtual machine (Hyper-V)");
    EXPECT_EQ(
        guest_in(machine_files().file(maker, "Microsoft Corporation\n").file(product, "Surface\n")),
        "");
    EXPECT_EQ(guest_in(machine_files().file(maker, "Amazon EC2\n").file(product, "c5.metal\n")),
              "");
    EXPECT_EQ(guest_in(machine_files().file(maker, "Amazon EC2\n").file(product, "c6g.large\n")),
              "virtual machine (Amazon EC2)");
    for (const char* const sign : {"kubepods", "docker", "libpod", "lxc"}) {
        const std::string group = "/" + std::string(sign) + "-1f.scope/x\n";
        EXPECT_EQ(guest_in(machine_files().file("/proc/self/cgroup", "0::/a" + group)),
                  "container (" + std::string(sign) + ")");
    }
    EXPECT_EQ(guest_in(machine_files().file("/run/systemd/container", "systemd-nspawn\n")),
              "container (systemd-nspawn)");
}

// KVM and Xen can speak Hyper-V's interface, too, and then name themselves after it.
TEST(machine_virtualisation, the_first_of_two_interfaces_need_not_be_the_hypervisors_own) {
    const auto name = [](std::vector<std::string> signatures) {
        return race::hypervisor_by(signatures);
    };
    EXPECT_EQ(name({"Microsoft Hv", "", ""}), "Hyper-V");
    EXPECT_EQ(name({"Microsoft Hv", "KVMKVMKVM", ""}), "KVM");
    EXPECT_EQ(name({"Microsoft Hv", "XenVMMXenVMM", ""}), "Xen");
    EXPECT_EQ(name({"KVMKVMKVM", "", ""}), "KVM");
    EXPECT_EQ(name({"SomebodyElse"}), "");
    EXPECT_EQ(name({}), "");
}

TEST(machine_virtualisation, what_was_stolen_is_a_share_of_what_was_wanted) {
    const auto stolen = [](const char* line) {
        return race::read_virtualisation(
                   machine_root(machine_files().file("/proc/stat", line)).path())
            .stolen_share;
    };
    // user nice system idle iowait irq softirq steal: idle and iowait were not wanted.
    EXPECT_EQ(stolen("cpu  50 10 20 99999 77777 5 5 10 0 0\n"), 0.1);
    EXPECT_EQ(stolen("cpu  0 0 0 100 0 0 0 0 0 0\n"), std::nullopt);
    EXPECT_EQ(stolen("cpu  1 2 3\n"), std::nullopt);
    EXPECT_EQ(stolen(""), std::nullopt);
}

TEST(machine_kernel_settings, only_what_decides_is_kept_of_the_boot_line) {
    const machine_root root(machine_files().file(
        "/proc/cmdline",
        "root=/dev/sda1 nosmt secret=x isolcpus=domain,2-3 idle=poll nohz-full=2-3 quiet\n"));
    EXPECT_THAT(race::read_boot_options(root.path()),
                ElementsAre("nosmt", "isolcpus=domain,2-3", "idle=poll", "nohz-full=2-3"));
    EXPECT_THAT(race::read_boot_options("/nowhere"), IsEmpty());
    EXPECT_THAT(race::read_mitigations("/nowhere"), IsEmpty());
}

TEST(machine_memory_state, of_senseless_files_is_no_error) {
    const machine_root root(machine_files().file(
        "/proc/meminfo", "MemTotal: much\nSwapTotal: 10 kB\nSwapFree: 20 kB\n"));
    const auto found = race::read_memory_state(root.path());
    EXPECT_EQ(found.bytes, 0u);
    EXPECT_EQ(found.available_bytes, std::nullopt);
    EXPECT_EQ(found.swap_used_bytes, 0u);
    EXPECT_EQ(found.transparent_huge_pages, "");
}

TEST(machine_blas_record, tells_what_a_program_would_get_and_not_what_this_one_asks_for) {
    const race::blas_record before = race::find_blas_record();
    if (before.path.empty()) {
        GTEST_SKIP() << "OpenBLAS (libopenblas0-pthread) is not installed";
    }
    EXPECT_NE(before.version, "");
    EXPECT_NE(before.core, "");
    if (!before.requested_core.empty()) {
        GTEST_SKIP() << "OPENBLAS_CORETYPE is set, and is obeyed";
    }
    ::setenv("OPENBLAS_CORETYPE", "PRESCOTT", 1); // As `blas` does for this process.
    EXPECT_EQ(race::find_blas_record().core, before.core);
    ::unsetenv("OPENBLAS_CORETYPE");
}
