// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_acquire.hpp"

#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_request.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/lease_record.hpp"
#include "lease/lease_state.hpp"
#include "lease/stale_leases.hpp"
#include "lease/step_rules.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/cpu/topology_parts.hpp>
#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// The sentence that explains a level to the user.
std::string meaning_of(exclusivity level) {
    switch (level) {
    case exclusivity::soft:
        return "No task is kept out: every other task may run there, too.";
    case exclusivity::swept:
        return "Other tasks were moved off once; a task that sets its own affinity can return.";
    case exclusivity::shielded:
        return "Every task that can be moved is kept out; kernel threads may run there.";
    case exclusivity::root_partition:
        return "No other group gets these CPUs; the scheduler balances the load over them.";
    case exclusivity::isolated_partition:
    case exclusivity::isolated_at_boot:
        return "The scheduler leaves each thread there on its CPU.";
    }
    return {};
}

/// Takes CPUs, stage by stage, under the journal's lock.
class acquisition {
public:
    acquisition(std::shared_ptr<exclusive_system> system, exclusive_options options)
        : lease_(std::make_unique<lease_state>())
        , system_(*system)
        , lock_(system_) {
        lease_->system = std::move(system);
        lease_->options = std::move(options);
        lease_->owner = system_.this_process();
    }

    std::unique_ptr<lease_state> run(const cpu_set* cpus, unsigned count, exclusive_error& error) {
        try {
            return take(cpus, count, error);
        } catch (...) { // There is no memory.
            if (lease_ && lease_->journal.is_open()) {
                undo_or_give_up(*lease_, lock_.is_held());
            }
            throw;
        }
    }

private:
    std::unique_ptr<lease_state> take(const cpu_set* cpus, unsigned count, exclusive_error& error) {
        error = check_proc(system_);
        if (error) {
            return nullptr;
        }
        open_journal();
        error = choose(cpus, count);
        if (error) {
            return nullptr;
        }
        begin_journal();
        const plan_request request{
            system_,
            machine_,
            lease_->cpus,
            lease_->options,
            group_name(lease_->journal.is_open() ? lease_->journal.name() : "lease.none"),
            has_foreign_shield(system_, machine_, leases_),
            lease_->rest};
        error = take_the_best(request);
        if (error) {
            return nullptr;
        }
        quieten(request);
        finish();
        return std::move(lease_);
    }

    /// Locks the journal, undoes stale leases and reads the others. Without a journal no step may
    /// be taken that outlives this process.
    void open_journal() {
        no_journal_ = lock_.take();
        if (!no_journal_) {
            stale_release stale = release_stale_locked(system_);
            for (const exclusive_lease& one : stale.released) {
                tell("Process " + std::to_string(one.process) + " left its lease of CPUs " +
                     one.cpus.to_string() + " behind; it was undone first.");
            }
            for (const std::string& problem : stale.problems) {
                tell("Part of a stale lease could not be undone: " + problem + ".");
            }
            left_behind_ = std::move(stale.problems);
        }
        if (system_.is_trusted(system_.journal())) { // Other leases count even without a journal.
            leases_ = read_leases(system_);
            for (std::string& unread : unread_leases(system_, leases_)) {
                tell(std::move(unread));
            }
        }
    }

    /// Chooses the CPUs and checks that they can be leased.
    exclusive_error choose(const cpu_set* cpus, unsigned count) {
        machine_ = read_machine(system_);
        if (exclusive_error unknown = check_online(system_, machine_)) {
            return unknown;
        }
        const free_cpus state = find_free_cpus(system_, machine_, leases_, lease_->options);
        layout_ = topology::read(system_.root());
        exclusive_error error;
        if (cpus != nullptr) {
            lease_->cpus = *cpus;
        } else {
            error = choose_cpus(count, machine_, state, layout_, lease_->cpus);
        }
        if (!error) {
            error = check_request(lease_->cpus, machine_, state);
        }
        for (const std::string& problem : error ? left_behind_ : std::vector<std::string>()) {
            error.text += "; part of a stale lease could not be undone: " + problem;
        }
        lease_->rest = cpus_for_others(lease_->cpus, machine_, state);
        return error;
    }

    void begin_journal() {
        if (no_journal_) {
            return;
        }
        lease_->journal = lease_journal(system_);
        const auto is_used = [&](const std::string& name) {
            return has_group(system_, machine_, group_name(name));
        };
        if (const int number =
                lease_->journal.begin(lease_->cpus, lease_->options.title, is_used)) {
            no_journal_ = act_failed(number, "write the journal " + system_.journal());
        }
    }

    /// Tries one plan; its notes become sentences of the lease.
    step_error attempt(const exclusive_plan& plan) {
        if (!plan.impossible.empty()) {
            return {ENOTSUP, plan.impossible};
        }
        if (no_journal_ && !plan.steps.empty()) {
            return no_journal_;
        }
        std::vector<std::string> notes;
        step_error failed = apply_plan(*lease_, plan, notes);
        if (!failed) {
            for (std::string& note : notes) {
                tell(std::move(note));
            }
        }
        return failed;
    }

    /// Tries the plans, the best first, until one works.
    exclusive_error take_the_best(const plan_request& request) {
        exclusive_error error{ENOTSUP, false, {}};
        for (exclusive_plan& plan : make_plans(request)) {
            if (plan.level < lease_->options.at_least) {
                continue;
            }
            const step_error failed = attempt(plan);
            if (!failed) {
                lease_->plan = std::move(plan);
                return {};
            }
            if (error.number == ENOTSUP) { // That of the best way that failed.
                error.number = failed.number;
            }
            const std::string reason =
                std::string(to_string(plan.level)) + " is not available: " + failed.text;
            tell(reason + ".");
            error.text += (error.text.empty() ? "" : "; ") + reason;
            if (!lease_->done.empty()) {
                break; // An undo failed: further attempts could make it worse.
            }
        }
        give_up(error);
        return error;
    }

    /// Ends the journal of a failed lease and completes the text of the error.
    void give_up(exclusive_error& error) {
        if (!lease_->done.empty() || lease_->journal.end() != 0) {
            lease_->journal.give_up();
        }
        const exclusive_options& wanted = lease_->options;
        error.text = "CPUs '" + lease_->cpus.to_string() + "' are not available as '" +
                     std::string(to_string(wanted.at_least)) + "' or better: " + error.text +
                     (wanted.at_least > exclusivity::swept && !wanted.move_others
                          ? "; to get CPUs all the same, allow a weaker level (at_least), and "
                            "other programs' tasks to be moved (move_others)"
                          : "; to get CPUs all the same, allow a weaker level (at_least)");
    }

    /// Interrupts and workqueues: each step is optional, so only the journal can fail.
    void quieten(const plan_request& request) {
        exclusive_plan quiet = lease_->plan;
        quiet.steps = quiet_steps(request, quiet.level);
        step_error failed;
        if (no_journal_ && !quiet.steps.empty()) {
            failed = no_journal_;
        } else {
            failed = apply_plan(*lease_, quiet, lease_->sentences);
        }
        if (failed) {
            tell("Interrupts stay where they are: " + failed.text + ".");
        }
    }

    void finish() {
        if (lease_->journal.is_open()) {
            if (const int error = lease_->journal.taken(lease_->plan.level)) {
                tell("Other programs see this lease as one that is being taken: " +
                     act_failed(error, "write the journal " + system_.journal()).text + ".");
            }
        } else {
            tell("Other programs cannot see this lease: " + no_journal_.text + ".");
        }
        explain();
    }

    /// Adds the sentences for the user; level and meaning come first.
    void explain() {
        std::vector<std::string>& sentences = lease_->sentences;
        const exclusivity level = lease_->plan.level;
        // In this case only yielding processes were moved.
        const bool aside = level == exclusivity::shielded && !lease_->options.move_others;
        sentences.insert(
            sentences.begin(),
            {"CPUs " + lease_->cpus.to_string() + ": " + std::string(to_string(level)) + " (" +
                 lease_->plan.way + ").",
             aside ? "This program's yielding processes are kept out. All other tasks stay, "
                     "because moving other programs' tasks was not allowed."
                   : meaning_of(level)});
        const bool moves = level == exclusivity::shielded && !aside;
        if ((moves || level == exclusivity::swept) && !system_.sees_all_processes()) {
            tell("Processes that /proc does not show, for example those outside this container, "
                 "stay where they are.");
        }
        for (const cpu_core& core : layout_.split_cores(lease_->cpus)) {
            tell("CPUs " + (core.cpus & lease_->cpus).to_string() + " share a core with CPUs " +
                 (core.cpus - lease_->cpus).to_string() +
                 ", which other tasks use and which slow them down.");
        }
    }

    void tell(std::string sentence) { lease_->sentences.push_back(std::move(sentence)); }

    std::unique_ptr<lease_state> lease_;
    exclusive_system& system_;
    lease_lock lock_; ///< Destroyed before `lease_`, which owns the system.
    step_error no_journal_;
    std::vector<std::string> left_behind_; ///< Steps of stale leases that could not be undone.
    std::vector<lease_record> leases_;     ///< Of all processes.
    exclusive_machine machine_;
    topology layout_;
};

} // namespace

std::unique_ptr<lease_state> acquire_lease(std::shared_ptr<exclusive_system> system,
                                           const cpu_set* cpus, unsigned count,
                                           exclusive_options options, exclusive_error& error) {
    return acquisition(std::move(system), std::move(options)).run(cpus, count, error);
}

} // namespace regatta::detail
