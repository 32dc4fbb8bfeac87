// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advise_topics.hpp"
#include "sampling/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace regatta::race {
namespace {

enum class worker_kind { neither, thread, process };

/// What the workers of a scheme are. Python's are another matter: its threads share one lock.
worker_kind kind_of(const scheme_evidence& one, bool python) {
    constexpr std::array<std::string_view, 2> processes{"processes", "zmq_ipc"};
    const std::string_view scheme = one.scheme;
    const bool usable = one.ok && !one.program && one.time && one.vs_baseline &&
                        one.vs_baseline->count >= pairs_for_a_verdict;
    if (!usable || scheme.starts_with("python_") != python) {
        return worker_kind::neither;
    }
    if (python) {
        return scheme.starts_with("python_threads")   ? worker_kind::thread
               : scheme.starts_with("python_process") ? worker_kind::process
               : scheme.starts_with("python_pool")    ? worker_kind::process
                                                      : worker_kind::neither;
    }
    if (std::ranges::find(processes, scheme) != processes.end()) {
        return worker_kind::process;
    }
    return scheme == "serial" || one.share("unlogged") >= 0.5 ? worker_kind::neither
                                                              : worker_kind::thread;
}

const scheme_evidence* fastest(const race_evidence& race, worker_kind kind, bool python) {
    const scheme_evidence* best = nullptr;
    for (const scheme_evidence& one : race.schemes) {
        if (kind_of(one, python) == kind &&
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
    if (one.ratio > 1 + floor) {
        return "threads";
    }
    return one.ratio < 1 / (1 + floor) ? "processes" : "either";
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
    return fmt::format("{}{} cost nothing here, so take them where a crash must stay alone: {}.",
                       in, in.empty() ? "Processes" : "processes", figures);
}

/// @returns whether there was something to compare.
bool compare(const advising& with, const race_evidence& race, bool python) {
    const scheme_evidence* threads = fastest(race, worker_kind::thread, python);
    const scheme_evidence* processes = fastest(race, worker_kind::process, python);
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
    std::string text = sentence_of(with, found, kind, floor, python ? "Python" : "");
    const figure* set_up = processes->part("set_up");
    if (set_up != nullptr && kind == "threads" && processes->share("set_up") >= 0.01) {
        text.pop_back();
        text += fmt::format("; before its first item {} of its workers' time is gone.",
                            percent_text(processes->share("set_up")));
        found.figures.push_back({processes->name + " set-up", *set_up});
    }
    with.say(topic::processes, std::move(text), std::move(found.figures));
    if (!python) {
        with.to.kind = kind;
    }
    return true;
}

} // namespace

void advise_on_processes(const advising& with) {
    if (with.all.race) {
        const bool native = compare(with, *with.all.race, false);
        const bool python = compare(with, *with.all.race, true);
        if (native || python) {
            return;
        }
    }
    with.leave_open(
        topic::processes, fmt::format("Processes or threads: {}.", with.nothing_is_said()),
        with.command("race", {"--schemes", "serial,std_thread,processes", "--json", "race.json"}));
}

} // namespace regatta::race
