// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/stream.hpp"
#include "workloads/workload.hpp"

#include "support/root_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;

namespace {

std::string what_of(std::size_t size) {
    try {
        make_stream({.size = size});
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST(stream, each_item_must_be_right) {
    const auto work = make_stream({.size = 3});
    const auto shared = attach_stream(work->descriptor()); // as in another process
    EXPECT_EQ(shared->items(), 3u);
    work->run(0);
    shared->run(2);
    EXPECT_THAT(work->verify().message,
                AllOf(HasSubstr("a[131072] of item 1 is nan"), HasSubstr("expected ")));
    work->run(1);
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
    work->reset();
    EXPECT_THAT(work->verify().message, HasSubstr("a[0] of item 0 is nan"));
}

// As STREAM counts: two arrays read and one written, 24 bytes an element.
TEST(stream, a_run_amounts_to_three_arrays) {
    const amount all = make_stream({.size = 2})->work_of_run();
    EXPECT_DOUBLE_EQ(all.value, 3 * 2 * 1'048'576 / 1e9);
    EXPECT_EQ(all.unit, "GB");
}

TEST(stream, sizes_out_of_range_are_refused_with_the_range) {
    EXPECT_THAT(what_of(0), HasSubstr("size 0 is out of range 1 to 16384"));
    EXPECT_THAT(what_of(16'385), HasSubstr("1 to 16384"));
}

// "What the control groups leave of their limits": not what is used of them already.
TEST(stream, memory_is_what_a_control_group_has_left) {
    const library_test::root_folder root;
    root.file("/proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n")
        .file("/proc/self/cgroup", "0::/app\n")
        .file("/proc/self/mountinfo", "31 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/app/memory.max", "1000000\n")
        .file("/sys/fs/cgroup/app/memory.current", "900000\n");
    EXPECT_EQ(stream_memory_available(root.path()), 100'000u);
    root.file("/sys/fs/cgroup/app/memory.max", "max\n");
    EXPECT_EQ(stream_memory_available(root.path()), std::uint64_t{8'000'000} * 1024);
}

// "And for one that needs more memory than is available".
TEST(stream, what_memory_cannot_hold_is_refused_before_it_is_tried) {
    if (stream_memory_available() >> 20 > 3 * stream_sizes.max) {
        GTEST_SKIP() << "this machine has room for all sizes";
    }
    EXPECT_THAT(what_of(stream_sizes.max),
                AllOf(HasSubstr("size 16384 needs 49152 MiB"), HasSubstr("available")));
}
