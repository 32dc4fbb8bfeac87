// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The journal of leases: who may read it, what becomes of a lease while it is locked, and leases
/// of two journals on one machine.

#include "exclusive_fakes.hpp"
#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/lease_record.hpp"

#include <regatta/base/detail/printable_text.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using exclusive_test::difference;
using exclusive_test::whole_root;
using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusive_error;
using regatta::exclusivity;
using regatta::detail::leases_on;
using regatta::detail::try_acquire_on;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class exclusive_journal : public exclusive_test::lease_test {
protected:
    std::string group(const std::string& parent, int number) const {
        return parent + "/regatta." + std::to_string(::getpid()) + "." + std::to_string(number);
    }
    exclusive_cpus take_elsewhere(const cpu_set& cpus) {
        exclusive_error error;
        auto lease = try_acquire_on(elsewhere, cpus, options, error);
        EXPECT_TRUE(lease) << error.text;
        return lease ? std::move(*lease) : exclusive_cpus();
    }
    /// The machine as a program with another journal sees it, in another container perhaps.
    std::shared_ptr<exclusive_test::fake_system> elsewhere =
        std::make_shared<exclusive_test::fake_system>(root.path(), "/run/elsewhere");
    /// The machine, without the other journal.
    exclusive_test::snapshot machine() const {
        auto all = whole_root(root);
        all.erase("/run/elsewhere");
        all.erase("/run/elsewhere/lock");
        return all;
    }
};

} // namespace

TEST_F(exclusive_journal, everybody_may_read_it_whatever_the_mask_of_new_files) {
    namespace fs = std::filesystem;
    const mode_t before = ::umask(077);
    const auto lease = take({3});
    ::umask(before);
    const auto others = fs::perms::others_all;
    EXPECT_EQ(fs::status(root.path() + "/run/regatta").permissions() & others,
              fs::perms::others_read | fs::perms::others_exec);
    const std::string file = root.path() + "/run/regatta/lease." + std::to_string(::getpid());
    EXPECT_EQ(fs::status(file + ".1").permissions() & others, fs::perms::others_read);
}

// "No descriptor that the library keeps has the number of a standard stream": what another thread
// prints does not end in the journal, nor in the file of a group.
TEST_F(exclusive_journal, leaves_the_numbers_of_standard_streams_alone) {
    using regatta::detail::unique_descriptor;
    const std::string fifo = root.path() + "/slow";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    unique_descriptor reader(::open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ASSERT_EQ(system->make_directory(system->journal()), 0);
    const std::string text(std::size_t{1} << 20, 'x'); // More than a pipe holds.
    const unique_descriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    ::close(STDIN_FILENO);

    const int lock = system->lock(system->journal() + "/lock", false);
    EXPECT_GT(lock, STDERR_FILENO);
    system->unlock(lock);
    std::thread writer([&] { EXPECT_EQ(system->write("/slow", text), 0); });
    pollfd written{reader.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&written, 1, 60'000), 1) << "nothing was written";
    EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), -1) << "the file has the number of a stream";
    std::string read(text.size(), ' ');
    for (std::size_t length = 0; length < text.size() && ::poll(&written, 1, 60'000) == 1;) {
        const ssize_t got = ::read(reader.get(), read.data(), read.size());
        length += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    reader
        .reset(); // If the writer is still writing, SIGPIPE ends the test. It would wait for ever.
    writer.join();
    if (input) {
        ::dup2(input.get(), STDIN_FILENO);
    }
}

TEST_F(exclusive_journal, a_folder_that_may_not_be_read_is_said) {
    const auto lease = take({3});
    std::vector<std::string> unread;
    EXPECT_EQ(leases_on(*host, unread).size(), 1U);
    EXPECT_THAT(unread, IsEmpty());
    system->is_hidden = [](const std::string& path) { return path.starts_with("/run/regatta"); };
    EXPECT_THAT(leases_on(*host, unread), IsEmpty());
    EXPECT_THAT(unread, ElementsAre(HasSubstr("/run/regatta cannot be read, so leases of "
                                              "CPUs are not known: Permission denied")));
    system->lock_error = EACCES; // As for everybody but root.
    const auto other = take({3});
    EXPECT_THAT(other.explain(), Contains(HasSubstr("leases of CPUs are not known")));
    system->lock_error = 0;
}

TEST_F(exclusive_journal, a_lease_that_may_not_be_read_is_said_and_stays) {
    use_v2();
    const auto lease = take({3});
    const std::string file = "/run/regatta/lease." + std::to_string(::getpid()) + ".1";
    system->is_hidden = [file](const std::string& path) { return path == file; };
    std::vector<std::string> unread;
    EXPECT_THAT(leases_on(*host, unread), IsEmpty());
    EXPECT_THAT(unread, ElementsAre(HasSubstr(file + " cannot be read")));
    const auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty());
    EXPECT_EQ(repaired.unread, unread);
    EXPECT_TRUE(std::filesystem::exists(root.path() + file));
    // Its group shows that there is a lease.
    EXPECT_THAT(refusal({3}).text, HasSubstr("a lease that is not in this journal"));
}

// It may have been there from before, and is only missing: nobody owns anything then.
TEST_F(exclusive_journal, no_journal_is_no_secret) {
    std::vector<std::string> unread{"something"};
    EXPECT_THAT(leases_on(*host, unread), IsEmpty());
    EXPECT_THAT(unread, IsEmpty());
}

TEST_F(exclusive_journal, a_lease_that_ends_while_the_journal_is_locked_is_left_to_the_next) {
    use_v2();
    const auto before = whole_root(root);
    for (const bool next_lease : {false, true}) {
        auto lease = take({3});
        lease.enter();
        system->lock_error = EWOULDBLOCK;
        std::string problem;
        EXPECT_FALSE(lease.try_release(problem));
        EXPECT_THAT(problem, HasSubstr("another program holds it; `regatta cpus release --stale` "
                                       "or the next lease undoes the rest"));
        EXPECT_FALSE(lease);
        system->lock_error = 0;
        const auto left = status();
        ASSERT_EQ(left.size(), 1U);
        EXPECT_TRUE(left[0].stale && left[0].given_up);
        if (next_lease) {
            EXPECT_EQ(take({3}).level(), exclusivity::isolated_partition);
        } else {
            EXPECT_EQ(repair().released.size(), 1U);
        }
        EXPECT_EQ(difference(before, whole_root(root)), "");
    }
}

TEST_F(exclusive_journal, what_could_not_be_undone_can_be_before_the_process_ends) {
    use_v2();
    const auto before = whole_root(root);
    auto lease = take({3});
    system->before_act = [](const std::string& act) {
        return act.starts_with("rmdir") ? EACCES : 0;
    };
    EXPECT_THROW(lease.release(), std::system_error);
    system->before_act = [](const std::string&) { return 0; };
    EXPECT_EQ(repair().released.size(), 1U);
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive_journal, a_reason_is_told_once) {
    take({3}).release();
    system->lock_error = EACCES;
    EXPECT_TRUE(repair().released.empty()) << "nothing is left that the lock is needed for";
    system->lock_error = 0;
    const auto lease = take({3});
    system->lock_error = EACCES;
    try {
        repair();
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_STREQ(error.what(), "release stale CPUs: could not lock the journal /run/regatta: "
                                   "Permission denied");
        EXPECT_EQ(error.code(), std::errc::permission_denied);
    }
}

TEST_F(exclusive_journal, one_cpu_is_not_several) {
    root.file("/sys/devices/system/cpu/online", "0\n");
    exclusive_error error;
    EXPECT_FALSE(try_acquire_on(host, 1, options, error));
    EXPECT_EQ(error.text,
              "1 CPU was requested; none can be granted, since CPU 0 is free and at least "
              "one must be left for other tasks");
    root.file("/sys/devices/system/cpu/online", "0-1\n");
    EXPECT_FALSE(try_acquire_on(host, 2, options, error));
    EXPECT_THAT(error.text,
                HasSubstr("2 CPUs were requested; 1 can be granted, since CPUs 0-1 are"));
}

// Who tries again later may have them then.
TEST_F(exclusive_journal, what_only_leases_keep_from_a_request_is_busy) {
    root.file("/sys/devices/system/cpu/online", "0-1\n");
    const auto lease = take({1});
    for (const unsigned count : {1u, 2u}) {
        exclusive_error error;
        EXPECT_FALSE(try_acquire_on(host, count, options, error));
        EXPECT_EQ(error.number, count == 1 ? EBUSY : EINVAL) << error.text;
        EXPECT_EQ(error.text.find("CPUs 1 belong to a lease of process") != std::string::npos,
                  count == 1)
            << error.text;
    }
    exclusive_error error;
    EXPECT_FALSE(try_acquire_on(host, cpu_set{0}, options, error));
    EXPECT_EQ(error.number, EBUSY);
    EXPECT_THAT(error.text, HasSubstr("all the free CPUs"));
    EXPECT_THAT(error.text, HasSubstr("CPUs 1 belong to a lease of process"));
    EXPECT_FALSE(try_acquire_on(host, cpu_set{0, 1}, options, error));
    EXPECT_EQ(error.number, EBUSY); // It overlaps the lease.
}

TEST_F(exclusive_journal, a_title_gives_no_commands_to_a_terminal) {
    options.title = "\x1b[31mred\n\xc2\x9b"
                    "2J\xff Z\xc3\xbcrich";
    const auto lease = take({3});
    const std::string shown = "?[31mred??2J? Z\xc3\xbcrich";
    EXPECT_EQ(status().at(0).title, shown);
    EXPECT_THAT(refusal({3}).text, HasSubstr("(" + shown + ")"));
}

TEST(printable_text, only_characters_are_left) {
    const std::pair<std::string, std::string> cases[] = {
        {"", ""},
        {"plain ~", "plain ~"},
        {"\t\r\n\x7f", "????"},
        {"\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0"}, // The last one is a space.
        {"\xe2\x82\xac \xf0\x9f\x9a\xa3", "\xe2\x82\xac \xf0\x9f\x9a\xa3"},
        {"\x9b\xc3", "??"}, // No UTF-8, and the half of a character.
        {"\xe2\x82", "??"},
        {"\xc0\x9b\xe0\x82\x9b\xf0\x80\x82\x9b", "?????????"}, // Longer than need be.
        {"\xf8\x88\x80\x80\x80", "?????"},
        {"\xed\x9f\xbf\xed\xa0\x80", "\xed\x9f\xbf???"},              // A surrogate.
        {"\xf4\x8f\xbf\xbf\xf4\x90\x80\x80", "\xf4\x8f\xbf\xbf????"}, // Above U+10FFFF.
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa7??\xe2\x80\xaf"},
        {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??\xe2\x81\xaa"}};
    for (const auto& [text, printable] : cases) {
        EXPECT_EQ(regatta::detail::printable_text(text), printable) << text;
    }
}

// Two containers may see the same groups, but have a journal each, and processes with the same
// numbers.
TEST_F(exclusive_journal, leases_of_two_journals_have_groups_of_their_own) {
    use_v2();
    auto first = take({3});
    auto second = take_elsewhere({4});
    const std::string service = "/sys/fs/cgroup/service";
    EXPECT_EQ(second.level(), exclusivity::isolated_partition);
    EXPECT_EQ(root.text(group(service, 1) + "/cpuset.cpus"), "3\n");
    EXPECT_EQ(root.text(group(service, 2) + "/cpuset.cpus"), "4\n");
    first.release();
    EXPECT_EQ(second.check(), std::nullopt);
    EXPECT_EQ(root.text("/sys/fs/cgroup/cgroup.subtree_control"), "cpuset memory\n");
    EXPECT_EQ(root.text(service + "/cpuset.cpus.exclusive"), "4\n");
    second.release();
    EXPECT_FALSE(std::filesystem::exists(root.path() + group(service, 2)));
    EXPECT_EQ(root.text(service + "/cpuset.cpus.exclusive"), "\n");
}

TEST_F(exclusive_journal, cpus_of_another_journals_lease_are_refused) {
    for (const bool v1 : {false, true}) {
        v1 ? use_v1() : use_v2();
        // Not every container can make its cpusets exclusive.
        system->before_act = [](const std::string& act) {
            return act.find("cpuset.cpu_exclusive") != std::string::npos ? EACCES : 0;
        };
        const auto first = take({3});
        exclusive_error error;
        EXPECT_FALSE(try_acquire_on(elsewhere, cpu_set{3}, options, error));
        EXPECT_EQ(error.number, EBUSY);
        EXPECT_THAT(error.text, HasSubstr("CPUs 3 belong to the group /sys/fs/cgroup/"));
        EXPECT_THAT(error.text, HasSubstr("a lease that is not in this journal; CPUs 0-2,4-7 are"));
        EXPECT_TRUE(take({4})) << "its own lease is no stranger";
    }
}

TEST_F(exclusive_journal, a_shield_is_not_shared_between_journals) {
    use_v1();
    const auto before = machine();
    auto first = take({3});
    const auto with_first = machine();
    auto strict = options;
    strict.at_least = exclusivity::shielded;
    exclusive_error error;
    EXPECT_FALSE(try_acquire_on(elsewhere, cpu_set{5}, strict, error));
    EXPECT_THAT(error.text, HasSubstr("the group /sys/fs/cgroup/cpuset/regatta.others belongs to "
                                      "leases that are not in this journal"));
    EXPECT_EQ(difference(with_first, machine()), "");
    EXPECT_EQ(first.check(), std::nullopt);
    auto second = take_elsewhere({5});
    EXPECT_EQ(second.level(), exclusivity::swept);
    first.release();
    EXPECT_EQ(take({3}).level(), exclusivity::shielded) << "again, since it was gone";
    second.release();
    EXPECT_EQ(difference(before, machine()), "");
}

TEST_F(exclusive_journal, a_group_that_somebody_makes_at_the_same_moment_stays) {
    for (const bool v1 : {false, true}) {
        v1 ? use_v1() : use_v2();
        const std::string theirs =
            v1 ? "/sys/fs/cgroup/cpuset/regatta.others" : group("/sys/fs/cgroup/service", 1);
        system->before_act = [&](const std::string& act) {
            if (act == "mkdir " + theirs) {
                root.file(theirs + "/tasks", "").file(theirs + "/cgroup.threads", "");
            }
            return 0;
        };
        const auto before = whole_root(root);
        auto lease = take({3});
        EXPECT_LE(lease.level(), exclusivity::swept);
        EXPECT_THAT(lease.explain(), Contains(HasSubstr("File exists")));
        lease.release();
        EXPECT_TRUE(std::filesystem::exists(root.path() + theirs));
        std::filesystem::remove_all(root.path() + theirs);
        EXPECT_EQ(difference(before, whole_root(root)), "");
        system->before_act = [](const std::string&) { return 0; };
    }
}

// The owner cannot write "not done", and is killed: nobody else's group may be undone for it.
TEST_F(exclusive_journal, a_group_of_somebody_else_stays_though_the_disk_is_full) {
    for (const bool v1 : {false, true}) {
        v1 ? use_v1() : use_v2();
        std::string theirs = "/sys/fs/cgroup/cpuset/regatta.others";
        const pid_t owner = ::fork();
        if (owner == 0) {
            const std::string self = std::to_string(::getpid());
            root.link("/proc/" + self, "/proc/" + self);
            theirs = v1 ? theirs : group("/sys/fs/cgroup/service", 1);
            bool full = false;
            system->before_act = [&](const std::string& act) {
                if (act == "mkdir " + theirs) {
                    root.file(theirs + "/tasks", "").file(theirs + "/cgroup.threads", "");
                    full = true;
                }
                return full && act.starts_with("append") ? ENOSPC : 0;
            };
            try {
                const auto lease = take({3});
                ::kill(::getpid(), SIGKILL);
            } catch (...) { // Not into the tests, of which this is a copy.
            }
            ::_exit(1);
        }
        ::waitpid(owner, nullptr, 0);
        std::filesystem::remove(root.path() + "/proc/" + std::to_string(owner));
        theirs = v1 ? theirs : "/sys/fs/cgroup/service/regatta." + std::to_string(owner) + ".1";
        ASSERT_TRUE(std::filesystem::exists(root.path() + theirs));
        ASSERT_TRUE(status().at(0).stale);
        EXPECT_THAT(repair().problems, IsEmpty());
        EXPECT_TRUE(std::filesystem::exists(root.path() + theirs)) << theirs;
        std::filesystem::remove_all(root.path() + theirs);
    }
}

TEST_F(exclusive_journal, a_group_that_it_names_by_mistake_is_told) {
    use_v2();
    const std::string theirs = group("/sys/fs/cgroup/service", 1);
    bool broken = false;
    system->before_act = [&](const std::string& act) {
        if (act == "mkdir " + theirs) {
            root.file(theirs + "/cgroup.threads", "");
            broken = true;
        }
        const bool writes = act.starts_with("append") || act.starts_with("shorten");
        return broken && writes ? EIO : 0;
    };
    const auto lease = take({3});
    EXPECT_EQ(lease.level(), exclusivity::soft);
    EXPECT_THAT(lease.explain(),
                Contains(HasSubstr("File exists; and the journal still names it: Input/output")));
}

namespace {

/// Loses the end of a line, as on a full disk.
class tearing_system : public exclusive_test::fake_system {
public:
    using fake_system::fake_system;
    std::optional<std::size_t> missing; ///< Bytes of the next line; 0: only the flush fails.
    int append(const std::string& path, const std::string& text) override {
        if (!missing) {
            return fake_system::append(path, text);
        }
        fake_system::append(path, text.substr(0, text.size() - *missing));
        missing.reset();
        return ENOSPC;
    }
};

} // namespace

TEST_F(exclusive_journal, a_line_that_found_no_room_is_no_step) {
    regatta::detail::exclusive_step step;
    step.kind = regatta::detail::step_kind::save_masks;
    step.path = "torn";
    step.masks = {{1, 2, 3, cpu_set::parse("0-7")}};
    auto next = step;
    next.path = "whole";
    for (const std::size_t missing : {0U, 1U, 3U}) {
        for (const bool stays : {false, true}) {
            tearing_system machine(root.path(),
                                   "/run/torn" + std::to_string(missing) + (stays ? "stays" : ""));
            root.file(machine.journal() + "/lock", ""); // As it is once somebody has locked it.
            regatta::detail::lease_journal journal(machine);
            ASSERT_EQ(journal.begin({3}, "", [](const std::string&) { return false; }), 0);
            machine.before_act = [&](const std::string& act) {
                return stays && act.starts_with("shorten") ? EIO : 0;
            };
            machine.missing = missing;
            EXPECT_EQ(journal.step(step), ENOSPC);
            if (stays) {
                EXPECT_EQ(journal.step(next), EIO) << "before the torn line has gone";
            }
            machine.before_act = [](const std::string&) { return 0; };
            EXPECT_EQ(journal.step(next), 0);
            const auto leases = regatta::detail::read_leases(machine);
            ASSERT_EQ(leases.size(), 1U);
            ASSERT_EQ(leases[0].steps.size(), 1U) << missing;
            EXPECT_EQ(leases[0].steps[0].path, "whole");
        }
    }
}

TEST_F(exclusive_journal, a_shield_that_somebody_opens_is_told) {
    use_v1();
    const auto lease = take({3});
    const std::string others = "/sys/fs/cgroup/cpuset/regatta.others";
    EXPECT_EQ(lease.check(), std::nullopt);
    root.file(others + "/cpuset.cpus", "0-7\n");
    EXPECT_THAT(lease.check().value_or(""), HasSubstr("of all other tasks has CPUs '3'"));
    std::filesystem::rename(root.path() + others, root.path() + "/elsewhere");
    EXPECT_THAT(lease.check().value_or(""), HasSubstr("of all other tasks is gone"));
    std::filesystem::rename(root.path() + "/elsewhere", root.path() + others);
    EXPECT_THAT(lease.explain(), Not(IsEmpty()));
}
