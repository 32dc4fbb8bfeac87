// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A machine of eight CPUs made of plain files, whose control groups answer as the kernel's do.

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_tasks.hpp"
#include "lease/lease_access.hpp"
#include "lease/stale_leases.hpp"
#include "support/exclusive_faults.hpp"
#include "support/exclusive_snapshot.hpp"
#include "support/root_folder.hpp"

#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exclusive_test {

/// A directory that stands in for `/`, with a place for leases.
class root_folder : public library_test::root_folder {
public:
    root_folder() { std::filesystem::create_directory(path() + "/run"); }
};

/// Plain files in the place of groups: a new group gets its files, one that is removed loses them,
/// a task that is written into a group leaves the other ones. No task is really pinned.
class fake_system : public faulty_system {
public:
    using faulty_system::faulty_system;

    /// What a partition makes of a type that is written: "isolated invalid (why)" or the like.
    std::function<std::string(const std::string&)> partition = [](const std::string& type) {
        return type;
    };

    int make_directory(const std::string& path) override {
        const int error = faulty_system::make_directory(path);
        if (error == 0 && path.starts_with("/sys/fs/cgroup")) {
            const bool v2 = !path.starts_with("/sys/fs/cgroup/cpuset");
            for (const char* name : v2 ? v2_files : v1_files) {
                std::ofstream(root() + path + "/" + name);
            }
        }
        return error;
    }
    int remove_directory(const std::string& path) override {
        if (path.starts_with("/sys/fs/cgroup") && !list_folders(path).empty()) {
            return EBUSY;
        }
        for (const char* name : {"cgroup.procs", "cgroup.threads", "tasks"}) {
            if (std::filesystem::exists(root() + path) &&
                !read(path + "/" + name).value_or("").empty()) {
                return EBUSY;
            }
        }
        // Asked before the files are gone, so that a death leaves all of them.
        const auto before = before_act;
        const int error = before("rmdir " + path);
        ++acts;
        if (error != 0) {
            return error;
        }
        std::error_code failed;
        return std::filesystem::remove_all(root() + path, failed) > 0 ? 0 : ENOENT;
    }
    int write(const std::string& path, const std::string& text) override {
        const std::string file = path.substr(path.rfind('/') + 1);
        std::string value = text;
        if (file == "cgroup.subtree_control") {
            value = text == "+cpuset\n" ? "cpuset memory\n" : "memory\n";
        } else if (file == "cpuset.cpus.partition") {
            value = partition(text.substr(0, text.find('\n'))) + "\n";
        } else if (file == "tasks" || file == "cgroup.threads" || file == "cgroup.procs") {
            return move(path, file, text);
        }
        const int error = faulty_system::write(path, value);
        if (error == 0 && file == "cpuset.cpus" && read(effective_of(path))) {
            std::ofstream(root() + effective_of(path)) << value;
        }
        return error;
    }
    int set_affinity(int, const regatta::cpu_set&) override { return 0; }
    /// The group of a task is the one that lists it.
    std::optional<std::string> read(const std::string& path) override {
        if (!path.starts_with("/proc/") || path.find("/task/") == std::string::npos ||
            !path.ends_with("/cgroup")) {
            return faulty_system::read(path);
        }
        std::istringstream parts(path.substr(path.find("/task/") + 6));
        int task = 0;
        parts >> task;
        const std::string top = "/sys/fs/cgroup";
        std::error_code none;
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(root() + top, none)) {
            const std::string file = entry.path().string().substr(root().size());
            if (!file.ends_with("/tasks") && !file.ends_with("/cgroup.threads")) {
                continue;
            }
            std::istringstream tasks(faulty_system::read(file).value_or(""));
            for (int one = 0; tasks >> one;) {
                if (one == task) {
                    const bool v1 = file.ends_with("/tasks");
                    const std::size_t head = top.size() + (v1 ? sizeof "/cpuset" - 1 : 0);
                    const std::string group = file.substr(head, file.rfind('/') - head);
                    return (v1 ? "3:cpuset:" : "0::") + (group.empty() ? "/" : group) + "\n";
                }
            }
        }
        return std::nullopt;
    }

private:
    static constexpr const char* v2_files[] = {
        "cgroup.type", "cgroup.procs",          "cgroup.threads",        "cgroup.subtree_control",
        "cpuset.cpus", "cpuset.cpus.effective", "cpuset.cpus.exclusive", "cpuset.cpus.partition"};
    static constexpr const char* v1_files[] = {"tasks",
                                               "cgroup.procs",
                                               "cpuset.mems",
                                               "cpuset.cpus",
                                               "cpuset.cpu_exclusive",
                                               "notify_on_release",
                                               "cpuset.effective_cpus",
                                               "cpuset.sched_load_balance"};

    static std::string effective_of(const std::string& cpus) { return cpus + ".effective"; }

    int move(const std::string& path, const std::string& file, const std::string& task) {
        if (!read(path)) {
            return ENOENT;
        }
        const int error = faulty_system::write(path, read(path).value_or("") + task + "\n");
        const std::string top =
            path.starts_with("/sys/fs/cgroup/cpuset") ? "/sys/fs/cgroup/cpuset" : "/sys/fs/cgroup";
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root() + top)) {
            const std::string other = entry.path().string().substr(root().size());
            if (error == 0 && other != path && entry.path().filename() == file) {
                std::string left;
                std::istringstream tasks(read(other).value_or(""));
                for (std::string one; tasks >> one;) {
                    left += one == task ? "" : one + "\n";
                }
                std::ofstream(root() + other) << left;
            }
        }
        return error;
    }
};

/// A machine with a task 50, whose mask is that of its status file.
class masked_system : public fake_system {
public:
    masked_system(const root_folder& root, const std::string& cpus)
        : fake_system(root.path())
        , root_(root) {
        root.file("/proc/50/task/50/stat", "50 (a) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 77 0\n");
        set_mask(cpus);
    }
    void set_mask(const std::string& cpus) {
        for (const char* folder : {"/proc/50", "/proc/50/task/50"}) {
            root_.file(std::string(folder) + "/status",
                       "Tgid:\t50\nCpus_allowed_list:\t" + cpus + "\n");
        }
    }
    void set_online(const std::string& cpus) {
        root_.file("/sys/devices/system/cpu/online", cpus + "\n");
    }
    std::string mask() {
        return regatta::detail::read_task_mask(*this, 50, 50)
            .value_or(regatta::cpu_set())
            .to_string();
    }
    int set_affinity(int thread, const regatta::cpu_set& cpus) override {
        if ((cpus & *regatta::detail::read_cpus(*this, "/sys/devices/system/cpu/online")).empty()) {
            return EINVAL;
        }
        if (thread == 50) {
            set_mask(cpus.to_string());
        }
        return 0;
    }

private:
    const root_folder& root_;
};

/// What every machine of these tests has: eight CPUs, this process, some interrupts.
inline void add_machine(const root_folder& root) {
    const std::string self = std::to_string(::getpid());
    root.file("/sys/devices/system/cpu/online", "0-7\n")
        .file("/sys/devices/system/cpu/isolated", "\n")
        .file("/sys/devices/virtual/workqueue/cpumask", "ff\n")
        .file("/proc/irq/default_smp_affinity", "ff\n")
        .file("/proc/irq/9/smp_affinity_list", "0-7\n")
        .file("/proc/irq/9/smp_affinity", "ff\n")
        .file("/proc/irq/10/smp_affinity_list", "3\n")
        .file("/proc/irq/11/smp_affinity_list", "0-1\n")
        .file("/proc/sys/kernel/random/boot_id", "the-boot\n")
        .link("/proc/" + self, "/proc/" + self);
}

/// Control groups of version 2, this process in /service.
inline void add_v2(const root_folder& root) {
    root.file("/proc/self/cgroup", "0::/service\n")
        .file("/proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory\n")
        .file("/sys/fs/cgroup/cgroup.subtree_control", "memory\n")
        .file("/sys/fs/cgroup/cgroup.procs", "1\n")
        .file("/sys/fs/cgroup/cgroup.threads", "1\n")
        .file("/sys/fs/cgroup/cpuset.cpus.effective", "0-7\n")
        .file("/sys/fs/cgroup/service/cgroup.type", "domain\n")
        .file("/sys/fs/cgroup/service/cgroup.subtree_control", "memory\n")
        .file("/sys/fs/cgroup/service/cgroup.procs", std::to_string(::getpid()) + "\n")
        .file("/sys/fs/cgroup/service/cgroup.threads", std::to_string(::getpid()) + "\n")
        .file("/sys/fs/cgroup/service/cpuset.cpus", "\n")
        .file("/sys/fs/cgroup/service/cpuset.cpus.effective", "0-7\n")
        .file("/sys/fs/cgroup/service/cpuset.cpus.exclusive", "\n")
        .file("/sys/fs/cgroup/service/cpuset.cpus.partition", "member\n");
}

/// Control groups of version 1, this process at the top, a container with CPUs 2-5 next to it.
inline void add_v1(const root_folder& root) {
    const std::string top = "/sys/fs/cgroup/cpuset";
    root.file("/proc/self/cgroup", "3:cpuset:/\n0::/\n")
        .file("/proc/self/mountinfo",
              "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n")
        .file(top + "/tasks", std::to_string(::getpid()) + "\n")
        .file(top + "/cpuset.cpus", "0-7\n")
        .file(top + "/cpuset.mems", "0\n")
        .file(top + "/cpuset.cpu_exclusive", "1\n")
        .file(top + "/container/tasks", "")
        .file(top + "/container/cpuset.cpus", "2-5\n")
        .file(top + "/container/cpuset.cpu_exclusive", "0\n")
        .file(top + "/container/inner/tasks", "")
        .file(top + "/container/inner/cpuset.cpus", "3-4\n");
}

/// Every file below the root with its content, the journal's lock and folder left out.
inline snapshot whole_root(const root_folder& root) {
    snapshot all;
    for (auto it = std::filesystem::recursive_directory_iterator(root.path());
         it != std::filesystem::recursive_directory_iterator(); ++it) {
        const std::string name = it->path().string().substr(root.path().size());
        if (it->is_symlink()) {
            it.disable_recursion_pending();
        } else if (it->is_regular_file() && name != "/run/regatta/lock") {
            all[name] = root.text(name);
        } else if (it->is_directory() && name != "/run/regatta") {
            all[name] = "a folder";
        }
    }
    return all;
}

/// A machine, and the options of leases on it.
class lease_test : public testing::Test {
protected:
    void SetUp() override { add_machine(root); }

    void use_v2() { add_v2(root); }
    /// A group of version 2 in that state as a partition, with these CPUs.
    void add_partition(const std::string& group, const std::string& state,
                       const std::string& cpus) {
        const std::string path = "/sys/fs/cgroup/" + group + "/cpuset.cpus";
        root.file(path + ".partition", state + "\n").file(path + ".effective", cpus + "\n");
    }
    void use_v1() {
        add_v1(root);
        options.move_others = true;
    }
    /// The error that a request gets; the test fails if it is granted.
    regatta::exclusive_error refusal(const regatta::cpu_set& cpus) {
        regatta::exclusive_error error;
        const auto lease = regatta::detail::try_acquire_on(host, cpus, options, error);
        EXPECT_FALSE(lease) << "got " << cpus.to_string();
        EXPECT_TRUE(error);
        return error;
    }
    regatta::exclusive_cpus take(const regatta::cpu_set& cpus) {
        regatta::exclusive_error error;
        auto lease = regatta::detail::try_acquire_on(host, cpus, options, error);
        EXPECT_TRUE(lease) << error.text;
        return lease ? std::move(*lease) : regatta::exclusive_cpus();
    }

    /// The leases on `host`, and their repair.
    std::vector<regatta::exclusive_lease> status() {
        std::vector<std::string> unread;
        return regatta::detail::leases_on(*host, unread);
    }
    regatta::stale_release repair() { return regatta::detail::release_stale_on(*host); }

    /// Leaves the lease of a process that was killed after `act`.
    void take_and_die(const std::function<void(regatta::exclusive_cpus&)>& act =
                          [](regatta::exclusive_cpus&) {}) {
        const pid_t owner = ::fork();
        if (owner == 0) {
            const std::string self = std::to_string(::getpid());
            root.link("/proc/" + self, "/proc/" + self);
            try {
                auto lease = regatta::detail::acquire_on(host, regatta::cpu_set{3}, options);
                act(lease);
                ::kill(::getpid(), SIGKILL);
            } catch (const std::exception& error) {
                ADD_FAILURE() << error.what();
            }
            ::kill(::getpid(), SIGKILL);
        }
        ::waitpid(owner, nullptr, 0);
        std::filesystem::remove(root.path() + "/proc/" + std::to_string(owner));
    }

    root_folder root;
    std::shared_ptr<fake_system> system = std::make_shared<fake_system>(root.path());
    /// Where leases are taken: `system`, unless a test says otherwise.
    std::shared_ptr<regatta::detail::exclusive_system> host = system;
    regatta::exclusive_options options = [] {
        regatta::exclusive_options made;
        made.title = "test";
        return made;
    }();
};

} // namespace exclusive_test
