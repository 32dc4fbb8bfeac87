// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Files of leases that are damaged, or left by owners that died: nothing in them is lost.

#include "exclusive_fakes.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class exclusive_record : public exclusive_test::lease_test {
protected:
    /// The file of the only lease.
    std::string file() {
        for (const std::string& name : system->list(system->journal())) {
            if (name != "lock") {
                return system->journal() + "/" + name;
            }
        }
        return {};
    }
};

} // namespace

TEST_F(exclusive_record, a_file_in_the_place_of_the_folder_is_told) {
    use_v1();
    root.file(system->journal(), "");
    std::vector<std::string> unread;
    EXPECT_THAT(regatta::detail::leases_on(*system, unread), IsEmpty());
    EXPECT_THAT(unread, Contains(HasSubstr(system->journal() + " cannot be read")));
    EXPECT_THROW(repair(), std::system_error);
}

TEST_F(exclusive_record, a_damaged_beginning_is_told_and_the_file_stays) {
    use_v1();
    take_and_die();
    const std::string text = root.text(file());
    std::string damaged = text;
    damaged.replace(0, 5, "?????");
    root.file(file(), damaged);
    auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty());
    EXPECT_THAT(repaired.notes, Contains(HasSubstr("its CPUs and its owner are not known")));
    ASSERT_NE(file(), "");
    EXPECT_EQ(root.text(file()), damaged);
    root.file(file(), text); // A user who knows what it was can mend it.
    EXPECT_EQ(repair().released.size(), 1U);
    EXPECT_EQ(file(), "");
}

TEST_F(exclusive_record, of_a_file_with_a_damaged_step_the_others_are_undone) {
    use_v1();
    take_and_die();
    const std::string text = root.text(file());
    std::string damaged = text;
    const auto step = damaged.find("step\ttake_cpus");
    ASSERT_NE(step, std::string::npos);
    damaged.replace(step, 4, "????");
    root.file(file(), damaged);
    auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty());
    EXPECT_THAT(repaired.problems,
                Contains(HasSubstr(file() + " is damaged: its step is unknown")));
    EXPECT_TRUE(system->list_folders("/sys/fs/cgroup/cpuset") ==
                std::vector<std::string>{"container"});
    root.file(file(), text);
    EXPECT_EQ(repair().released.size(), 1U);
    EXPECT_EQ(root.text("/sys/fs/cgroup/cpuset/container/cpuset.cpus"), "2-5\n");
}

// Its owner died before it took anything.
TEST_F(exclusive_record, a_file_without_a_whole_line_is_no_lease) {
    root.file("/run/regatta/lease.7.1", "lease 1\t7\t");
    const auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty());
    EXPECT_THAT(repaired.problems, IsEmpty());
    EXPECT_EQ(file(), "");
}

// The reason is that the owner has died and not that it lives.
TEST_F(exclusive_record, a_refusal_says_what_of_a_stale_lease_could_not_be_undone) {
    use_v2();
    take_and_die();
    system->before_act = [](const std::string& act) {
        return act.starts_with("rmdir /sys") ? EPERM : 0;
    };
    const auto error = refusal({3});
    EXPECT_EQ(error.number, EBUSY);
    EXPECT_THAT(error.text, HasSubstr("CPUs 3 belong to a stale lease of process "));
    EXPECT_THAT(error.text, HasSubstr("(test), which `regatta cpus release --stale` undoes; "));
    EXPECT_THAT(error.text,
                HasSubstr("could not remove the group /sys/fs/cgroup/service/regatta."));
    system->before_act = [](const std::string&) { return 0; };
    EXPECT_THAT(repair().problems, IsEmpty());
}
