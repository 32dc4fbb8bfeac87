// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/isolation/isolation_csv.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

std::string to_csv(const isolation_result& result) {
    std::string out = "round,mode,ns,cpu_ns,cpu_share,displaced_ns,involuntary_switches,"
                      "voluntary_switches,run_delay_ns,migrations,noise_cpu_ns,others_ns,"
                      "stolen_ns,contaminated,user_ns,system_ns\n";
    const auto where_known = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.0f}", *value) : std::string();
    };
    const auto line = [&](const mode_result& mode, std::size_t i) {
        const sample& one = mode.measured.samples[i];
        const team_figures& run = mode.runs[i];
        out += fmt::format(
            "{},{},{:.0f},{:.0f},{:.6f},{:.0f},{:.0f},{:.0f},{},{},{:.0f},{},{},{},{:.0f},{:.0f}\n",
            one.round, to_string(mode.mode), one.ns, run.cpu_ns, run.cpu_share(),
            run.displaced_ns(), run.involuntary_switches, run.voluntary_switches,
            where_known(run.run_delay_ns), where_known(run.migrations), run.noise_cpu_ns,
            one.load.others_ns, one.load.stolen_ns, one.load.contaminated, run.user_ns,
            run.system_ns);
    };
    // Each mode has at most one sample a round, in the order of the rounds.
    std::vector<std::size_t> next(result.modes.size());
    for (unsigned round = 0; round <= result.rounds; ++round) { // one may have been cut short
        for (std::size_t m = 0; m < result.modes.size(); ++m) {
            const std::vector<sample>& samples = result.modes[m].measured.samples;
            if (next[m] < samples.size() && samples[next[m]].round == round) {
                line(result.modes[m], next[m]++);
            }
        }
    }
    return out;
}

} // namespace regatta::race
