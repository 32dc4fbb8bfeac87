// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/cpus/cpus_status_report.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

namespace regatta::race {
namespace {

std::string state_of(const exclusive_lease& lease) {
    const std::string process = "process " + std::to_string(lease.process);
    return lease.given_up ? "stale: " + process + " could not undo all of it"
           : lease.stale  ? "stale: " + process + " has died"
           : lease.taken  ? "held by " + process
                          : "being taken by " + process;
}

} // namespace

std::string cpus_status_text(const cpus_status& found, bool effects) {
    const std::vector<exclusive_lease>& leases = found.leases;
    if (leases.empty() && found.unread.empty()) {
        return "No CPUs are owned by anybody.\n";
    }
    std::string text;
    for (const std::string& sentence : found.unread) {
        text += detail::printable_text(sentence) + "\n";
    }
    bool stale = false;
    for (const exclusive_lease& lease : leases) {
        text += fmt::format("CPUs {:<10} {:<19} {}{}\n", lease.cpus.to_string(),
                            lease.taken ? to_string(lease.level) : "", state_of(lease),
                            lease.title.empty() ? "" : " (" + lease.title + ")");
        // Groups may be called anything.
        for (const std::string& effect : effects ? lease.effects : std::vector<std::string>()) {
            text += "    " + detail::printable_text(effect) + "\n";
        }
        stale = stale || lease.stale;
    }
    return text +
           (stale ? "`regatta cpus release --stale` undoes what dead owners left behind.\n" : "");
}

} // namespace regatta::race
