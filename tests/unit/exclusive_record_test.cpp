// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Files of leases that are damaged, or left by owners that died: nothing in them is lost.

#include "exclusive_fakes.hpp"

#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/lease_record.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace {

using exclusive_test::difference;
using exclusive_test::whole_root;
using regatta::detail::exclusive_step;
using regatta::detail::lease_journal;
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

/// A machine on which a lease ends just after the journal was listed.
class ending_system : public exclusive_test::fake_system {
public:
    using fake_system::fake_system;
    std::vector<std::string> list(const std::string& path) override {
        return path == journal() ? std::vector<std::string>{"lease.7.1"} : fake_system::list(path);
    }
};

/// A machine with a file that takes every text and stays as it was.
class deaf_system : public exclusive_test::fake_system {
public:
    using fake_system::fake_system;
    std::string deaf;
    int write(const std::string& path, const std::string& text) override {
        return path.ends_with(deaf) ? 0 : fake_system::write(path, text);
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
    EXPECT_THAT(repaired.unread, Contains(HasSubstr("its CPUs and its owner are not known")));
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
    root.file(file(), damaged + "????\n");
    auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty());
    const auto line = std::count(text.begin(), text.begin() + static_cast<long>(step), '\n') + 1;
    EXPECT_THAT(repaired.problems,
                Contains(HasSubstr("line " + std::to_string(line) + " of " + file() +
                                   " is damaged: its step is unknown")));
    EXPECT_TRUE(system->list_folders("/sys/fs/cgroup/cpuset") ==
                std::vector<std::string>{"container"});
    root.file(file(), text);
    EXPECT_EQ(repair().released.size(), 1U);
    EXPECT_EQ(root.text("/sys/fs/cgroup/cpuset/container/cpuset.cpus"), "2-5\n");
}

// Its owner had undone all steps, but could not remove the file.
TEST_F(exclusive_record, a_damaged_step_that_was_undone_is_over) {
    use_v1();
    take_and_die();
    std::string text = root.text(file());
    const auto step = text.find("step\ttake_cpus");
    ASSERT_NE(step, std::string::npos);
    text.replace(step, 4, "????");
    root.file(file(), text + "undone\n");
    const auto repaired = repair();
    EXPECT_EQ(repaired.released.size(), 1U);
    EXPECT_THAT(repaired.problems, IsEmpty());
    EXPECT_EQ(file(), "");
}

// Leases end while another process looks at them.
TEST_F(exclusive_record, a_file_that_is_removed_before_it_is_read_is_no_unread_lease) {
    ending_system machine(root.path());
    std::vector<std::string> unread;
    EXPECT_THAT(regatta::detail::leases_on(machine, unread), IsEmpty());
    EXPECT_THAT(unread, IsEmpty());
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

TEST_F(exclusive_record, a_file_that_others_can_write_is_told_and_stays) {
    use_v2();
    take_and_die();
    const std::string path = root.path() + file();
    for (const auto perms :
         {std::filesystem::perms::group_write, std::filesystem::perms::others_write}) {
        std::filesystem::permissions(path, perms, std::filesystem::perm_options::add);
        const auto repaired = repair();
        EXPECT_THAT(repaired.released, IsEmpty());
        EXPECT_THAT(repaired.problems,
                    Contains(HasSubstr(file() + " could have been written by other users")));
        std::filesystem::permissions(path, perms, std::filesystem::perm_options::remove);
    }
    EXPECT_EQ(repair().released.size(), 1U);
}

TEST_F(exclusive_record, a_link_is_not_trusted) {
    root.file("/run/real/lock", "");
    std::filesystem::create_directory_symlink(root.path() + "/run/real",
                                              root.path() + "/run/regatta");
    EXPECT_TRUE(system->is_trusted("/run/real"));
    EXPECT_FALSE(system->is_trusted("/run/regatta"));
}

// Of a later version of this library.
TEST_F(exclusive_record, a_lease_in_another_format_counts_as_alive) {
    root.file("/run/regatta/lease.7.1", "lease 2\t7\twhat nobody knows yet\nnor this\n");
    EXPECT_FALSE(status().at(0).stale);
    const auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty());
    EXPECT_THAT(repaired.problems, IsEmpty());
    EXPECT_EQ(file(), "/run/regatta/lease.7.1");
}

TEST_F(exclusive_record, two_leases_of_a_process_have_files_of_their_own) {
    const auto first = take({3});
    const auto second = take({4});
    EXPECT_EQ(status().size(), 2U);
}

// "A second attempt undoes steps that failed only for a moment."
TEST_F(exclusive_record, a_step_that_cannot_be_undone_for_a_moment_is_undone) {
    use_v2();
    const auto before = whole_root(root);
    auto lease = take({3});
    int failures = 1;
    system->before_act = [&](const std::string& act) {
        return act.starts_with("rmdir /sys") && failures-- > 0 ? EIO : 0;
    };
    std::string problem;
    EXPECT_TRUE(lease.try_release(problem)) << problem;
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive_record, a_step_is_read_as_it_was_written) {
    exclusive_step step;
    step.kind = regatta::detail::step_kind::take_cpus;
    step.path = "a\tb\\t\nc";
    step.target = "target";
    step.cpus = {3};
    for (const bool shared : {false, true}) {
        step.shared = shared;
        step.optional = !shared;
        const std::string line = step_to_line(step);
        EXPECT_EQ(line.find('\n'), std::string::npos);
        const auto read = regatta::detail::step_from_fields(regatta::detail::fields_of(line));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->path, step.path);
        EXPECT_EQ(read->shared, shared);
        EXPECT_EQ(read->optional, !shared);
        EXPECT_TRUE(read->same_effect(step));
        auto other = *read;
        other.target = "another";
        EXPECT_FALSE(other.same_effect(step));
        other = *read;
        other.kind = regatta::detail::step_kind::add_cpus;
        EXPECT_FALSE(other.same_effect(step));
    }
}

TEST_F(exclusive_record, a_step_that_was_not_done_is_not_read) {
    root.file("/run/regatta/lock", "");
    lease_journal journal(*system);
    ASSERT_EQ(journal.begin({3}, "", [](const std::string&) { return false; }), 0);
    exclusive_step step;
    for (const char* const path : {"first", "second"}) {
        step.path = path;
        ASSERT_EQ(journal.step(step), 0);
    }
    system->before_act = [](const std::string& act) {
        return act.starts_with("shorten") ? EIO : 0;
    };
    EXPECT_EQ(journal.not_done(), 0);
    const auto leases = regatta::detail::read_leases(*system);
    ASSERT_EQ(leases.at(0).steps.size(), 1U);
    EXPECT_EQ(leases[0].steps[0].path, "first");
}

// What follows the last whole line is not copied, and the lines after the copy are whole.
TEST_F(exclusive_record, a_journal_goes_on_after_steps_were_dropped) {
    root.file("/run/regatta/lock", "");
    lease_journal journal(*system);
    ASSERT_EQ(journal.begin({3}, "", [](const std::string&) { return false; }), 0);
    exclusive_step step;
    for (const char* const path : {"over", "kept"}) {
        step.path = path;
        ASSERT_EQ(journal.step(step), 0);
    }
    const auto is_over = [](const exclusive_step& one) { return one.path == "over"; };
    const std::string draft = regatta::detail::draft_of(*system, journal.name());
    system->before_act = [](const std::string& act) { return act.starts_with("rename") ? EIO : 0; };
    EXPECT_EQ(journal.drop(is_over), EIO);
    EXPECT_FALSE(system->exists(draft));
    system->before_act = [](const std::string&) { return 0; };
    root.file(draft, "of an earlier process\n");
    root.file(journal.path(), root.text(journal.path()) + "torn\n");
    EXPECT_EQ(journal.drop(is_over), 0);
    step.path = "refused";
    system->before_act = [&](const std::string& act) {
        if (act.starts_with("append")) { // A part of the line is written.
            root.file(journal.path(), root.text(journal.path()) + "step\t");
            return ENOSPC;
        }
        return 0;
    };
    EXPECT_EQ(journal.step(step), ENOSPC);
    system->before_act = [](const std::string&) { return 0; };
    step.path = "last";
    EXPECT_EQ(journal.step(step), 0);
    const auto leases = regatta::detail::read_leases(*system);
    ASSERT_EQ(leases.size(), 1U);
    EXPECT_TRUE(leases[0].complete);
    EXPECT_EQ(leases[0].damaged_line, 0);
    ASSERT_EQ(leases[0].steps.size(), 2U);
    EXPECT_EQ(leases[0].steps[0].path, "kept");
    EXPECT_EQ(leases[0].steps[1].path, "last");
    root.file(journal.path(), "");
    EXPECT_EQ(journal.drop(is_over), EIO) << "somebody has shortened it";
}

// "After it the result is read back".
TEST_F(exclusive_record, a_file_that_stays_as_it_was_is_no_success) {
    use_v2();
    options.move_interrupts = true;
    const auto machine = std::make_shared<deaf_system>(root.path());
    host = machine;
    machine->deaf = "/cgroup.type";
    EXPECT_THAT(take({3}).explain(), Contains(HasSubstr("cgroup.type, which then read ''")));
    machine->deaf = "/cgroup.subtree_control";
    EXPECT_THAT(take({3}).explain(), Contains(HasSubstr("the cpuset controller stayed off below")));
    machine->deaf = "/proc/irq/9/smp_affinity_list";
    EXPECT_THAT(take({3}).explain(), Contains(HasSubstr("which then read '0-7'")));
}
