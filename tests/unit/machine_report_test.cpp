// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/fingerprint.hpp"
#include "report/cpus/cpus_check_report.hpp"
#include "report/cpus/cpus_show_report.hpp"
#include "report/info/info_json.hpp"
#include "report/info/info_text.hpp"

#include "record_machines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace race = regatta::race;
using library_test::machine_root;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The record of a machine, with a build that does not change.
race::fingerprint record_of(const library_test::machine_files& files) {
    race::fingerprint m = race::take_fingerprint(machine_root(files).path());
    m.version = "0.1.0";
    m.build_type = "Release";
    m.compiler = "gcc 12.2.0";
    m.flags = "-O3";
    return m;
}

/// Of some 800 files, which are made once.
const race::fingerprint& server() {
    static const race::fingerprint m = record_of(library_test::tuned_server());
    return m;
}

constexpr race::text_style plain{80, false, false};

const char* const arm_text =
    "System\n"
    "  distribution  openEuler 22.03 (LTS-SP3)\n"
    "  kernel        Linux 5.10.0-182.0.0.95.oe2203sp3.aarch64, aarch64\n"
    "  guest         virtual machine (KVM)\n"
    "  stolen        4.2 % of the CPU time that was wanted since boot\n"
    "\n"
    "Processor\n"
    "  model         Kunpeng-920 (TaiShan v110)\n"
    "  cores         4 cores in 1 socket, no SMT, 1 memory node\n"
    "  CPUs          4 online\n"
    "  quota         none\n"
    "  caches        4 x L1d 64 KiB, 4 x L2 512 KiB, L3 32 MiB for 4 CPUs\n"
    "  instructions  asimd asimdhp asimddp\n"
    "  governor      not visible here\n"
    "  time source   arch_sys_counter\n"
    "\n"
    "Memory\n"
    "  memory        7 GiB, 5.7 GiB available\n"
    "  swap          none\n"
    "\n"
    "Load\n"
    "  load average  0.1 in the last minute\n"
    "\n"
    "This program\n"
    "  version       regatta 0.1.0\n"
    "  built         Release, gcc 12.2.0, -O3\n"
    "\n"
    "What spoils a measurement here\n"
    "! since boot the hypervisor gave 4.2 % of the CPU time that this guest wanted to\n"
    "  others: measure when the host is quiet, or on a host of its own.\n"
    "! this is a guest (virtual machine (KVM)): its neighbours on the host cannot be\n"
    "  seen; trust ratios, not times.\n";

const char* const server_text =
    "System\n"
    "  distribution  Some Server 9\n"
    "  kernel        Linux 6.1.0, x86_64\n"
    "\n"
    "Processor\n"
    "  model         Quick 9000 CPU @ 2.40GHz\n"
    "  cores         12 cores in 2 sockets, 2 threads each (SMT), 2 memory nodes\n"
    "  CPUs          24 online; this command may use 0-23\n"
    "  quota         none\n"
    "  caches        12 x L1d 32 KiB for 2 CPUs each, 12 x L1i 32 KiB for 2 CPUs\n"
    "                each, 12 x L2 256 KiB for 2 CPUs each, 2 x L3 15 MiB for 12 CPUs\n"
    "                each\n"
    "  instructions  sse4_2 avx f16c fma avx2\n"
    "  clock         1200 MHz now; 2400 MHz nominally; 800 to 3500 MHz; limited to\n"
    "                3000 MHz\n"
    "  governor      powersave, intel_pstate, preference balance_performance, turbo\n"
    "                on\n"
    "  too hot       24 times since boot\n"
    "  time source   hpet\n"
    "\n"
    "Memory\n"
    "  memory        64 GiB, 48 GiB available\n"
    "  swap          8 GiB, 3 GiB used\n"
    "  huge pages    always; 64 of 2 MiB set aside, 0 free\n"
    "  NUMA          the kernel moves memory to the node that uses it\n"
    "\n"
    "Load\n"
    "  load average  0.1 in the last minute\n"
    "  pressure      in the last 10 s tasks waited for a CPU 0 % of the time\n"
    "\n"
    "This program\n"
    "  version       regatta 0.1.0\n"
    "  built         Release, gcc 12.2.0, -O3\n"
    "\n"
    "What spoils a measurement here\n"
    "! 3 GiB of memory are swapped out and come back from disk when they are touched:\n"
    "  free memory, then swapoff -a.\n"
    "! the clock is set by the governor \"powersave\" and changes while measuring: set\n"
    "  \"performance\" (cpupower frequency-set -g performance).\n"
    "! the clock is limited to 3000 of 3500 MHz: lift the limit (cpupower\n"
    "  frequency-set -u 3500MHz).\n"
    "! the clock rises above its nominal rate while few CPUs work (turbo), so that\n"
    "  one worker is faster than each of many: switch it off to compare worker counts\n"
    "  (echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo).\n"
    "! since boot cores were slowed down 24 times because they were hot: cool the\n"
    "  machine, or rest between measurements.\n"
    "! reading the time costs a system call (clock source \"hpet\"): short times come\n"
    "  out too long; boot with tsc=reliable if the processor's counter can be\n"
    "  trusted.\n"
    "! 24 CPUs are 12 cores whose threads share a core's units (SMT): beyond 12\n"
    "  workers expect far less than a core each; use as many workers as cores and pin\n"
    "  them, or switch SMT off (echo off > /sys/devices/system/cpu/smt/control).\n"
    "! the kernel moves memory between the nodes while measuring: switch that off\n"
    "  (sysctl kernel.numa_balancing=0).\n"
    "! memory gets huge pages whenever the kernel finds some, so that equal runs may\n"
    "  differ: give them only to who asks (echo madvise >\n"
    "  /sys/kernel/mm/transparent_hugepage/enabled).\n"
    "! all 64 huge pages that are set aside are taken: who asks for more gets small\n"
    "  ones; raise vm.nr_hugepages.\n";

} // namespace

TEST(machine_report, of_four_arm_cores_in_a_cloud) {
    EXPECT_EQ(race::info_text(record_of(library_test::four_core_arm()), plain), arm_text);
}

TEST(machine_report, of_a_server_with_two_sockets) {
    EXPECT_EQ(race::info_text(server(), plain), server_text);
}

TEST(machine_report, says_so_where_nothing_spoils) {
    race::fingerprint m;
    m.build_type = "Release";
    m.online_cpus = m.available_cpus = 2;
    const std::string text = race::info_text(m, plain);
    EXPECT_THAT(text, HasSubstr("Nothing is seen that spoils a measurement.\n"));
    EXPECT_THAT(text, Not(HasSubstr("!")));
}

TEST(machine_report, tells_of_the_libraries) {
    race::fingerprint m;
    m.cpu.instruction_sets = {"avx2", "fma"};
    m.blas = race::blas_record{"/lib/libopenblas.so.0", "0.3.21", "Prescott", "", ""};
    m.python = race::python_interpreter();
    m.python->missing = "no Python: it is not there";
    std::string text = race::info_text(m, plain);
    EXPECT_THAT(text,
                HasSubstr("OpenBLAS      0.3.21, for the core Prescott, Haswell would suit,"));
    EXPECT_THAT(text, HasSubstr("Python        no Python: it is not there\n"));
    m.blas = race::blas_record();
    m.python->path = "/usr/bin/python3";
    m.python->implementation = "CPython";
    m.python->version = "3.11.2";
    m.python->numpy_version = "2.4.6";
    m.python->numpy_blas = "OpenBLAS 0.3.31";
    m.python->numpy_blas_core = "Haswell";
    text = race::info_text(m, plain);
    EXPECT_THAT(text,
                HasSubstr("OpenBLAS      none (libopenblas0-pthread)\n  any BLAS      none\n"));
    EXPECT_THAT(text, HasSubstr("Python        CPython 3.11.2, /usr/bin/python3\n"));
    EXPECT_THAT(text, HasSubstr("numpy         2.4.6, OpenBLAS 0.3.31, for the core Haswell\n"));
}

TEST(machine_report, counts_a_flaw_as_mitigated_if_the_kernel_says_so) {
    auto m = record_of(library_test::small_guest());
    m.mitigations = {{"l1tf", "Mitigation: PTE Inversion"},
                     {"itlb_multihit", "KVM: Mitigation: VMX disabled"},
                     {"mds", "KVM: Vulnerable"},
                     {"retbleed", "Vulnerable: no microcode"},
                     {"x86_bug", "Processor vulnerable"},
                     {"gather_data_sampling", "Unknown: Dependent on hypervisor status"}};
    const std::string text = race::info_text(m, plain);
    EXPECT_THAT(text, HasSubstr("mitigations   l1tf, itlb_multihit\n"));
    EXPECT_THAT(text, HasSubstr("vulnerable    mds, retbleed, x86_bug\n"));
    EXPECT_THAT(text, HasSubstr("not known     gather_data_sampling\n"));
}

TEST(machine_report, shows_no_control_characters) {
    race::fingerprint m;
    m.system = "Some\x1b[2J System\xC2\x9b";
    m.clock.governor = "pow\x1b[2Jer";
    const std::string text = race::info_text(m, plain);
    EXPECT_THAT(text, HasSubstr("Some?[2J System?\n"));
    EXPECT_THAT(text + race::short_warnings(m, plain), Not(HasSubstr("\x1b")));
}

TEST(machine_report, keeps_to_the_width_and_colours_what_matters) {
    std::istringstream lines(race::info_text(server(), {50, false, false}));
    for (std::string line; std::getline(lines, line);) {
        // A path is one word.
        EXPECT_TRUE(line.size() <= 50 || line.find("/sys/") != line.npos) << line;
    }
    EXPECT_THAT(race::info_text(server(), {80, true, true}),
                HasSubstr("\x1b[1mProcessor\x1b[0m\n"));
}

TEST(machine_report, the_head_of_a_report_has_the_worst_and_counts_the_rest) {
    const std::string text = race::short_warnings(server(), {200, false, false});
    EXPECT_THAT(text, testing::StartsWith("Warning: 3 GiB of memory are swapped out"));
    EXPECT_THAT(text, testing::EndsWith("\n7 more: see `regatta info`.\n"));
    race::fingerprint quiet;
    quiet.build_type = "Release";
    EXPECT_EQ(race::short_warnings(quiet, plain), "");
}

TEST(machine_report, json_has_all_of_it) {
    const race::provenance from{record_of(library_test::small_container()), {"regatta", "info"}};
    const auto document = nlohmann::json::parse(race::info_json(from));
    EXPECT_EQ(document["schema"], "regatta-info/1");
    EXPECT_EQ(document["command"], "regatta info");
    const auto& machine = document["machine"];
    EXPECT_EQ(machine["cpu_model"], "Large 7763");
    EXPECT_EQ(machine["cpu_quota"], 1.5);
    EXPECT_EQ(machine["available_cpus"], 2);
    EXPECT_EQ(machine["control_group"]["throttled_periods"], 120);
    EXPECT_EQ(machine["control_group"]["memory_limit_bytes"], std::uint64_t(2) << 30);
    EXPECT_EQ(machine["processor"]["sockets"], 2);
    EXPECT_EQ(machine["processor"]["caches"].back()["bytes"], 15 << 20);
    EXPECT_TRUE(machine["clock"]["driver"].is_null());
    EXPECT_TRUE(machine["python"].is_null());
    EXPECT_EQ(machine["warnings"].size(), 1u);
}

TEST(cpus_check_report, keeps_its_verdict_whole_in_a_narrow_window) {
    regatta::exclusivity_report report;
    regatta::cpu_check& one = report.cpus.emplace_back();
    one.cpu = 3;
    one.end_ns = 1'000'000'000;
    one.tasks.push_back({7, 7, "make", regatta::task_role::intruder, 500'000'000});
    EXPECT_THAT(race::cpus_check_text(report, {20, false, false}),
                testing::StartsWith("CPU 3  NOT EXCLUSIVE:\n  1 other task ran\n  there for 500 "
                                    "ms\n"));
    EXPECT_THAT(race::cpus_check_text(report, {80, false, false}),
                testing::StartsWith("CPU 3  NOT EXCLUSIVE: 1 other task ran there for 500 ms of "
                                    "1.00 s (50 %)\n"));
}

TEST(cpus_check_report, states_no_figure_that_nothing_measured) {
    regatta::exclusivity_report report;
    regatta::cpu_check& one = report.cpus.emplace_back();
    one.end_ns = 1'000'000'000;
    const auto text = [&] { return race::cpus_check_text(report, {80, false, false}); };
    const auto switches = [&] {
        return nlohmann::json::parse(race::cpus_check_json(report, ""))["cpus"][0]["switches"];
    };
    EXPECT_THAT(text(),
                HasSubstr("\n  Interrupts: not known.\n  No task of others that /proc shows may"));
    EXPECT_TRUE(switches().is_null());
    one.counts_ticks = true;
    one.gaps.emplace();
    EXPECT_THAT(text(), HasSubstr("\n  Interrupts: none.\n  0 switches away from the loop there. "
                                  "No task of others that /proc shows may"));
    EXPECT_EQ(switches(), 0);
    one.gaps.reset();
    one.traced = true;
    EXPECT_THAT(text(), HasSubstr("  0 switches of tasks. "));
    EXPECT_EQ(switches(), 0);
}

TEST(cpus_show_report, one_group_more_is_one) {
    race::cpus_view view;
    view.groups.resize(13);
    EXPECT_THAT(race::cpus_view_text(view, plain),
                HasSubstr("and 1 more group; --json has every one\n"));
}
