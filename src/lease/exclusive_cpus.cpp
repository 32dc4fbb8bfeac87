// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/lease/exclusive_cpus.hpp>

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_entry.hpp"
#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include "lease/lease_access.hpp"
#include "lease/lease_state.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta {
namespace {

/// A lease that several holders share.
class leased_cpus final : public cpu_holder {
public:
    explicit leased_cpus(exclusive_cpus&& lease) noexcept : lease_(std::move(lease)) {}
    int try_enter() noexcept override { return lease_.try_enter(); }
    int try_enter_worker(std::int32_t thread) noexcept override {
        return balances_load(lease_.level()) ? 0 : lease_.try_enter(thread);
    }
    unsigned count() const noexcept override { return lease_.cpus().count(); }

private:
    exclusive_cpus lease_;
};

/// Fails for a lease that owns nothing.
detail::lease_state& existing(detail::lease_state* state) {
    if (state == nullptr) {
        fail_state("this lease owns no CPUs; threads can enter or leave only one that does");
    }
    return *state;
}

void put_in(detail::lease_state& lease, int thread, bool alone) {
    const std::scoped_lock lock(lease.mutex);
    if (const auto error = detail::put_thread_in(lease, thread, alone)) {
        fail_system(error.number, error.text);
    }
}

std::shared_ptr<detail::exclusive_system> this_machine() {
    return std::make_shared<detail::exclusive_system>();
}

/// Gives the CPUs of a lease back; reports on stderr what could not be undone.
void release_or_tell(exclusive_cpus& lease) noexcept {
    std::string problem;
    if (lease && !lease.try_release(problem)) {
        std::fprintf(stderr, "regatta: give back CPUs: %s\n", problem.c_str());
    }
}

} // namespace

exclusive_cpus::exclusive_cpus() noexcept = default;

exclusive_cpus::exclusive_cpus(std::unique_ptr<detail::lease_state> state) noexcept
    : state_(std::move(state)) {}

exclusive_cpus::exclusive_cpus(exclusive_cpus&& other) noexcept = default;

exclusive_cpus& exclusive_cpus::operator=(exclusive_cpus&& other) noexcept {
    if (this != &other) {
        release_or_tell(*this);
        state_ = std::move(other.state_);
    }
    return *this;
}

exclusive_cpus::~exclusive_cpus() {
    release_or_tell(*this);
}

exclusive_cpus exclusive_cpus::acquire(const cpu_set& cpus, exclusive_options options) {
    return detail::acquire_on(this_machine(), cpus, std::move(options));
}

exclusive_cpus exclusive_cpus::acquire(unsigned count, exclusive_options options) {
    return detail::acquire_on(this_machine(), count, std::move(options));
}

std::optional<exclusive_cpus> exclusive_cpus::try_acquire(const cpu_set& cpus,
                                                          exclusive_options options,
                                                          exclusive_error& error) {
    return detail::try_acquire_on(this_machine(), cpus, std::move(options), error);
}

std::optional<exclusive_cpus> exclusive_cpus::try_acquire(unsigned count, exclusive_options options,
                                                          exclusive_error& error) {
    return detail::try_acquire_on(this_machine(), count, std::move(options), error);
}

detail::lease_state* exclusive_cpus::owned() const noexcept {
    const bool own =
        state_ && state_->owner == state_->system->this_process() && !state_->stamp.elsewhere();
    return own ? state_.get() : nullptr;
}

exclusive_cpus::operator bool() const noexcept {
    return owned() != nullptr;
}

const cpu_set& exclusive_cpus::cpus() const noexcept {
    static const cpu_set none;
    const auto* const lease = owned();
    return lease != nullptr ? lease->cpus : none;
}

exclusivity exclusive_cpus::level() const noexcept {
    const auto* const lease = owned();
    return lease != nullptr ? lease->plan.level : exclusivity::soft;
}

std::vector<std::string> exclusive_cpus::explain() const {
    const auto* const lease = owned();
    return lease != nullptr ? lease->sentences
                            : std::vector<std::string>{"This lease owns no CPUs."};
}

exclusive_cpus::operator shared_cpus() && {
    return *this ? shared_cpus(std::make_shared<leased_cpus>(std::move(*this))) : shared_cpus();
}

void exclusive_cpus::enter() {
    enter(existing(owned()).system->this_thread());
}

void exclusive_cpus::enter(int thread) {
    put_in(existing(owned()), thread, !balances_load(level()));
}

int exclusive_cpus::try_enter() noexcept {
    auto* const lease = owned();
    return lease != nullptr ? try_enter(lease->system->this_thread()) : EINVAL;
}

int exclusive_cpus::try_enter(int thread) noexcept {
    auto* const lease = owned();
    if (lease == nullptr) {
        return EINVAL;
    }
    try {
        const std::scoped_lock lock(lease->mutex);
        return detail::put_thread_in(*lease, thread, !balances_load(level())).number;
    } catch (const std::exception&) {
        return ENOMEM;
    }
}

void exclusive_cpus::enter_process(int process) {
    detail::lease_state& lease = existing(owned());
    if (lease.plan.member == "cgroup.procs") {
        put_in(lease, process, false);
        return;
    }
    // A thread inherits the group and the CPUs of its creator, but one may have been created by a
    // thread that had not entered yet. The loop ends with a scan that finds no such thread.
    const std::string folder = "/proc/" + std::to_string(process) + "/task";
    const auto has_ended = [&](int thread) {
        const auto details = detail::read_task_details(*lease.system, process, thread);
        return !details || details->has_ended;
    };
    // That need not come in a process that starts and ends threads all the time.
    bool any_in = false;
    std::vector<std::string> entered;
    for (int pass = 0; !any_in || pass < 100; ++pass) {
        const std::vector<std::string> found = lease.system->list(folder); // Sorted.
        if (found.empty()) {
            const int error = lease.system->read_error(folder);
            // Otherwise its threads cannot be listed, say for want of memory, or of a /proc.
            const bool gone = error == ENOENT && !lease.system->list("/proc").empty();
            fail_system(gone                            ? ESRCH
                        : error == 0 || error == ENOENT ? EIO
                                                        : error,
                        "find the process " + std::to_string(process));
        }
        bool any_new = false;
        for (const std::string& name : found) {
            const auto thread = detail::to_number(name);
            if (!thread || std::binary_search(entered.begin(), entered.end(), name)) {
                continue;
            }
            const auto inherited =
                detail::read_task_mask(*lease.system, process, static_cast<int>(*thread));
            any_new = any_new || !inherited || !lease.cpus.contains(*inherited);
            try {
                put_in(lease, static_cast<int>(*thread), false);
                any_in = true;
            } catch (const std::system_error&) {
                if (!has_ended(static_cast<int>(*thread))) {
                    throw;
                }
            }
        }
        if (!any_new && any_in) {
            return;
        }
        if (!any_new) {
            fail_system(ESRCH, "find a thread of the process " + std::to_string(process));
        }
        entered = found;
    }
}

void exclusive_cpus::leave() {
    leave(existing(owned()).system->this_thread());
}

void exclusive_cpus::leave(int thread) {
    detail::lease_state& lease = existing(owned());
    const std::scoped_lock lock(lease.mutex);
    const auto found = lease.entered.find(thread);
    if (found != lease.entered.end()) {
        detail::lease_lock moves(*lease.system);
        if (!lease.plan.group.empty()) {
            moves.take_to_move();
        }
        detail::put_thread_out(lease, found->second);
        lease.entered.erase(found);
    }
}

std::optional<std::string> exclusive_cpus::check() const {
    const auto* const lease = owned();
    std::string breach = lease != nullptr
                             ? detail::find_breach(*lease->system, lease->plan, lease->cpus)
                             : std::string("this lease owns no CPUs");
    return breach.empty() ? std::nullopt : std::optional(std::move(breach));
}

std::optional<std::string> exclusive_cpus::renew() {
    const bool isolated = level() == exclusivity::isolated_partition;
    const bool partition = *this && (isolated || level() == exclusivity::root_partition);
    const auto online = partition ? detail::online_cpus(*state_->system) : std::nullopt;
    // CPUs that are offline are no fault of the partition, which keeps the others.
    if (partition && (!online || online->contains(cpus())) && check()) {
        detail::lease_lock lock(*state_->system);
        if (!lock.take()) {
            const std::string file = state_->plan.group + "/cpuset.cpus.partition";
            state_->system->write(file, "member\n");
            state_->system->write(file, isolated ? "isolated\n" : "root\n");
        }
    }
    return check();
}

void exclusive_cpus::release() {
    std::string problem;
    if (!try_release(problem)) {
        fail_system(EBUSY, "give back CPUs: " + problem);
    }
}

bool exclusive_cpus::try_release(std::string& problem) {
    const bool owns = owned() != nullptr;
    const auto state = std::move(state_);
    if (!owns) {
        return true;
    }
    const bool has_journal = state->journal.is_open();
    detail::lease_lock lock(*state->system);
    try {
        const auto unlocked = has_journal ? lock.take() : detail::step_error();
        for (const auto& [thread, before] : state->entered) {
            detail::put_thread_out(*state, before);
        }
        if (!has_journal) {
            return true;
        }
        if (unlocked) {
            problem = unlocked.text;
        } else {
            for (const std::string& one : detail::end_lease(*state)) {
                problem += (problem.empty() ? "" : "; ") + one;
            }
        }
        if (problem.empty()) {
            return true;
        }
        // Without this, no process would touch the rest while this process lives.
        const int error = state->journal.give_up();
        problem += error == 0 ? "; `regatta cpus release --stale` or the next lease undoes the rest"
                              : "; the rest is undone once this process has ended";
        return false;
    } catch (const std::exception&) {
        problem.assign("no memory"); // So short that it takes none.
        return detail::undo_or_give_up(*state, lock.is_held());
    }
}

} // namespace regatta
