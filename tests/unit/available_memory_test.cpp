// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// How much memory a segment may take, on machines made of files.

#include "process/available_memory.hpp"
#include "support/root_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

/// The files that tell of memory, below a root.
class memory_files {
public:
    memory_files() {
        file("/proc/meminfo", "MemTotal:       8000 kB\nMemAvailable:   4000 kB\nCached: 1 kB\n");
    }
    memory_files& file(const std::string& name, const std::string& text) {
        root_.file(name, text);
        return *this;
    }
    memory_files& v2() {
        return file("/proc/self/cgroup", "0::/a/b\n")
            .file("/proc/self/mountinfo", "31 23 0:27 / /cg rw - cgroup2 cgroup2 rw\n");
    }
    memory_files& v2_group(const std::string& group, const std::string& limit,
                           const std::string& used) {
        return file("/cg" + group + "/memory.max", limit + "\n")
            .file("/cg" + group + "/memory.current", used + "\n");
    }
    std::uint64_t available() const { return regatta::detail::available_memory(root_.path()); }

private:
    library_test::root_folder root_;
};

constexpr std::uint64_t of_machine = 4000 * 1024;

} // namespace

TEST(available_memory, is_that_of_the_machine_where_no_group_has_a_limit) {
    memory_files files;
    EXPECT_EQ(files.available(), of_machine);
    files.v2().v2_group("/a/b", "max", "3000000");
    EXPECT_EQ(files.available(), of_machine);
    EXPECT_EQ(regatta::detail::available_memory("/no/such/root"), UINT64_MAX);
    EXPECT_GT(regatta::detail::available_memory(), 0u);
}

TEST(available_memory, is_no_more_than_each_group_leaves) {
    memory_files files;
    files.v2().v2_group("/a/b", "3000000", "1000000");
    EXPECT_EQ(files.available(), 2000000u);
    files.v2_group("/a", "2500000", "1900000"); // The group above has less.
    EXPECT_EQ(files.available(), 600000u);
    files.v2_group("/a", "2500000", "2600000"); // A limit that was lowered.
    EXPECT_EQ(files.available(), 0u);
    files.v2_group("/a", "100000000", "0");
    files.v2_group("/a/b", "100000000", "0");
    EXPECT_EQ(files.available(), of_machine);
}

// "Caches of files count as free."
TEST(available_memory, counts_what_the_kernel_takes_back) {
    memory_files files;
    files.v2().v2_group("/a/b", "1000000", "999000");
    files.file("/cg/a/b/memory.stat", "anon 99000\nfile 900000\ninactive_anon 7\ninactive_file "
                                      "500000\nactive_file 300000\nslab_reclaimable 50000\n");
    EXPECT_EQ(files.available(), 1000000u - (999000 - 850000));
}

TEST(available_memory, knows_the_groups_of_version_1) {
    memory_files files;
    files.file("/proc/self/cgroup", "5:memory:/job\n2:cpu,cpuacct:/\n0::/\n")
        .file("/proc/self/mountinfo", "34 31 0:31 / /mem rw - cgroup cgroup rw,memory\n"
                                      "35 31 0:32 / /unified rw - cgroup2 cgroup2 rw\n")
        .file("/mem/memory.limit_in_bytes", "9223372036854771712\n")
        .file("/mem/memory.usage_in_bytes", "123456\n")
        .file("/mem/job/memory.limit_in_bytes", "2000000\n")
        .file("/mem/job/memory.usage_in_bytes", "1500000\n")
        .file("/mem/job/memory.stat", "inactive_file 1\nactive_file 2\ntotal_inactive_file "
                                      "300000\ntotal_active_file 200000\n");
    EXPECT_EQ(files.available(), 1000000u);
}

TEST(available_memory, knows_groups_of_version_1_that_do_not_count_those_below) {
    memory_files files;
    files.file("/proc/self/cgroup", "5:memory:/job/step\n")
        .file("/proc/self/mountinfo", "34 31 0:31 / /mem rw - cgroup cgroup rw,memory\n");
    for (const std::string group : {"", "/job", "/job/step"}) {
        files.file("/mem" + group + "/memory.limit_in_bytes", "2000000\n")
            .file("/mem" + group + "/memory.usage_in_bytes", "500000\n")
            .file("/mem" + group + "/memory.use_hierarchy", "1\n");
    }
    files.file("/mem/job/memory.limit_in_bytes", "1000000\n")
        .file("/mem/memory.limit_in_bytes", "600000\n");
    EXPECT_EQ(files.available(), 100000u);
    files.file("/mem/memory.use_hierarchy", "0\n");
    EXPECT_EQ(files.available(), 500000u);
    files.file("/mem/job/memory.use_hierarchy", "0\n");
    EXPECT_EQ(files.available(), 1500000u);
}
