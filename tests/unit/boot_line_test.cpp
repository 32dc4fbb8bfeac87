// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machines.hpp"

#include <regatta/boot/boot_line.hpp>
#include <regatta/cpu/detail/compact_list.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace library_test;
using regatta::add_huge_pages;
using regatta::boot_concern;
using regatta::boot_line;
using regatta::huge_page_memory;
using regatta::huge_pages;
using regatta::kernel_config;
using regatta::plan_boot_line;
using regatta::running_kernel;
using regatta::detail::compact_list;

/// A kernel of Debian 12 that has everything.
running_kernel whole_kernel(std::string command_line = "root=/dev/sda1 ro quiet\n") {
    running_kernel kernel;
    kernel.release = "6.1.0-40-amd64";
    kernel.command_line = std::move(command_line);
    kernel.config = kernel_config("CONFIG_CPU_ISOLATION=y\nCONFIG_NO_HZ_FULL=y\n"
                                  "CONFIG_RCU_NOCB_CPU=y\n",
                                  "/boot/config-6.1.0-40-amd64");
    return kernel;
}

boot_line plan(std::string_view cpus, const machine_files& machine,
               const running_kernel& kernel = whole_kernel()) {
    return plan_boot_line(cpu_set::parse(cpus, 1024), machine.read(), kernel);
}

using concerns = std::vector<boot_concern>;

concerns concerns_of(const boot_line& line) {
    concerns found;
    for (const auto& warning : line.warnings) {
        found.push_back(warning.concern);
    }
    return found;
}

bool says(const boot_line& line, std::string_view words) {
    for (const auto& warning : line.warnings) {
        if (warning.text.find(words) != std::string::npos) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST(compact_list, writes_equal_distances_as_a_pattern_where_that_is_shorter) {
    EXPECT_EQ(compact_list({}), "");
    EXPECT_EQ(compact_list({5}), "5");
    EXPECT_EQ(compact_list({0, 1, 2, 3, 8}), "0-3,8");
    EXPECT_EQ(compact_list({1, 3}), "1,3");
    EXPECT_EQ(compact_list(cpu_set::parse("1-31:1/2")), "1-31:1/2");
    EXPECT_EQ(compact_list(cpu_set::parse("100-2000:2/25", 4096)), "100-2000:2/25");
    EXPECT_EQ(compact_list(cpu_set::parse("0-30:3/7")), "0-30:3/7"); // Its last group is cut.
    EXPECT_EQ(compact_list(cpu_set::parse("2,10-40:1/2,60-63")), "2,10-40:1/2,60-63");
    EXPECT_EQ(compact_list(cpu_set::parse("19-23")), "19-23");
}

TEST(compact_list, means_the_same_set_and_is_never_longer) {
    std::mt19937 random(20231);
    const auto below = [&random](unsigned limit) {
        return static_cast<unsigned>(random() % limit);
    };
    for (int i = 0; i < 2000; ++i) {
        cpu_set set;
        const unsigned width = below(200) + 1;
        if (i % 2 == 0) {
            for (unsigned cpu = 0; cpu < width; ++cpu) {
                if (below(2) == 0) {
                    set.insert(cpu);
                }
            }
        } else {
            const unsigned group = below(9) + 1;
            for (unsigned cpu = below(9); cpu < width; ++cpu) {
                if (cpu % group <= group / 3 || below(40) == 0) {
                    set.insert(cpu);
                }
            }
        }
        const std::string text = compact_list(set);
        ASSERT_EQ(cpu_set::parse(text, 256), set) << text;
        ASSERT_LE(text.size(), set.to_string().size());
    }
}

TEST(boot_line, has_all_four_options) {
    const boot_line line = plan("4-5", big_little());
    EXPECT_EQ(line.text(), "isolcpus=managed_irq,domain,4-5 nohz_full=4-5 rcu_nocbs=4-5 "
                           "irqaffinity=0-3");
    EXPECT_EQ(line.housekeeping, cpu_set::parse("0-3"));
    EXPECT_TRUE(line.warnings.empty());
    EXPECT_FALSE(line.in_force());
    for (const auto& option : line.options) {
        EXPECT_FALSE(option.purpose.empty());
        EXPECT_FALSE(option.current);
    }
}

TEST(boot_line, is_compact_on_a_large_machine) {
    const boot_line line = plan("1-127:1/2,129-255:1/2", large_server());
    EXPECT_EQ(line.text(), "isolcpus=managed_irq,domain,1-255:1/2 nohz_full=1-255:1/2 "
                           "rcu_nocbs=1-255:1/2 irqaffinity=0-254:1/2");
    EXPECT_TRUE(line.warnings.empty());
}

TEST(boot_line, names_each_core_that_is_split) {
    const boot_line line = plan("19-23", two_sockets());
    EXPECT_EQ(concerns_of(line), concerns(5, boot_concern::split_core));
    EXPECT_TRUE(says(line, "CPU 7 shares a core with CPU 19 and stays with the system"));
    EXPECT_TRUE(says(plan("19", two_sockets()), "Plan 7,19, or switch the sibling off."));
    EXPECT_TRUE(says(plan("18-19", two_sockets()), "Plan 6-7,18-19, or")); // All at once.
    // Neither CPU 0 nor the last one of the system is asked for.
    EXPECT_TRUE(says(plan("7,12,19", two_sockets()), "part of the core. Plan 7,19."));
    EXPECT_TRUE(says(plan("12", two_sockets()), "part of the core."));
    EXPECT_FALSE(says(plan("12", two_sockets()), "Plan"));
    EXPECT_FALSE(says(plan("12", two_sockets()), "witch"));
    EXPECT_TRUE(plan("7-11,19-23", two_sockets()).warnings.empty());
}

TEST(boot_line, warns_of_cpu_zero_and_of_a_whole_node) {
    const boot_line line = plan("0-5,12-17", two_sockets());
    EXPECT_EQ(concerns_of(line), (concerns{boot_concern::cpu_zero, boot_concern::whole_node}));
    EXPECT_TRUE(says(line, "memory node 0 (0-5,12-17)"));
    EXPECT_FALSE(line.text().empty());
}

TEST(boot_line, has_no_options_where_nothing_is_left_for_the_system) {
    const boot_line line = plan("0-5", big_little());
    EXPECT_EQ(concerns_of(line), concerns{boot_concern::no_housekeeping});
    EXPECT_EQ(line.text(), "");
    EXPECT_FALSE(line.in_force());
    // CPUs 4, 5 and 7 would be left, but are off.
    EXPECT_TRUE(plan("0-3,6", partly_offline()).warns_of(boot_concern::no_housekeeping));
}

TEST(boot_line, takes_cpus_that_are_off_and_says_so) {
    const boot_line line = plan("6-7", partly_offline());
    EXPECT_EQ(concerns_of(line), concerns{boot_concern::not_online});
    EXPECT_TRUE(says(line, "CPU 7 is not online now"));
    EXPECT_EQ(line.options.back().text(), "irqaffinity=0-5");
}

TEST(boot_line, leaves_out_what_the_kernel_was_built_without) {
    running_kernel kernel = whole_kernel();
    kernel.config = kernel_config("CONFIG_CPU_ISOLATION=y\n# CONFIG_NO_HZ_FULL is not set\n"
                                  "CONFIG_RCU_NOCB_CPU_DEFAULT_ALL=y\n",
                                  "/boot/config-x");
    const boot_line line = plan("4-5", big_little(), kernel);
    EXPECT_EQ(line.text(), "isolcpus=managed_irq,domain,4-5 irqaffinity=0-3");
    EXPECT_EQ(concerns_of(line), concerns(2, boot_concern::not_in_kernel));
    EXPECT_TRUE(says(line, "without CONFIG_NO_HZ_FULL (/boot/config-x)"));

    kernel.config.reset();
    const boot_line unknown = plan("4-5", big_little(), kernel);
    EXPECT_EQ(unknown.options.size(), 4u);
    EXPECT_EQ(concerns_of(unknown), concerns{boot_concern::unknown_in_kernel});
}

TEST(boot_line, leaves_managed_interrupts_out_where_the_kernel_is_too_old) {
    running_kernel kernel = whole_kernel();
    for (const char* old : {"5.5.19", "4.19.0-27-amd64", "5.5-rc1"}) {
        kernel.release = old;
        const boot_line line = plan("4-5", big_little(), kernel);
        EXPECT_EQ(line.options.front().text(), "isolcpus=4-5") << old; // Which means `domain`.
        EXPECT_EQ(line.options.front().purpose, "load balancing moves no thread there") << old;
        EXPECT_EQ(concerns_of(line), concerns{boot_concern::old_kernel}) << old;
    }
    // Before 4.15 isolcpus was no matter of configuration.
    kernel.config = kernel_config("CONFIG_NO_HZ_FULL=y\nCONFIG_RCU_NOCB_CPU=y\n", "/boot/config-x");
    kernel.release = "4.14.1";
    EXPECT_EQ(plan("4-5", big_little(), kernel).options.front().text(), "isolcpus=4-5");
    kernel = whole_kernel();
    for (const char* fresh : {"5.6.0", "5.10", "6.12.117+deb12-cloud-amd64", "", "x.y"}) {
        kernel.release = fresh;
        EXPECT_TRUE(plan("4-5", big_little(), kernel).warnings.empty()) << fresh;
    }
}

TEST(boot_line, says_what_is_set_already) {
    const boot_line other = plan("4-5", big_little(), whole_kernel("isolcpus=4 rcu_nocbs=4-5\n"));
    EXPECT_EQ(concerns_of(other), concerns(2, boot_concern::already_set));
    EXPECT_TRUE(says(other, "isolcpus=4: replace it"));
    EXPECT_TRUE(says(other, "rcu_nocbs=4-5: leave that as it is"));

    const boot_line same = plan("4-5", big_little(), whole_kernel("quiet " + other.text() + "\n"));
    EXPECT_TRUE(same.in_force());
    EXPECT_EQ(concerns_of(same), concerns{boot_concern::already_set});
    EXPECT_TRUE(says(same, "nothing to do"));

    // However it is written.
    const boot_line written =
        plan("4-5", big_little(),
             whole_kernel(
                 "isolcpus=domain,managed_irq,4,5 nohz_full=4,5 rcu_nocbs=5,4 irqaffinity=0-3"));
    EXPECT_TRUE(written.in_force());
    EXPECT_FALSE(
        plan("4-5", big_little(),
             whole_kernel("isolcpus=domain,4-5 nohz_full=4-5 rcu_nocbs=4-5 irqaffinity=0-3"))
            .in_force());

    // The kernel keeps the first list.
    const boot_line twice = plan("4-5", big_little(), whole_kernel("isolcpus=4 isolcpus=5\n"));
    EXPECT_TRUE(says(twice, "isolcpus=4: replace it"));

    const boot_line behind = plan("4-5", big_little(), whole_kernel("ro -- isolcpus=4\n"));
    EXPECT_TRUE(behind.warnings.empty()); // Words for the first program.
    EXPECT_TRUE(plan("4-5", big_little(), whole_kernel("xisolcpus=4 isolcpus\n")).warnings.empty());
}

TEST(boot_line, says_which_cpus_it_gives_back) {
    for (const char* option : {"2-3", "domain,2-3", "nohz,domain,managed_irq,2-3", "unknown,2-3"}) {
        const boot_line line =
            plan("4-5", big_little(), whole_kernel(std::string("ro isolcpus=") + option));
        EXPECT_TRUE(says(line, "CPUs 2-3, isolated now, go back to the system")) << option;
        EXPECT_TRUE(says(line, "Plan 2-5 to keep them")) << option;
    }
    for (const char* option : {"4-5", "domain,4", "domain", "nonsense,", "", "17", "3-2",
                               "managed_irq,2-3", "nohz,managed_irq,2-3"}) {
        const boot_line line =
            plan("4-5", big_little(), whole_kernel(std::string("ro isolcpus=") + option));
        EXPECT_FALSE(says(line, "isolated now")) << option;
    }
    // For the kernel `all` and `N` are unknown flags here.
    EXPECT_TRUE(says(plan("4-5", big_little(), whole_kernel("isolcpus=all,3")), "CPU 3, isolated"));
    for (const char* option : {"all", "N", "all:1/2,3", "domain,all", "managed_irq,domain,N"}) {
        const boot_line line =
            plan("4-5", big_little(), whole_kernel(std::string("ro isolcpus=") + option));
        EXPECT_FALSE(says(line, "isolated now")) << option;
    }
    // Another option may say another thing of the same CPUs.
    for (const char* options : {"isolcpus=managed_irq,2-3 isolcpus=domain,2-3",
                                "isolcpus=domain,2-3 isolcpus=managed_irq,2-3"}) {
        EXPECT_TRUE(says(plan("4-5", big_little(), whole_kernel(options)), "CPUs 2-3, isolated"));
    }
}

TEST(huge_pages, stand_behind_the_other_options_size_first) {
    const huge_page_memory machine{{2 << 20, 1 << 30}, 2 << 20, std::uint64_t{16} << 30};
    boot_line line = plan("4-5", big_little());
    const std::string before = line.text();
    add_huge_pages(line, {1 << 30, 4}, machine, whole_kernel());
    EXPECT_EQ(line.text(), before + " hugepagesz=1G hugepages=4");
    EXPECT_TRUE(line.warnings.empty());
    EXPECT_FALSE(line.in_force());
}

TEST(huge_pages, more_than_half_of_the_memory_is_warned_of) {
    const huge_page_memory machine{{2 << 20, 1 << 30}, 2 << 20, std::uint64_t{16} << 30};
    boot_line half = plan("4-5", big_little());
    add_huge_pages(half, {1 << 30, 8}, machine, whole_kernel());
    EXPECT_FALSE(half.warns_of(boot_concern::too_much_memory));
    boot_line more = plan("4-5", big_little());
    add_huge_pages(more, {1 << 30, 9}, machine, whole_kernel());
    EXPECT_TRUE(more.warns_of(boot_concern::too_much_memory));
}

TEST(huge_pages, what_the_machine_cannot_have_is_refused_with_what_it_can) {
    const huge_page_memory machine{{2 << 20}, 2 << 20, std::uint64_t{16} << 30};
    boot_line line = plan("4-5", big_little());
    const auto refusal = [&](const huge_pages& pages, const huge_page_memory& of) {
        try {
            add_huge_pages(line, pages, of, whole_kernel());
        } catch (const std::invalid_argument& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal({1 << 30, 4}, machine), "this kernel has no huge pages of 1G, only of 2M");
    EXPECT_EQ(refusal({2 << 20, 9000}, machine),
              "9000 huge pages of 2M cannot be reserved; allowed are 1 to 8192, all of the memory");
    EXPECT_NE(refusal({2 << 20, 0}, machine), "");
    EXPECT_EQ(refusal({2 << 20, 1}, {}), "this kernel has no huge pages");
    EXPECT_EQ(line.options.size(), 4u);
}

TEST(huge_pages, what_is_set_already_is_said) {
    const huge_page_memory machine{{2 << 20, 1 << 30}, 2 << 20, std::uint64_t{16} << 30};
    const std::string cpus = plan("4-5", big_little()).text();
    const auto with = [&](const std::string& command_line) {
        const running_kernel kernel = whole_kernel(command_line);
        boot_line line = plan("4-5", big_little(), kernel);
        add_huge_pages(line, {1 << 30, 4}, machine, kernel);
        return line;
    };
    const boot_line fewer = with(cpus + " hugepagesz=1G hugepages=2");
    EXPECT_TRUE(says(fewer, "hugepages=2: replace it"));
    EXPECT_TRUE(says(fewer, "hugepagesz=1G: leave that as it is"));
    EXPECT_FALSE(says(fewer, "nothing to do"));
    const boot_line same = with(cpus + " hugepagesz=1G hugepages=4");
    EXPECT_TRUE(same.in_force());
    EXPECT_EQ(concerns_of(same), concerns{boot_concern::already_set});
    EXPECT_TRUE(says(same, "nothing to do"));
    // Pages of another size have a pool of their own, and a count of theirs.
    EXPECT_TRUE(
        with(cpus + " hugepagesz=1024M hugepages=4 hugepagesz=2M hugepages=512").in_force());
    EXPECT_FALSE(says(with(cpus + " hugepages=512"), "hugepages=512"));
    EXPECT_FALSE(says(with(cpus + " hugepagesz=2M hugepages=512"), "replace it"));
}

TEST(huge_pages, sizes_and_memory_are_read_below_a_root) {
    machine_files machine = virtual_machine();
    machine.file("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0\n")
        .file("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0\n")
        .file("/sys/kernel/mm/hugepages/other/nr_hugepages", "0\n")
        .file("/proc/meminfo", "MemTotal:       16384 kB\nHugepagesize:       2048 kB\n");
    const machine_root root(machine);
    const auto memory = huge_page_memory::read(root.path());
    EXPECT_EQ(memory.sizes, (std::vector<std::uint64_t>{2 << 20, 1 << 30}));
    EXPECT_EQ(memory.usual_size, std::uint64_t{2 << 20});
    EXPECT_EQ(memory.memory, std::uint64_t{16 << 20});
    const machine_root nothing(virtual_machine());
    EXPECT_TRUE(huge_page_memory::read(nothing.path()).sizes.empty());
}

TEST(huge_pages, sizes_are_written_in_the_largest_unit_that_is_whole) {
    EXPECT_EQ(regatta::huge_page_size_text(2 << 20), "2M");
    EXPECT_EQ(regatta::huge_page_size_text(1 << 30), "1G");
    EXPECT_EQ(regatta::huge_page_size_text(64 << 10), "64K");
    EXPECT_EQ(regatta::huge_page_size_text(std::uint64_t{16} << 30), "16G");
}

TEST(running_kernel, is_read_below_a_root) {
    machine_files machine = virtual_machine();
    machine.file("/proc/sys/kernel/osrelease", "6.1.0-40-amd64\n")
        .file("/proc/cmdline", "ro isolcpus=\"1\"\n")
        .file("/boot/config-6.1.0-40-amd64", "CONFIG_NO_HZ_FULL=y\nCONFIG_RCU_NOCB_CPU=m\n");
    const machine_root root(machine);
    const running_kernel kernel = running_kernel::read(root.path());
    EXPECT_EQ(kernel.release, "6.1.0-40-amd64");
    EXPECT_EQ(kernel.option("isolcpus"), "1");
    ASSERT_TRUE(kernel.config);
    EXPECT_TRUE(kernel.config->has("CONFIG_NO_HZ_FULL"));
    EXPECT_FALSE(kernel.config->has("CONFIG_NO_HZ"));
    EXPECT_FALSE(kernel.config->has("CONFIG_RCU_NOCB_CPU"));
    EXPECT_FALSE(kernel.config->has("NO_HZ_FULL"));

    const machine_root nothing(virtual_machine());
    const running_kernel unknown = running_kernel::read(nothing.path());
    EXPECT_EQ(unknown.release, "");
    EXPECT_FALSE(unknown.option("isolcpus"));
    EXPECT_FALSE(unknown.config);
}

// Checked with kernel 6.12: parse_args in kernel/params.c and obsolete_checksetup in init/main.c.
TEST(boot_line, words_are_those_of_the_kernel) {
    EXPECT_EQ(whole_kernel("a nohz-full=2-3").option("nohz_full"), "2-3");
    EXPECT_EQ(whole_kernel("a \"isolcpus=domain,2\" b").option("isolcpus"), "domain,2");
    EXPECT_EQ(whole_kernel("a isolcpus=\"2,3\" b").option("isolcpus"), "2,3");
    EXPECT_EQ(whole_kernel("a\tisolcpus=2\tb").option("isolcpus"), "2");
    const running_kernel quoted = whole_kernel("dyndbg=\"file a isolcpus=2 +p\" nohz_full=3");
    EXPECT_FALSE(quoted.option("isolcpus"));
    EXPECT_EQ(quoted.option("dyndbg"), "file a isolcpus=2 +p");
    EXPECT_EQ(quoted.option("nohz_full"), "3");
    EXPECT_FALSE(whole_kernel("a -- isolcpus=2").option("isolcpus"));
    EXPECT_FALSE(whole_kernel("\"a=1 isolcpus=2").option("isolcpus"));
}
