// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/fingerprint.hpp"

#include "record_machines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace race = regatta::race;
using library_test::machine_root;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

race::fingerprint record_of(const library_test::machine_files& files) {
    return race::take_fingerprint(machine_root(files).path());
}

/// A machine with nothing to be said against it.
race::fingerprint quiet_machine() {
    race::fingerprint m;
    m.build_type = "Release";
    m.online_cpus = m.available_cpus = 8;
    m.allowed_cpus = regatta::cpu_set::first(8);
    m.available_cores = 8;
    m.load_average = 0.1;
    m.clock.governor = "performance";
    m.memory.bytes = std::uint64_t(16) << 30;
    m.memory.available_bytes = std::uint64_t(12) << 30;
    m.memory.transparent_huge_pages = "madvise";
    return m;
}

} // namespace

TEST(race_fingerprint, of_a_virtual_machine) {
    const race::fingerprint m = record_of(library_test::small_guest());
    EXPECT_EQ(m.cpu_model, "AMD EPYC");
    EXPECT_EQ(m.kernel, "Linux 6.18.44");
    EXPECT_EQ(m.architecture, "x86_64");
    EXPECT_EQ(m.system, "Debian GNU/Linux 12 (bookworm)");
    EXPECT_EQ(m.guest.text(), "virtual machine, container (docker)");
    EXPECT_EQ(m.cpu.cores, 2u);
    EXPECT_EQ(m.allowed_cpus.to_string(), "0-1");
    EXPECT_EQ(m.available_cpus, 2u);
    EXPECT_EQ(m.clock.now_mhz, 2599.996);
    EXPECT_EQ(m.clock.time_source, "tsc");
    EXPECT_EQ(m.memory.bytes, std::uint64_t(24684096) * 1024);
    EXPECT_EQ(m.load_average, 1.69);
    EXPECT_THAT(m.boot_options, ElementsAre("mitigations=auto", "isolcpus=1"));
    ASSERT_EQ(m.mitigations.size(), 2u);
    EXPECT_EQ(m.mitigations[1].flaw, "spectre_v2");
    EXPECT_FALSE(m.blas.has_value()); // Only a machine that runs can be asked.
    EXPECT_FALSE(m.python.has_value());
    EXPECT_THAT(race::warnings_of(m), Contains(HasSubstr("this is a guest")));
}

// A mask holds whatever may come, and a guest gets CPUs while it runs.
TEST(race_fingerprint, may_use_no_cpu_that_is_offline) {
    auto files = library_test::small_guest();
    files.file("/proc/self/status", "Name:\tregatta\nCpus_allowed_list:\t0-127\n");
    const race::fingerprint m = record_of(files);
    EXPECT_EQ(m.allowed_cpus.to_string(), "0-1");
    EXPECT_EQ(m.available_cpus, 2u);
}

TEST(race_fingerprint, knows_no_cores_of_an_unknown_mask) {
    auto files = library_test::small_guest();
    files.remove("/proc/self/status");
    const race::fingerprint m = record_of(files);
    EXPECT_EQ(m.cpu.cores, 2u);
    EXPECT_FALSE(m.available_cores.has_value());
    EXPECT_EQ(m.available_cpus, 2u);
}

TEST(race_fingerprint, of_four_arm_cores_in_a_cloud) {
    const race::fingerprint m = record_of(library_test::four_core_arm());
    EXPECT_EQ(m.cpu_model, "Kunpeng-920 (TaiShan v110)");
    EXPECT_EQ(m.system, "openEuler 22.03 (LTS-SP3)");
    EXPECT_EQ(m.guest.text(), "virtual machine (KVM)");
    EXPECT_EQ(m.online_cpus, 4u);
    EXPECT_TRUE(m.cpu.has("asimd"));
    EXPECT_FALSE(m.cpu.has("sve"));
    EXPECT_EQ(race::suitable_blas_core(m.cpu, m.cpu_model), "tsv110");
    EXPECT_THAT(race::warnings_of(m), Contains(HasSubstr("4.2 % of the CPU time")));
}

TEST(race_fingerprint, of_a_server_with_two_sockets) {
    const race::fingerprint m = record_of(library_test::tuned_server());
    EXPECT_EQ(m.cpu.sockets, 2u);
    EXPECT_EQ(m.cpu.cores, 12u);
    EXPECT_EQ(m.cpu.nodes, 2u);
    EXPECT_EQ(m.cpu.threads_per_core, 2u);
    EXPECT_EQ(m.available_cores, 12u);
    EXPECT_EQ(m.clock.governor, "powersave");
    EXPECT_EQ(m.clock.boost, true);
    EXPECT_EQ(m.clock.base_mhz, 2400);
    EXPECT_EQ(m.clock.highest_mhz, 3500);
    EXPECT_EQ(m.clock.limit_mhz, 3000);
    EXPECT_EQ(m.clock.throttled, 24); // 2 of each core, whose siblings both have the count
    EXPECT_EQ(m.guest.text(), "");
    const auto warnings = race::warnings_of(m);
    EXPECT_THAT(warnings, Contains(HasSubstr("governor \"powersave\"")));
    EXPECT_THAT(warnings, Contains(HasSubstr("limited to 3000 of 3500 MHz")));
    EXPECT_THAT(warnings, Contains(HasSubstr("intel_pstate/no_turbo")));
    EXPECT_THAT(warnings, Contains(HasSubstr("slowed down 24 times")));
    EXPECT_THAT(warnings, Contains(HasSubstr("24 CPUs are 12 cores")));
    EXPECT_THAT(warnings, Contains(HasSubstr("kernel.numa_balancing=0")));
    EXPECT_THAT(warnings, Contains(HasSubstr("huge pages whenever")));
    EXPECT_THAT(warnings, Contains(HasSubstr("3 GiB of memory are swapped out")));
    EXPECT_THAT(warnings, Contains(HasSubstr("all 64 huge pages")));
    EXPECT_THAT(warnings, Contains(HasSubstr("clock source \"hpet\"")));
}

TEST(race_fingerprint, one_cpu_that_is_slower_by_its_settings_is_warned_of) {
    auto files = library_test::arm_board();
    files.cpu_file("cpu1/cpufreq/scaling_max_freq", "708000");
    EXPECT_THAT(race::warnings_of(record_of(files)),
                Contains(HasSubstr("limited to 708 of 1416 MHz")));
    files = library_test::tuned_server();
    files.cpu_file("cpu0/cpufreq/energy_performance_preference", "performance");
    EXPECT_THAT(race::warnings_of(record_of(files)),
                testing::Not(Contains(HasSubstr("governor \"powersave\""))));
    files.cpu_file("cpu1/cpufreq/energy_performance_preference", "power");
    EXPECT_THAT(race::warnings_of(record_of(files)), Contains(HasSubstr("governor \"powersave\"")));
}

TEST(race_fingerprint, of_an_arm_board) {
    const race::fingerprint m = record_of(library_test::arm_board());
    EXPECT_EQ(m.cpu_model, "4 x Cortex-A53, 2 x Cortex-A72");
    EXPECT_EQ(m.board, "Some Board 4");
    ASSERT_EQ(m.cpu.kinds.size(), 2u);
    EXPECT_EQ(m.clock.governor, "ondemand");
    EXPECT_EQ(m.clock.lowest_mhz, 408);
    EXPECT_EQ(m.clock.now_mhz, 1008);
    const auto warnings = race::warnings_of(m);
    EXPECT_THAT(warnings, Contains(HasSubstr("not alike (capacity 1024: 4-5; capacity 485: 0-3)")));
    EXPECT_THAT(warnings, Contains(HasSubstr("no program gets huge pages")));
}

TEST(race_fingerprint, of_a_container_that_may_use_one_and_a_half_cpus) {
    const race::fingerprint m = record_of(library_test::small_container());
    EXPECT_EQ(m.group.quota, 1.5);
    EXPECT_EQ(m.available_cpus, 2u);
    EXPECT_EQ(m.guest.text(), "container (kubepods)");
    EXPECT_THAT(race::warnings_of(m),
                Contains("control groups grant 1.5 CPUs of time: bursts above that are throttled "
                         "(120 of 3000 periods were until now), and 1.5 workers cannot be had; use "
                         "1 worker at most, or raise cpu.max"));
}

TEST(race_fingerprint, of_this_machine) {
    const race::fingerprint m = race::take_fingerprint();
    EXPECT_GE(m.available_cpus, 1u);
    EXPECT_GE(m.online_cpus, m.allowed_cpus.count());
    EXPECT_THAT(m.kernel, HasSubstr("Linux "));
    EXPECT_GT(m.memory.bytes, 0u);
    ASSERT_TRUE(m.blas.has_value());
    ASSERT_TRUE(m.python.has_value());
    EXPECT_EQ(m.blas->path.empty(), m.blas->core.empty());
}

TEST(race_fingerprint, a_machine_without_files_is_no_error) {
    const race::fingerprint m = race::take_fingerprint("/nowhere");
    EXPECT_EQ(m.cpu_model, "");
    EXPECT_FALSE(m.load_average.has_value());
    EXPECT_GE(m.available_cpus, 1u);
    EXPECT_THAT(m.time, testing::MatchesRegex("[0-9-]+T[0-9:]+Z"));
    EXPECT_NE(m.compiler, "");
}

TEST(race_fingerprint, of_a_quiet_machine_there_is_nothing_to_warn_of) {
    EXPECT_THAT(race::warnings_of(quiet_machine()), IsEmpty());
    EXPECT_THAT(race::library_warnings_of(quiet_machine()), IsEmpty());
}

namespace {

/// What is said after one thing of the quiet machine has changed.
template<class Change>
std::vector<std::string> warnings_after(Change change) {
    race::fingerprint m = quiet_machine();
    change(m);
    return race::warnings_of(m);
}

} // namespace

TEST(race_fingerprint, each_thing_that_spoils_is_named_with_its_remedy) {
    using race::fingerprint;
    const auto only = [](const char* what, const char* remedy) {
        return ElementsAre(testing::AllOf(HasSubstr(what), HasSubstr(remedy)));
    };
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.build_type = "Debug"; }),
                only("not Release", "CMAKE_BUILD_TYPE"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.flags = "-O1 -fsanitize=thread"; }),
                only("sanitizer", "build without"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.group.quota = 2.5; }),
                only("grant 2.5 CPUs", "2 workers at most"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.group.quota = 1; }),
                only("grant 1 CPU of time", "1 worker at most"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.load_average = 64.25; }),
                only("busy (load average 64.2)", "close what uses"));
    EXPECT_THAT(warnings_after([](fingerprint& m) {
                    m.waiting.cpu = race::pressure_stall{{.avg10 = 28.4}, {}};
                }),
                only("in 28 % of the last 10 s", "close what uses"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.nice = 5; }),
                only("nice value of 5", "start"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.memory.available_bytes = 1 << 30; }),
                only("1 GiB of 16 GiB are available", "close what uses"));
    EXPECT_THAT(warnings_after([](fingerprint& m) {
                    m.waiting.memory = race::pressure_stall{{.avg10 = 3.2}, {}};
                }),
                only("in 3 % of the last 10 s", "close what uses"));
    EXPECT_THAT(warnings_after([](fingerprint& m) {
                    m.waiting.io = race::pressure_stall{{.avg10 = 12.6}, {}};
                }),
                only("for disks in 13 % of the last 10 s", "reads and writes"));
    EXPECT_THAT(warnings_after([](fingerprint& m) {
                    m.group.memory_limit_bytes = 1 << 30;
                    m.group.memory_used_bytes = 1000 << 20;
                }),
                only("used 1000 MiB of the 1 GiB", "raise memory.max"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.clock.on_battery = true; }),
                only("battery", "plug it in"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.clock.governor = "schedutil"; }),
                only("schedutil", "cpupower"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.clock.boost = true; }),
                only("turbo", "cpufreq/boost"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.clock.throttled = 1; }),
                only("slowed down 1 time because", "cool the machine"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.available_cores = 4; }),
                only("8 CPUs are 4 cores", "smt/control"));
    EXPECT_THAT(warnings_after([](fingerprint& m) { m.guest.stolen_share = 0.05; }),
                only("5.0 %", "measure when"));
}

TEST(race_fingerprint, less_than_a_cpu_is_not_worded_as_workers) {
    race::fingerprint m = quiet_machine();
    m.group.quota = 0.5;
    m.group.quota_file = "cpu.cfs_quota_us";
    EXPECT_THAT(race::warnings_of(m),
                ElementsAre("control groups grant 0.5 CPUs of time: bursts above that are "
                            "throttled, and not even one worker runs all the time; raise "
                            "cpu.cfs_quota_us"));
}

TEST(race_fingerprint, what_does_no_harm_is_not_warned_of) {
    using race::fingerprint;
    const auto nothing = [](auto change) { EXPECT_THAT(warnings_after(change), IsEmpty()); };
    nothing([](fingerprint& m) { m.group.quota = 8; });
    nothing([](fingerprint& m) { m.guest.container = "docker"; });
    nothing([](fingerprint& m) {
        m.group.memory_limit_bytes = 1 << 30;
        m.group.memory_used_bytes = 900 << 20;
        m.waiting.memory = race::pressure_stall{{.avg10 = 0.9}, {}};
        m.waiting.io = race::pressure_stall{{.avg10 = 9}, {}};
    });
    nothing([](fingerprint& m) { // The load is that of the host, most of whose CPUs are idle.
        m.online_cpus = 64;
        m.available_cpus = 8;
        m.load_average = 6;
    });
    nothing([](fingerprint& m) { m.guest.stolen_share = 0.002; });
    nothing([](fingerprint& m) { m.clock.limit_mhz = m.clock.full_mhz = 3000; });
    nothing([](fingerprint& m) { m.clock.throttled = 0; });
    nothing([](fingerprint& m) { m.memory.swap_bytes = 1 << 30; });
    nothing([](fingerprint& m) { m.memory.numa_balancing = true; }); // One node.
    nothing([](fingerprint& m) {
        m.clock.governor = "powersave"; // The processor's own choice, and it was asked for speed.
        m.clock.preference = "performance";
    });
    nothing([](fingerprint& m) { // One worker on a core with two threads.
        m.allowed_cpus = regatta::cpu_set{0};
        m.available_cores = 1;
        m.clock.boost = true;
    });
}

TEST(race_fingerprint, a_library_that_takes_the_processor_for_another_is_named) {
    race::fingerprint m = quiet_machine();
    m.cpu.instruction_sets = {"avx2", "fma", "avx512f", "avx512dq", "avx512bw", "avx512vl"};
    m.blas = race::blas_record{"/lib/libopenblas.so.0", "0.3.21", "Prescott", "", ""};
    EXPECT_THAT(race::library_warnings_of(m),
                ElementsAre(testing::AllOf(HasSubstr("OpenBLAS 0.3.21"), HasSubstr("\"Prescott\""),
                                           HasSubstr("OPENBLAS_CORETYPE=SkylakeX"))));
    m.blas->requested_core = "Prescott";
    EXPECT_THAT(race::library_warnings_of(m),
                ElementsAre(HasSubstr("OPENBLAS_CORETYPE=Prescott in the environment")));
    m.blas->requested_core.clear();
    m.blas->core = "Cooperlake";
    EXPECT_THAT(race::library_warnings_of(m), IsEmpty());
    m.blas->usual_path = "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3";
    EXPECT_THAT(race::library_warnings_of(m), IsEmpty());
    m.blas->usual_path = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0";
    EXPECT_THAT(race::library_warnings_of(m), ElementsAre(HasSubstr("get the reference one")));
    m.blas->usual_path.clear();
    race::python_interpreter python;
    python.path = "/usr/bin/python3";
    python.numpy_version = "1.24.2";
    m.python = python;
    EXPECT_THAT(race::library_warnings_of(m), ElementsAre(HasSubstr("without a BLAS")));
    m.python->numpy_blas = "the reference BLAS";
    EXPECT_THAT(race::library_warnings_of(m), ElementsAre(HasSubstr("with the reference BLAS")));
    m.python->numpy_blas = "OpenBLAS 0.3.31";
    m.python->numpy_blas_core = "Haswell";
    EXPECT_THAT(race::library_warnings_of(m), ElementsAre(HasSubstr("numpy's OpenBLAS 0.3.31")));
    m.python->numpy_blas_core = "SkylakeX";
    EXPECT_THAT(race::library_warnings_of(m), IsEmpty());
}

TEST(race_fingerprint, a_blas_core_is_lesser_by_its_instructions) {
    EXPECT_TRUE(race::is_lesser_blas_core("Haswell", "SkylakeX"));
    EXPECT_TRUE(race::is_lesser_blas_core("Prescott", "Sandybridge"));
    EXPECT_FALSE(race::is_lesser_blas_core("Zen", "Haswell"));
    EXPECT_FALSE(race::is_lesser_blas_core("SapphireRapids", "SkylakeX"));
    EXPECT_TRUE(race::is_lesser_blas_core("armv8", "tsv110"));
    EXPECT_FALSE(race::is_lesser_blas_core("cortexa72", "cortexa72"));
    EXPECT_FALSE(race::is_lesser_blas_core("", "Haswell"));
    EXPECT_FALSE(race::is_lesser_blas_core("armv8", ""));
}
