// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Leases where /proc shows not all: files that cannot be read, hidden processes, containers.

#include "exclusive_fakes.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/step_rules.hpp"
#include "support/time_namespace.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace {

using exclusive_test::difference;
using exclusive_test::fake_system;
using exclusive_test::whole_root;
using regatta::cpu_set;
using regatta::exclusivity;
using regatta::detail::exclusive_step;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* unlisted = "the tasks in /proc cannot be listed";

class exclusive_sight : public exclusive_test::lease_test {
protected:
    /// A child takes CPU 3 and dies with the lease.
    template<class System>
    void take_and_die_in(System& machine) {
        const pid_t child = ::fork();
        if (child == 0) {
            machine.die_before(12);
            take({3});
            ::_exit(1);
        }
        ::waitpid(child, nullptr, 0);
    }
};

/// A machine on which numberings of processes come and go.
class numbered_system : public fake_system {
public:
    using fake_system::fake_system;
    std::string numbering = "of a container";
    bool is_gone = false;
    std::string process_numbering() override { return numbering; }
    bool sees_all_processes() override { return numbering == "of the host"; }
    std::string numbering_of(int) override { return is_gone ? "of the host" : "of a container"; }
};

/// A container whose processes are each the first one of a PID namespace of their own.
class first_system : public fake_system {
public:
    using fake_system::fake_system;
    int this_process() noexcept override { return 1; }
};

/// A machine whose /proc hides the processes of other users.
class hiding_system : public fake_system {
public:
    using fake_system::fake_system;
    bool hides = false;
    bool is_hidden_process(int) override { return hides; }
};

/// A machine on which a folder cannot be listed, say for want of memory, though it is there.
class unlisted_system : public fake_system {
public:
    using fake_system::fake_system;
    std::string unlisted;
    std::vector<std::string> list(const std::string& path) override {
        return path == unlisted ? std::vector<std::string>() : fake_system::list(path);
    }
};

/// A machine whose /proc may number the processes of another PID namespace.
class foreign_system : public fake_system {
public:
    using fake_system::fake_system;
    bool foreign = false;
    bool is_proc_foreign() override { return foreign; }
};

/// A machine in the initial PID namespace.
class outer_system : public fake_system {
public:
    using fake_system::fake_system;
    std::string process_numbering() override { return "pid:[4026531836]"; }
};

} // namespace

// "A fork of the process owns nothing": also where it has the number of its parent, which is 1 in
// one PID namespace, and starts it in a new one.
TEST_F(exclusive_sight, a_fork_with_the_number_of_its_parent_owns_nothing) {
    host = std::make_shared<first_system>(root.path());
    auto lease = take({3});
    ASSERT_TRUE(lease);
    const pid_t child = ::fork();
    if (child == 0) {
        const int wrong = lease ? 1 : 0;
        auto own = take({4});
        ::_exit(wrong + (own ? 0 : 2));
    }
    int ended = 0;
    ::waitpid(child, &ended, 0);
    EXPECT_EQ(ended, 0);
    EXPECT_TRUE(lease);
}

// Unknown is not dead, and not gone.
TEST_F(exclusive_sight, what_cannot_be_read_costs_no_living_lease) {
    use_v2();
    const auto lease = take({3});
    const std::string self = "/proc/" + std::to_string(::getpid());
    for (const std::string& hidden : {std::string("/proc/sys/kernel/random/boot_id"), self}) {
        system->is_hidden = [&](const std::string& path) { return path.starts_with(hidden); };
        EXPECT_FALSE(status().at(0).stale) << hidden;
        EXPECT_THAT(repair().released, IsEmpty()) << hidden;
    }
    system->is_hidden = [](const std::string&) { return false; };
    EXPECT_EQ(lease.check(), std::nullopt);
}

// Who owned CPUs in a container has died if nobody is left in it.
TEST_F(exclusive_sight, a_lease_of_a_container_ends_with_it) {
    use_v2();
    const auto before = whole_root(root);
    const auto machine = std::make_shared<numbered_system>(root.path());
    host = machine;
    take_and_die_in(*machine);
    machine->numbering = "of the host";
    ASSERT_EQ(status().size(), 1U);
    EXPECT_FALSE(status()[0].stale);
    EXPECT_THAT(repair().released, IsEmpty());
    machine->is_gone = true;
    EXPECT_TRUE(status()[0].stale);
    EXPECT_EQ(repair().released.size(), 1U);
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

// Some containers have a boot_id of their own.
TEST_F(exclusive_sight, a_container_of_another_boot_is_seen_from_outside) {
    use_v2();
    const auto before = whole_root(root);
    const auto machine = std::make_shared<numbered_system>(root.path());
    host = machine;
    root.file("/proc/sys/kernel/random/boot_id", "of the container\n");
    take_and_die_in(*machine);
    root.file("/proc/sys/kernel/random/boot_id", "the-boot\n");
    machine->numbering = "of the host";
    EXPECT_FALSE(status().at(0).stale);
    EXPECT_THAT(repair().released, IsEmpty());
    machine->is_gone = true;
    EXPECT_EQ(repair().released.size(), 1U);
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

// A number of another container may be that of a stranger here.
TEST_F(exclusive_sight, an_owner_in_another_container_is_not_taken_for_a_process_of_this_one) {
    const auto machine = std::make_shared<numbered_system>(root.path());
    host = machine;
    const auto lease = take({3});
    EXPECT_FALSE(status().at(0).numbered_elsewhere);
    machine->numbering = "of the host";
    EXPECT_TRUE(status().at(0).numbered_elsewhere);
}

TEST_F(exclusive_sight, an_owner_that_proc_hides_is_alive) {
    use_v2();
    const auto machine = std::make_shared<hiding_system>(root.path());
    host = machine;
    const auto lease = take({3});
    const std::string self = "/proc/" + std::to_string(::getpid());
    std::filesystem::remove(root.path() + self);
    EXPECT_TRUE(status().at(0).stale);
    machine->hides = true;
    EXPECT_FALSE(status().at(0).stale);
    root.link(self, self);
}

// The kernel gives the number of a process that has ended to another one.
TEST_F(exclusive_sight, a_process_with_the_number_of_a_dead_owner_is_not_the_owner) {
    use_v2();
    const auto before = whole_root(root);
    take_and_die();
    const std::string number = std::to_string(status().at(0).process);
    const std::string folder = "/proc/" + number + "/task/" + number;
    root.file(folder + "/stat", number + " (b) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 1 0\n")
        .file(folder + "/status", "Tgid:\t" + number + "\nCpus_allowed_list:\t0-7\n");
    EXPECT_TRUE(status().at(0).stale);
    EXPECT_EQ(repair().released.size(), 1U);
    std::filesystem::remove_all(root.path() + "/proc/" + number);
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive_sight, an_owner_that_could_not_read_its_start_is_alive) {
    const std::string self = "/proc/" + std::to_string(::getpid());
    system->is_hidden = [&](const std::string& path) { return path.starts_with(self); };
    const auto lease = take({3});
    system->is_hidden = [](const std::string&) { return false; };
    EXPECT_FALSE(status().at(0).stale);
}

// A time namespace, say of a restored container, shifts the starts of all processes in /proc.
TEST_F(exclusive_sight, an_owner_is_known_in_another_time_namespace) {
    root.link("/proc/self", "/proc/self");
    const auto lease = take({3});
    const auto found = library_test::in_time_namespace([&] {
        host = std::make_shared<fake_system>(root.path());
        return status().at(0).stale ? 1 : 0;
    });
    if (!found) {
        GTEST_SKIP() << "this user may not make time namespaces";
    }
    EXPECT_EQ(*found, 0);
}

TEST_F(exclusive_sight, not_all_processes_are_seen_without_the_first) {
    outer_system machine(root.path());
    root.file("/proc/1/stat", "1 (init) S 0\n");
    EXPECT_TRUE(machine.sees_all_processes());
    std::filesystem::remove_all(root.path() + "/proc/1");
    EXPECT_FALSE(machine.sees_all_processes());
}

TEST_F(exclusive_sight, a_lease_of_a_container_does_not_end_while_proc_cannot_be_listed) {
    use_v2();
    const auto machine = std::make_shared<numbered_system>(root.path());
    host = machine;
    const auto lease = take({3});
    machine->numbering = "of the host";
    machine->is_hidden = [](const std::string& path) { return path == "/proc"; };
    EXPECT_FALSE(status().at(0).stale);
    EXPECT_THAT(repair().released, IsEmpty());
    machine->is_hidden = [](const std::string&) { return false; };
    machine->numbering = "of a container";
}

TEST_F(exclusive_sight, no_cpu_is_swept_while_proc_cannot_be_listed) {
    options.move_others = true;
    options.at_least = exclusivity::swept;
    system->is_hidden = [](const std::string& path) { return path == "/proc"; };
    EXPECT_THAT(refusal({3}).text, HasSubstr(unlisted));
}

TEST_F(exclusive_sight, no_affinity_is_forgotten_while_proc_cannot_be_listed) {
    use_v2();
    options.at_least = exclusivity::shielded;
    system->is_hidden = [](const std::string& path) { return path == "/proc"; };
    EXPECT_THAT(refusal({3}).text, HasSubstr(unlisted));
}

TEST_F(exclusive_sight, heirs_of_narrowed_masks_wait_until_proc_can_be_listed) {
    options.move_others = true;
    auto before = whole_root(root);
    auto lease = take({3});
    ASSERT_EQ(lease.level(), exclusivity::swept);
    system->is_hidden = [](const std::string& path) { return path == "/proc"; };
    std::string problem;
    EXPECT_FALSE(lease.try_release(problem));
    EXPECT_THAT(problem, HasSubstr(unlisted));
    system->is_hidden = [](const std::string&) { return false; };
    EXPECT_THAT(repair().problems, IsEmpty());
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive_sight, a_process_whose_threads_cannot_be_listed_is_not_moved) {
    unlisted_system machine(root.path());
    exclusive_step step;
    step.kind = regatta::detail::step_kind::move_process;
    step.path = "/proc/" + std::to_string(::getpid());
    step.target = "/sys/fs/cgroup/group";
    step.member = "cgroup.threads";
    root.file(step.target + "/cgroup.threads", "");
    const std::vector<exclusive_step> of_others;
    std::vector<std::string> notes;
    regatta::detail::step_context context{machine, of_others, [](const auto&) { return 0; },
                                          [] { return 0; }, notes};
    EXPECT_FALSE(regatta::detail::apply_step(context, step));
    machine.unlisted = step.path + "/task";
    EXPECT_EQ(regatta::detail::apply_step(context, step).number, EIO);
    step.path = "/proc/999999999";
    machine.unlisted = step.path + "/task";
    EXPECT_FALSE(regatta::detail::apply_step(context, step)) << "it has ended";
}

TEST_F(exclusive_sight, a_process_whose_threads_cannot_be_listed_is_no_missing_process) {
    use_v2();
    const auto machine = std::make_shared<unlisted_system>(root.path());
    host = machine;
    auto lease = take({3});
    machine->unlisted = "/proc/" + std::to_string(::getpid()) + "/task";
    try {
        lease.enter_process(::getpid());
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), EIO) << error.what();
    }
}

TEST_F(exclusive_sight, a_proc_of_another_numbering_is_not_believed) {
    const auto machine = std::make_shared<foreign_system>(root.path());
    host = machine;
    EXPECT_FALSE(regatta::detail::exclusive_system().is_proc_foreign());
    take_and_die();
    machine->foreign = true;
    const auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty()); // Its number may be a living process's.
    EXPECT_THAT(repaired.unread, testing::Contains(HasSubstr("no lease was undone")));
    EXPECT_FALSE(status().at(0).stale);
    const auto error = refusal({4});
    EXPECT_EQ(error.number, ENOTSUP);
    EXPECT_THAT(error.text, HasSubstr("--mount-proc"));
    machine->foreign = false;
    EXPECT_EQ(repair().released.size(), 1U);
}

// `refused`: "Why no way leads to these CPUs", as `acquire` says it.
TEST(exclusive_preview, promises_nothing_where_proc_is_of_another_numbering) {
    constexpr int no_namespace = 77;
    const pid_t child = ::fork();
    if (child == 0) {
        if (::unshare(CLONE_NEWPID) != 0) { // It is for later children.
            ::_exit(no_namespace);
        }
        const pid_t inside = ::fork();
        if (inside == 0) {
            regatta::exclusive_error error;
            const cpu_set first{0};
            static_cast<void>(regatta::exclusive_cpus::try_acquire(first, {}, error));
            const auto preview = regatta::preview_exclusive(first);
            ::_exit(error.number == ENOTSUP && preview.refused == error.text ? 0 : 1);
        }
        int status = -1;
        ::waitpid(inside, &status, 0);
        ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == no_namespace) {
        GTEST_SKIP() << "this user may not make PID namespaces";
    }
    EXPECT_EQ(status, 0);
}
