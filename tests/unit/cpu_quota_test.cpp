// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/root_folder.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

/// The files that tell of groups and their quotas.
class fixture_root {
public:
    fixture_root& file(const std::string& name, const std::string& text) {
        root_.file(name, text);
        return *this;
    }
    fixture_root& v1_group(const std::string& directory, const std::string& quota) {
        file(directory + "/cpu.cfs_quota_us", quota + "\n");
        return file(directory + "/cpu.cfs_period_us", "100000\n");
    }
    const std::string& path() const { return root_.path(); }

private:
    library_test::root_folder root_;
};

const char* const v2_mount =
    "24 18 0:21 / /proc rw - proc proc rw\n"
    "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const char* const v1_mount =
    "33 31 0:29 / /sys/fs/cgroup/cpuset rw shared:6 - cgroup cgroup rw,cpuset\n"
    "34 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:7 - cgroup cgroup rw,cpu,cpuacct\n";

} // namespace

TEST(cpu_quota, is_unlimited_where_nothing_can_be_read) {
    EXPECT_EQ(regatta::cpu_quota("/nonexistent"), std::nullopt);
    fixture_root root;
    root.file("/proc/self/cgroup", "garbage\n\n:\n").file("/proc/self/mountinfo", "x - y\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), std::nullopt);
}

TEST(cpu_quota, reads_v2) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/user/job\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 1.5);
}

TEST(cpu_quota, takes_max_as_no_limit) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/job\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/job/cpu.max", "max 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), std::nullopt);
}

TEST(cpu_quota, takes_the_smallest_of_all_ancestors) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/a/b/c\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/a/cpu.max", "200000 100000\n")
        .file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n")
        .file("/sys/fs/cgroup/a/b/c/cpu.max", "400000 50000\n")
        .file("/sys/fs/cgroup/other/cpu.max", "10000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 2.0);
}

TEST(cpu_quota, reads_the_mount_point_itself_in_a_container) {
    fixture_root root; // A cgroup namespace: the own group is the top.
    root.file("/proc/self/cgroup", "0::/\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/cpu.max", "300000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 3.0);
}

TEST(cpu_quota, reads_v1) {
    fixture_root root;
    root.file("/proc/self/cgroup", "5:cpuset:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n")
        .file("/proc/self/mountinfo", v1_mount)
        .v1_group("/sys/fs/cgroup/cpu,cpuacct/job", "250000");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 2.5);
}

TEST(cpu_quota, takes_minus_one_of_v1_as_no_limit) {
    fixture_root root;
    root.file("/proc/self/cgroup", "4:cpu,cpuacct:/job\n")
        .file("/proc/self/mountinfo", v1_mount)
        .v1_group("/sys/fs/cgroup/cpu,cpuacct/job", "-1");
    EXPECT_EQ(regatta::cpu_quota(root.path()), std::nullopt);
}

TEST(cpu_quota, reads_v1_ancestors) {
    fixture_root root;
    root.file("/proc/self/cgroup", "4:cpu,cpuacct:/pod/job\n")
        .file("/proc/self/mountinfo", v1_mount)
        .v1_group("/sys/fs/cgroup/cpu,cpuacct/pod/job", "-1")
        .v1_group("/sys/fs/cgroup/cpu,cpuacct/pod", "120000");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 1.2);
}

TEST(cpu_quota, finds_its_group_where_the_mount_shows_only_a_part) {
    fixture_root root; // A v1 container without a namespace: the mount's top is its group.
    root.file("/proc/self/cgroup", "4:cpu,cpuacct:/docker/abc/inner\n")
        .file("/proc/self/mountinfo",
              "34 31 0:30 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n")
        .v1_group("/sys/fs/cgroup/cpu", "400000")
        .v1_group("/sys/fs/cgroup/cpu/inner", "100000");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 1.0);
}

TEST(cpu_quota, takes_the_mount_point_where_its_group_is_out_of_sight) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/../other\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/cpu.max", "700000 100000\n")
        .file("/sys/fs/other/cpu.max", "100000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 7.0);
}

TEST(cpu_quota, finds_a_group_whose_name_begins_with_dots) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/a/..data/...\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/a/..data/cpu.max", "200000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 2.0);
}

// A container may have the groups of its host bound to a place of their own.
TEST(cpu_quota, takes_the_mount_that_shows_its_group) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/\n")
        .file("/proc/self/mountinfo",
              "30 23 0:27 /../../.. /host ro - cgroup2 cgroup2 rw\n" + std::string(v2_mount))
        .file("/host/cpu.max", "800000 100000\n")
        .file("/sys/fs/cgroup/cpu.max", "300000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 3.0);
}

TEST(cpu_quota, does_not_take_a_group_with_the_same_beginning_for_the_mounts_top) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/docker/abcdef\n")
        .file("/proc/self/mountinfo", "31 23 0:27 /docker/abc /cg rw - cgroup2 cgroup2 rw\n")
        .file("/cg/cpu.max", "500000 100000\n")
        .file("/cg/def/cpu.max", "100000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 5.0);
}

TEST(cpu_quota, takes_the_smaller_of_both_on_a_hybrid_machine) {
    fixture_root root;
    root.file("/proc/self/cgroup", "4:cpu,cpuacct:/job\n0::/unit\n")
        .file("/proc/self/mountinfo",
              std::string(v1_mount) +
                  "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")
        .v1_group("/sys/fs/cgroup/cpu,cpuacct/job", "300000")
        .file("/sys/fs/cgroup/unified/unit/cpu.max", "200000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 2.0);
    root.v1_group("/sys/fs/cgroup/cpu,cpuacct/job", "50000");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 0.5);
}

// mount(2) takes an empty source, and mountinfo has an empty field then.
TEST(cpu_quota, finds_mounts_without_a_source) {
    fixture_root root;
    root.file("/proc/self/cgroup", "4:cpu,cpuacct:/job\n0::/unit\n")
        .file("/proc/self/mountinfo", "34 31 0:30 / /cpu rw shared:7 - cgroup  rw,cpu,cpuacct\n"
                                      "41 31 0:38 / /unified rw - cgroup2  rw\n")
        .v1_group("/cpu/job", "300000")
        .file("/unified/unit/cpu.max", "200000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 2.0);
    root.v1_group("/cpu/job", "50000");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 0.5);
}

TEST(cpu_quota, reads_escaped_mount_points) {
    fixture_root root;
    root.file("/proc/self/cgroup", "0::/job\n")
        .file("/proc/self/mountinfo", "31 23 0:27 / /my\\040groups rw - cgroup2 cgroup2 rw\n")
        .file("/my groups/job/cpu.max", "100000 100000\n");
    EXPECT_EQ(regatta::cpu_quota(root.path()), 1.0);
}
