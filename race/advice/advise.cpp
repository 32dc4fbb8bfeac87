// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advice.hpp"
#include "advice/advise_topics.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"
#include "text/command_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace regatta::race {

std::string_view to_string(topic about) noexcept {
    switch (about) {
    case topic::trust:
        return "trust";
    case topic::scheme:
        return "scheme";
    case topic::workers:
        return "workers";
    case topic::limit:
        return "limit";
    case topic::processes:
        return "processes";
    case topic::pinning:
        break;
    }
    return "pinning";
}

std::string_view to_string(limit_kind kind) noexcept {
    switch (kind) {
    case limit_kind::unknown:
        return "unknown";
    case limit_kind::none:
        return "none";
    case limit_kind::serial_part:
        return "serial_part";
    case limit_kind::contention:
        return "contention";
    case limit_kind::items:
        return "items";
    case limit_kind::memory:
        return "memory";
    case limit_kind::core:
        return "core";
    case limit_kind::clock:
        return "clock";
    case limit_kind::waiting:
        break;
    }
    return "waiting";
}

namespace {

/// What was measured now is no file and has no name of its own: "the race" begins a sentence.
std::string with_capital(std::string text) {
    if (text.starts_with("the ")) {
        text.front() = 'T';
    }
    return text;
}

} // namespace

void advising::say(topic about, std::string text, std::vector<cited_figure> figures) const {
    to.sentences.push_back({about, with_capital(std::move(text)), std::move(figures)});
}

void advising::leave_open(topic about, std::string text, std::string measure) const {
    to.open.push_back({about, with_capital(std::move(text)), std::move(measure)});
}

std::string advising::range(const figure_interval& interval) const {
    return factor_text(interval.low) + (style.unicode ? "…" : "..") + factor_text(interval.high);
}

std::string advising::nothing_is_said() const {
    return all.count() == 1
               ? "the 1 result given says nothing certain of it"
               : fmt::format("the {} results given say nothing certain of it", all.count());
}

std::string advising::command(const std::string& verb,
                              const std::vector<std::string>& further) const {
    std::vector<std::string> words{"regatta", verb};
    if (!to.workload.name.empty()) {
        words.push_back(to.workload.name);
    }
    for (const auto& [name, value] : to.workload.settings) {
        if (name != "seed" || value != "1") {
            std::string option = "--" + name;
            std::ranges::replace(option, '_', '-');
            words.insert(words.end(), {option, value});
        }
    }
    // `scale` measures the usual baseline unless told.
    if (verb == "scale" && all.scale && all.scale->scheme != usual_baseline().name) {
        words.insert(words.end(), {"--scheme", all.scale->scheme});
    }
    words.insert(words.end(), further.begin(), further.end());
    return command_line(words);
}

std::string factor_text(double factor) {
    return fmt::format("{:.2f}", factor);
}

bool is_below(const figure_interval& one, const figure_interval& other, double floor) noexcept {
    return one.high * (1 + floor) < other.low;
}

bool is_disturbed(const result_evidence& result) noexcept {
    return result.contaminated_share.value > 0.25;
}

std::vector<const point_evidence*> sound_points(const scale_evidence& scale) {
    std::vector<const point_evidence*> sound;
    if (scale.disturbed || is_disturbed(scale)) {
        return sound;
    }
    for (const point_evidence& one : scale.points) {
        // One worker beside itself is exact, whatever the rounds.
        const bool enough = one.ok && one.speedup->count >= pairs_for_a_verdict;
        if (enough && (scale.items_wait || !scale.warned("super_linear", one.workers))) {
            sound.push_back(&one);
        }
    }
    return sound;
}

advice advise(const evidence& all, const text_style& style) {
    advice made;
    const auto take = [&](const auto& result) {
        if (result) {
            made.files.push_back(result->file);
            made.machine = result->machine;
        }
    };
    take(all.race);
    take(all.scale);
    take(all.bandwidth);
    take(all.isolation);
    if (all.race) {
        made.workload = all.race->workload;
    } else if (all.scale) {
        made.workload = all.scale->workload;
    }
    const advising with{all, style, made};
    advise_on_trust(with);
    advise_on_scheme(with);
    advise_on_workers(with);
    advise_on_limit(with);
    advise_on_processes(with);
    advise_on_pinning(with);
    return made;
}

} // namespace regatta::race
