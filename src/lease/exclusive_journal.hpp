// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The leases of the machine on disk: a folder with one file a lease, from which what a lease did
/// can be undone when its owner has died.

#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include <regatta/base/detail/printable_text.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Where leases are written down unless somebody says otherwise.
inline constexpr const char* default_journal = "/run/regatta";

/// The process that holds a lease, told from later ones with the same number.
struct lease_owner {
    int process = 0;
    std::uint64_t start = 0;
    std::string boot{};      ///< Which start of the machine.
    std::string processes{}; ///< Which numbering of processes: a container has its own.

    bool operator==(const lease_owner&) const = default;
};

/// This process as the owner of a lease.
inline lease_owner this_owner(exclusive_system& system) {
    lease_owner owner;
    owner.process = system.this_process();
    const auto details = read_task_details(system, owner.process, owner.process);
    owner.start = details ? details->start : 0;
    const auto boot = system.read("/proc/sys/kernel/random/boot_id");
    owner.boot = boot ? trimmed(*boot) : "unknown";
    owner.processes = system.process_numbering();
    return owner;
}

/// What a lease's file says.
struct lease_record {
    std::string name{};  ///< Of the file: what the lease is called.
    std::string title{}; ///< What it is for.
    lease_owner owner{};
    cpu_set cpus{};
    exclusivity level = exclusivity::soft;
    bool taken = false;                  ///< Everything was done; before, the level says nothing.
    bool complete = false;               ///< The file has its head; nothing was done before.
    bool foreign = false;                ///< Written by another version, whose lines may differ.
    bool unread = false;                 ///< It could not be read: nothing else is known.
    bool given_up = false;               ///< The owner lives, but is through with it.
    std::vector<exclusive_step> steps{}; ///< What is to be undone, last first.
};

/// Whether the owner of a lease still lives. Of processes that are numbered elsewhere nothing is
/// known: they count as alive as long as there is anybody with such a number.
inline bool is_alive(exclusive_system& system, const lease_record& lease) {
    if (lease.foreign || lease.unread) {
        return true;
    }
    if (lease.given_up) {
        return false;
    }
    const lease_owner self = this_owner(system);
    if (lease.owner.boot != self.boot) {
        return false;
    }
    if (lease.owner.processes != self.processes) {
        return !is_numbering_gone(system, lease.owner.processes);
    }
    const auto details = read_task_details(system, lease.owner.process, lease.owner.process);
    return details && details->start == lease.owner.start && !details->is_dead;
}

/// Reads a lease's file. A line whose end is missing was never followed by an act and is ignored.
inline lease_record read_lease(exclusive_system& system, const std::string& folder,
                               const std::string& name) {
    lease_record lease;
    lease.name = name;
    const auto text = system.read(folder + "/" + name);
    lease.unread = !text && system.read_error(folder + "/" + name) != ENOENT;
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const auto fields = fields_of(rest.substr(0, end));
        rest.remove_prefix(end + 1);
        if (fields[0] == "lease 1" && fields.size() == 7) {
            cpu_list_error error;
            lease.owner.process = static_cast<int>(to_number(fields[1]).value_or(0));
            lease.owner.start = static_cast<std::uint64_t>(to_number(fields[2]).value_or(0));
            lease.owner.boot = fields[3];
            lease.owner.processes = fields[4];
            lease.cpus =
                cpu_set::try_parse(fields[5], cpu_set::max_width, error).value_or(cpu_set());
            lease.title = printable_text(fields[6]);
            lease.complete = true;
        } else if (fields[0].starts_with("lease ")) {
            lease.foreign = true;
        } else if (fields[0] == "undone") {
            lease.steps.clear();
        } else if (fields[0] == "taken" && fields.size() == 2) {
            lease.level = static_cast<exclusivity>(to_number(fields[1]).value_or(0));
            lease.taken = true;
        } else if (fields[0] == "not done" && !lease.steps.empty()) {
            lease.steps.pop_back();
        } else if (fields[0] == "given up") {
            lease.given_up = true;
        } else if (auto step = step_from_fields(fields)) {
            lease.steps.push_back(std::move(*step));
        }
    }
    // Tasks that entered later were noted later; masks are restored after everything else.
    std::stable_partition(lease.steps.begin(), lease.steps.end(), [](const exclusive_step& step) {
        return step.kind == step_kind::save_masks;
    });
    return lease;
}

/// Every lease in the folder.
inline std::vector<lease_record> read_leases(exclusive_system& system, const std::string& folder) {
    std::vector<lease_record> leases;
    for (const std::string& name : system.list(folder)) {
        if (name.starts_with("lease.")) {
            leases.push_back(read_lease(system, folder, name));
        }
    }
    return leases;
}

/// What of the journal this process may not read, in words; leases may be missing then.
inline std::vector<std::string> unread_leases(exclusive_system& system, const std::string& folder,
                                              const std::vector<lease_record>& leases) {
    std::vector<std::string> sentences;
    const int error = system.read_error(folder);
    if (error != 0 && error != ENOENT) {
        sentences.push_back("The journal " + folder + " cannot be read, so that leases of CPUs " +
                            "are not known: " + std::generic_category().message(error) + ".");
    }
    for (const lease_record& lease : leases) {
        if (lease.unread) {
            sentences.push_back("The lease " + folder + "/" + lease.name +
                                " cannot be read, and whose CPUs which are is not known.");
        }
    }
    return sentences;
}

/// Whether a group was made by one of some leases.
inline bool is_made_by(const std::vector<lease_record>& leases, const std::string& group) {
    return std::any_of(leases.begin(), leases.end(), [&](const lease_record& lease) {
        return std::any_of(lease.steps.begin(), lease.steps.end(), [&](const exclusive_step& step) {
            return step.kind == step_kind::make_group && step.path == group;
        });
    });
}

/// The steps of every lease in the folder but one.
inline std::vector<exclusive_step>
steps_of_others(exclusive_system& system, const std::string& folder, const std::string& own) {
    std::vector<exclusive_step> steps;
    for (lease_record& lease : read_leases(system, folder)) {
        if (lease.name != own) {
            std::move(lease.steps.begin(), lease.steps.end(), std::back_inserter(steps));
        }
    }
    return steps;
}

/// Keeps everybody else from taking and giving back CPUs meanwhile. Released at the end, and by the
/// kernel when the process dies.
class lease_lock {
public:
    explicit lease_lock(exclusive_system& system) : system_(system) {}
    lease_lock(const lease_lock&) = delete;
    lease_lock& operator=(const lease_lock&) = delete;
    ~lease_lock() {
        if (file_ >= 0) {
            system_.unlock(file_);
        }
    }

    /// Creates the folder if need be and takes the lock. Blocks: up to ten seconds.
    step_error take(const std::string& folder) {
        if (const int error = system_.make_directory(folder); error != 0 && error != EEXIST) {
            return {error, "could not create the journal " + folder + ": " +
                               std::generic_category().message(error)};
        }
        if (!system_.is_trusted(folder)) {
            return {EPERM, "the journal " + folder +
                               " could have been written by other users; it must belong to root "
                               "or this user, and nobody else may write there"};
        }
        file_ = system_.lock(folder + "/lock");
        if (file_ < 0) {
            return {-file_, "could not lock the journal " + folder + ": " +
                                (file_ == -EWOULDBLOCK ? "another program holds it"
                                                       : std::generic_category().message(-file_))};
        }
        return {};
    }

private:
    exclusive_system& system_;
    int file_ = -1;
};

/// The file of one's own lease.
class lease_journal {
public:
    lease_journal() = default;
    lease_journal(exclusive_system& system, std::string folder)
        : system_(&system)
        , folder_(std::move(folder)) {}

    bool is_open() const noexcept { return !name_.empty(); }
    const std::string& name() const noexcept { return name_; }
    const std::string& folder() const noexcept { return folder_; }

    /// Begins the file. Under the lock. @returns the error number.
    /// @param is_used whether a lease of another journal has the name already.
    template<class IsUsed>
    int begin(const cpu_set& cpus, const std::string& title, IsUsed is_used) {
        const lease_owner owner = this_owner(*system_);
        const std::vector<std::string> taken = system_->list(folder_);
        const std::string stem = "lease." + std::to_string(owner.process) + ".";
        for (int number = 1; name_.empty(); ++number) {
            const std::string name = stem + std::to_string(number);
            if (!std::binary_search(taken.begin(), taken.end(), name) && !is_used(name)) {
                name_ = name;
            }
        }
        const int error =
            line({"lease 1", std::to_string(owner.process), std::to_string(owner.start), owner.boot,
                  owner.processes, cpus.to_string(), title});
        if (error != 0) {
            end();
        }
        return error;
    }
    /// What is to be undone one day; to be called before it is done.
    int step(const exclusive_step& done) { return is_open() ? put(step_to_line(done)) : EBADF; }
    /// The last step was not done after all.
    int not_done() { return line({"not done"}); }
    /// Everything that was done so far is undone.
    int undone() { return line({"undone"}); }
    /// Everything is done.
    int taken(exclusivity level) {
        return line({"taken", std::to_string(static_cast<int>(level))});
    }
    /// Whoever comes next may undo what is left, though this process lives. Needs no lock.
    int give_up() { return line({"given up"}); }
    /// Nothing is left to be undone.
    void end() {
        if (is_open()) {
            system_->remove_file(path());
            name_.clear();
        }
    }

private:
    std::string path() const { return folder_ + "/" + name_; }
    int line(const std::vector<std::string>& fields) { return put(join_fields(fields)); }
    int put(const std::string& text) {
        // A line that was cut off must not take the next one with it.
        const int error = system_->append(path(), (torn_ ? "\n" : "") + text + "\n");
        torn_ = error != 0;
        return error;
    }

    exclusive_system* system_ = nullptr;
    std::string folder_;
    std::string name_;  ///< Empty: there is no file.
    bool torn_ = false; ///< The last line may lack its end.
};

} // namespace regatta::detail
