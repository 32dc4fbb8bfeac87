// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machines.hpp"

#include "inspect/interrupt_files.hpp"
#include "inspect/steal_time.hpp"
#include <regatta/inspect/interrupt_counts.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace library_test;
using regatta::interrupt_counts;
using regatta::interrupt_kind;

// CPU 1 is off: it has no column.
const std::string before =
    "            CPU0       CPU2       CPU3       \n"
    "   1:          9          0          0   IO-APIC   1-edge      i8042\n"
    "   9:          0          5          0  IR-IO-APIC    9-fasteoi   acpi\n"
    "  36:          0    1465791          7 PCI-MSIX-0000:00:02.0   1-edge      nvme0q2, other\n"
    "  40:          0          0          0  DMAR-MSI    0-edge\n"
    " NMI:          3          1          0   Non-maskable interrupts\n"
    " LOC:       1000        200          2   Local timer interrupts\n"
    " RES:          0         10          0   Rescheduling interrupts\n"
    " CAL:          0         20          0   Function call interrupts\n"
    " TLB:          0         30          0   TLB shootdowns\n"
    " ERR:          0\n"
    " MIS:          0\n";
// One interrupt more in front, so that rows have moved.
const std::string after =
    "            CPU0       CPU2       CPU3       \n"
    "   0:         44          0          0   IO-APIC   2-edge      timer\n"
    "   1:          9          0          0   IO-APIC   1-edge      i8042\n"
    "   9:          0          6          0  IR-IO-APIC    9-fasteoi   acpi\n"
    "  36:          0    1465800          7 PCI-MSIX-0000:00:02.0   1-edge      nvme0q2, other\n"
    "  40:          0          2          0  DMAR-MSI    0-edge\n"
    " NMI:          3          2          0   Non-maskable interrupts\n"
    " LOC:       1500        700          2   Local timer interrupts\n"
    " RES:          0         11          0   Rescheduling interrupts\n"
    " CAL:          0         20          0   Function call interrupts\n"
    " TLB:          0         33          0   TLB shootdowns\n"
    " ERR:          0\n"
    " MIS:          0\n";

std::string as_text(const std::vector<regatta::interrupt_count>& counts) {
    std::string text;
    for (const auto& one : counts) {
        text += one.label + "=" + one.name + "/" + std::string(to_string(one.kind)) + "/" +
                std::to_string(one.count) + "\n";
    }
    return text;
}

} // namespace

TEST(interrupt_counts, tells_what_came_to_a_cpu_the_most_frequent_first) {
    const cpu_set cpus{2, 3};
    const auto then = interrupt_counts::parse(before, cpus, false);
    const auto now = interrupt_counts::parse(after, cpus, false);
    EXPECT_EQ(as_text(now.since(then, 2)), "LOC=Local timer interrupts/tick/500\n"
                                           "36=nvme0q2, other/device/9\n"
                                           "TLB=TLB shootdowns/interprocessor/3\n"
                                           "40=DMAR-MSI    0-edge/device/2\n"
                                           "9=acpi/device/1\n"
                                           "NMI=Non-maskable interrupts/other/1\n"
                                           "RES=Rescheduling interrupts/interprocessor/1\n");
    EXPECT_EQ(as_text(now.since(then, 3)), "");
}

TEST(interrupt_counts, knows_columns_by_their_header) {
    const auto counts = interrupt_counts::parse(before, cpu_set{0, 1, 3}, false);
    EXPECT_TRUE(counts.has(0));
    EXPECT_FALSE(counts.has(1)); // off
    EXPECT_FALSE(counts.has(2)); // not asked for
    EXPECT_TRUE(counts.has(3));
    EXPECT_TRUE(counts.since(counts, 1).empty());
    // A CPU that has come up meanwhile has no earlier count.
    const auto later = interrupt_counts::parse(before, cpu_set::first(4), false);
    EXPECT_TRUE(later.since(counts, 2).empty());
}

TEST(interrupt_counts, knows_whether_ticks_are_counted) {
    const auto counts = interrupt_counts::parse(before, cpu_set{0, 1}, false);
    EXPECT_TRUE(counts.has_ticks(0));
    EXPECT_FALSE(counts.has_ticks(1)); // off
    const auto other = interrupt_counts::parse("CPU0\n 7: 3 MIPS 7 timer\n", cpu_set{0}, false);
    EXPECT_TRUE(other.has(0));
    EXPECT_FALSE(other.has_ticks(0));
}

// There LOC stays at 0.
TEST(interrupt_counts, knows_the_timer_of_a_guest_of_hyper_v_or_xen) {
    const std::string rows = " LOC:          0          0   Local timer interrupts\n";
    const auto of = [&](const std::string& timer) {
        return interrupt_counts::parse("           CPU0       CPU1\n" + rows + timer, cpu_set{1},
                                       false);
    };
    EXPECT_EQ(
        as_text(of(" HVS:          0         250   Hyper-V stimer0 interrupts\n")
                    .since(of(" HVS:          0          0   Hyper-V stimer0 interrupts\n"), 1)),
        "HVS=Hyper-V stimer0 interrupts/tick/250\n");
    const std::string xen = "   xen-percpu    -virq      timer1\n";
    EXPECT_EQ(as_text(of(" 54:          0        250" + xen)
                          .since(of(" 54:          0          0" + xen), 1)),
              "54=xen-percpu    -virq      timer1/tick/250\n");
    const std::string other = "   xen-percpu    -ipi       resched1\n";
    EXPECT_EQ(as_text(of(" 55:          0        250" + other)
                          .since(of(" 55:          0          0" + other), 1)),
              "55=xen-percpu    -ipi       resched1/interprocessor/250\n");
}

// The kernel prints 32 bits of each count.
TEST(interrupt_counts, counts_on_when_a_count_wraps_around) {
    const auto of = [](const std::string& ticks, const std::string& device) {
        return interrupt_counts::parse("CPU0\nLOC: " + ticks + " Local timer interrupts\n 36: " +
                                           device + " PCI-MSIX-0000:00:02.0 1-edge disk\n",
                                       cpu_set{0}, false);
    };
    EXPECT_EQ(as_text(of("90", "8").since(of("4294967290", "5"), 0)),
              "LOC=Local timer interrupts/tick/96\n36=disk/device/3\n");
    // A device that was taken out, and put in again, counts from 0.
    EXPECT_EQ(as_text(of("100", "2").since(of("40", "5000"), 0)),
              "LOC=Local timer interrupts/tick/60\n");
    EXPECT_EQ(as_text(of("4294967300", "2").since(of("4294967400", "2"), 0)), "");
    EXPECT_EQ(as_text(of("5", "2").since(of("8589934592", "2"), 0)), "") << "more than 32 bits";
}

TEST(interrupt_counts, all_of_a_device_that_is_new_is_counted) {
    const auto before =
        interrupt_counts::parse("CPU0\nLOC: 5 Local timer interrupts\n", cpu_set{0}, false);
    const auto after = interrupt_counts::parse(
        "CPU0\n 36: 4 PCI-MSIX-0000:00:02.0 1-edge disk\nLOC: 5 Local timer interrupts\n",
        cpu_set{0}, false);
    EXPECT_EQ(as_text(after.since(before, 0)), "36=disk/device/4\n");
}

TEST(interrupt_counts, reads_an_arm_machine) {
    const std::string zero = "           CPU0       CPU1\n"
                             " 11:          0          0     GICv3  30 Level     arch_timer\n"
                             " 24:          0          0     GICv3  56 Edge      virtio3-input\n"
                             "IPI0:         0          0       Rescheduling interrupts\n"
                             "IPI1:         0          0       Function call interrupts\n"
                             "Err:          0\n";
    const std::string some = "           CPU0       CPU1\n"
                             " 11:          0          4     GICv3  30 Level     arch_timer\n"
                             " 24:          0          3     GICv3  56 Edge      virtio3-input\n"
                             "IPI0:         0          2       Rescheduling interrupts\n"
                             "IPI1:         0          1       Function call interrupts\n"
                             "Err:          0\n";
    const auto then = interrupt_counts::parse(zero, cpu_set{1}, false);
    const auto now = interrupt_counts::parse(some, cpu_set{1}, false);
    EXPECT_EQ(as_text(now.since(then, 1)), "11=arch_timer/tick/4\n"
                                           "24=virtio3-input/device/3\n"
                                           "IPI0=Rescheduling interrupts/interprocessor/2\n"
                                           "IPI1=Function call interrupts/interprocessor/1\n");
}

TEST(interrupt_counts, reads_soft_interrupts) {
    const std::string zero = "                    CPU0       CPU1       \n"
                             "          HI:          0          1\n"
                             "       TIMER:        100        200\n";
    const std::string some = "                    CPU0       CPU1       \n"
                             "          HI:          0          1\n"
                             "       TIMER:        100        207\n";
    machine_files files;
    machine_root root(files.file("/proc/softirqs", zero));
    const auto then = regatta::detail::read_interrupt_counts(cpu_set{1}, true, root.path());
    const auto now = interrupt_counts::parse(some, cpu_set{1}, true);
    EXPECT_EQ(as_text(now.since(then, 1)), "TIMER=TIMER/soft/7\n");
}

TEST(interrupt_counts, takes_nothing_from_what_is_no_such_file) {
    for (const char* text : {"", "\n", "garbage", "CPU0\nLOC", "CPU0 CPU1\nLOC: 1 x\n",
                             "CPU0\n: 1\n", "CPUx CPU-1\nLOC: 1 2 what\n"}) {
        const auto counts = interrupt_counts::parse(text, cpu_set::first(4), false);
        EXPECT_TRUE(counts.since(counts, 0).empty()) << text;
    }
    EXPECT_TRUE(regatta::detail::read_interrupt_counts(cpu_set{0}, false, "/nonexistent").empty());
}

TEST(steal_time, is_the_eighth_figure_of_the_cpu) {
    machine_files files;
    machine_root root(files.file("/proc/stat", "cpu  10 20 30 40 50 60 70 8000 0 0\n"
                                               "cpu1 1 2 3 4 5 6 7 11 0 0\n"
                                               "cpu10 1 2 3 4 5 6 7 99 0 0\n"
                                               "intr 5 6 7\n"));
    EXPECT_EQ(regatta::detail::steal_time_ns(1, root.path()), 110'000'000);
    EXPECT_EQ(regatta::detail::steal_time_ns(10, root.path()), 990'000'000);
    EXPECT_EQ(regatta::detail::steal_time_ns(0, root.path()), std::nullopt);
    files.file("/proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\ncpu10 1 2 3 4 5 6 7 99 0 0\n");
    const machine_root without(files);
    EXPECT_EQ(regatta::detail::steal_time_ns(1, without.path()), std::nullopt);
    EXPECT_EQ(regatta::detail::steal_time_ns(1, "/nonexistent"), std::nullopt);
}
