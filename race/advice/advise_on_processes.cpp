// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advise_topics.hpp"
#include "sampling/verdict.hpp"
#include "scaling/scale.hpp"
#include "schemes/scheme.hpp"

#include <fmt/core.h>

#include <string_view>

namespace regatta::race {
namespace {

/// Whether a scheme is in that language, with workers of that kind whose time tells something.
/// Python's are another matter than ours: its threads share one lock.
bool is_of(const scheme_evidence& one, language in, worker_kind kind) {
    const bool usable = one.ok && !one.program && one.time && one.vs_baseline &&
                        one.vs_baseline->count >= pairs_for_a_verdict;
    const scheme_traits traits = traits_of(one.scheme);
    const bool of_library = traits.language == language::cpp && one.share("unlogged") >= 0.5;
    return usable && !of_library && traits.language == in && traits.workers == kind;
}

const scheme_evidence* fastest(const race_evidence& race, language in, worker_kind kind) {
    const scheme_evidence* best = nullptr;
    for (const scheme_evidence& one : race.schemes) {
        if (is_of(one, in, kind) &&
            (best == nullptr || one.vs_baseline->median.value < best->vs_baseline->median.value)) {
            best = &one;
        }
    }
    return best;
}

struct comparison {
    const scheme_evidence* threads;
    const scheme_evidence* processes;
    double ratio; ///< Time of the processes over that of the threads.
    std::vector<cited_figure> figures;
};

std::string kind_text(const comparison& one, double floor) {
    const figure_interval& threads = *one.threads->vs_baseline;
    const figure_interval& processes = *one.processes->vs_baseline;
    if (is_below(threads, processes, floor)) {
        return "threads";
    }
    return is_below(processes, threads, floor) ? "processes" : "either";
}

std::string sentence_of(const advising& with, const comparison& one, const std::string& kind,
                        double floor, std::string_view language) {
    const std::string figures = fmt::format(
        "{} takes {} times as long as {} ({} against {}, noise floor {})", one.processes->name,
        ratio_text(one.ratio), one.threads->name,
        duration_text(one.processes->time->median.value, with.style),
        duration_text(one.threads->time->median.value, with.style), percent_text(floor));
    const std::string in = language.empty() ? std::string() : fmt::format("In {}: ", language);
    if (kind == "threads") {
        return fmt::format("{}{} unless a crash must stay alone: {}.", in,
                           in.empty() ? "Threads," : "threads,", figures);
    }
    if (kind == "processes") {
        return fmt::format("{}{}: {}.", in, in.empty() ? "Processes" : "processes", figures);
    }
    return fmt::format("{}{} are not shown to cost or to gain time here, so take them where a "
                       "crash must stay alone: {}.",
                       in, in.empty() ? "Processes" : "processes", figures);
}

/// @returns whether there was something to compare.
bool compare(const advising& with, const race_evidence& race, language in) {
    const scheme_evidence* threads = fastest(race, in, worker_kind::threads);
    const scheme_evidence* processes = fastest(race, in, worker_kind::processes);
    if (threads == nullptr || processes == nullptr || !race.noise_floor) {
        return false;
    }
    comparison found{threads,
                     processes,
                     processes->vs_baseline->median.value / threads->vs_baseline->median.value,
                     {{processes->name + " ratio", processes->vs_baseline->median},
                      {threads->name + " ratio", threads->vs_baseline->median},
                      {"noise floor", *race.noise_floor}}};
    const double floor = race.noise_floor->value;
    const std::string kind = kind_text(found, floor);
    std::string text =
        sentence_of(with, found, kind, floor, in == language::python ? "Python" : "");
    const figure* set_up = processes->part("set_up");
    if (set_up != nullptr && kind == "threads" && processes->share("set_up") >= 0.01) {
        text.pop_back();
        text += fmt::format("; before its first item {} of its workers' time is gone.",
                            percent_text(processes->share("set_up")));
        found.figures.push_back({processes->name + " set-up", *set_up});
    }
    with.say(topic::processes, std::move(text), std::move(found.figures));
    if (in == language::cpp) {
        with.to.kind = kind;
    }
    return true;
}

} // namespace

void advise_on_processes(const advising& with) {
    if (with.all.race) {
        const bool native = compare(with, *with.all.race, language::cpp);
        const bool python = compare(with, *with.all.race, language::python);
        if (native || python) {
            return;
        }
    }
    const workload_info* const workload = find_workload(with.to.workload.name);
    if (workload != nullptr && !usual_scheme(*workload).traits.usual_baseline) {
        return; // It forks, or its items hand over others: no scheme with processes runs it.
    }
    with.leave_open(
        topic::processes, fmt::format("Processes or threads: {}.", with.nothing_is_said()),
        with.command("race", {"--schemes", "serial,std_thread,processes", "--json", "race.json"}));
}

} // namespace regatta::race
