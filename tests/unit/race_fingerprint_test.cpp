// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/fingerprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace race = regatta::race;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Another machine, in a folder.
class other_machine : public testing::Test {
protected:
    void SetUp() override {
        root_ = std::filesystem::temp_directory_path() /
                ("regatta_fingerprint_" + std::to_string(::getpid()));
        write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Quick 9000\ncpu MHz\t\t: 3400.5\n"
                              "physical id\t: 0\ncore id\t\t: 0\nflags\t\t: fpu hypervisor sse2\n\n"
                              "processor\t: 1\nmodel name\t: Quick 9000\n"
                              "physical id\t: 0\ncore id\t\t: 0\n\n"
                              "processor\t: 2\nmodel name\t: Quick 9000\n"
                              "physical id\t: 1\ncore id\t\t: 0\n");
        write("proc/meminfo", "MemTotal:        2048 kB\nMemFree: 1 kB\n");
        write("proc/loadavg", "64.25 1.00 0.50 1/87 5757\n");
        write("etc/os-release", "NAME=\"Some\"\nPRETTY_NAME=\"Some System 12\"\n");
        write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
        write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
        write("sys/class/dmi/id/sys_vendor", "QEMU\n");
        write("run/.containerenv", "");
    }
    void TearDown() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }

    std::filesystem::path root_;
};

} // namespace

TEST_F(other_machine, is_read_from_its_files) {
    const race::fingerprint m = race::take_fingerprint(root_);
    EXPECT_EQ(m.cpu_model, "Quick 9000");
    EXPECT_EQ(m.cores, 2u);
    EXPECT_EQ(m.clock_mhz, 3400.5);
    EXPECT_EQ(m.memory_bytes, 2048u * 1024);
    EXPECT_EQ(m.load_average, 64.25);
    EXPECT_EQ(m.system, "Some System 12");
    EXPECT_EQ(m.governor, "powersave");
    EXPECT_EQ(m.boost, false);
    EXPECT_EQ(m.virtualisation, "virtual machine (QEMU), container");
}

TEST_F(other_machine, is_warned_of) {
    const auto warnings = race::warnings_of(race::take_fingerprint(root_));
    EXPECT_THAT(warnings, Contains(HasSubstr("busy (load average 64.2")));
    EXPECT_THAT(warnings, Contains(HasSubstr("powersave")));
    EXPECT_THAT(warnings, Contains(HasSubstr("guest (virtual machine (QEMU), container)")));
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
    race::fingerprint m;
    m.build_type = "Release";
    m.online_cpus = m.available_cpus = 8;
    m.load_average = 0.1;
    m.governor = "performance";
    EXPECT_THAT(race::warnings_of(m), IsEmpty());
    m.build_type = "Debug";
    EXPECT_THAT(race::warnings_of(m), Contains(HasSubstr("not Release")));
    m.cpu_quota = 2.5;
    EXPECT_THAT(race::warnings_of(m), Contains(HasSubstr("grant 2.5 CPUs")));
}
