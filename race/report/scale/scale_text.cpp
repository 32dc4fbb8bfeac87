// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/scale/scale_text.hpp"

#include "report/info/info_text.hpp"
#include "report/scale/scale_curve.hpp"
#include "report/scale/scale_table.hpp"
#include "report/scale/scale_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace regatta::race {
namespace {

std::string title(const scale_result& result, const provenance& from, const text_style& style) {
    const std::string_view dot = style.unicode ? " · " : ", ";
    std::string text = result.workload;
    for (const auto& [name, value] : result.settings) {
        text += fmt::format(" {} {}", name, value);
    }
    text += fmt::format("{}{} a run{}scheme {}{}{}", dot, counted(result.items, "item"), dot,
                        result.scheme, dot, counted(result.cpus, "CPU"));
    if (!from.machine.cpu_model.empty()) {
        text += fmt::format(" ({})", from.machine.cpu_model);
    }
    text += fmt::format("{}{} after {} of warm-up", dot, counted(result.rounds, "round"),
                        result.warm_up);
    if (result.rate) {
        text += fmt::format("{}{} items/s offered", dot, amount_text(*result.rate));
    }
    return text;
}

/// Below the table: what its figures are, and what cannot be told apart.
std::string table_words(const scale_result& result, const text_style& style) {
    std::string text;
    if (!result.rate) {
        const bool intervals = std::ranges::any_of(result.points, [](const scale_point& one) {
            return one.workers > 1 && one.speedup.count >= pairs_for_a_verdict;
        });
        text = fmt::format("Speed-ups are over one worker, paired within the rounds{}. ",
                           intervals ? "; intervals are of 95 %" : "");
    }
    bool latency = false;
    for (const scale_point& one : result.points) {
        latency = latency || (one.ran() && one.latency.count() != 0);
    }
    if (latency) {
        text += result.rate ? "Latency: of an item, from when it was due to its end; the median. "
                            : "Latency: of an item, the median. ";
    } else if (result.counts_items) {
        text += "The items are too short to be timed one by one. ";
    }
    if (!result.floor.known()) {
        return text + "Noise floor: unknown, too few clean rounds.";
    }
    return text + fmt::format("Noise floor {}{}: one worker against itself.",
                              style.unicode ? "±" : "+-", percent_text(result.floor.distance));
}

/// How many samples were dropped, and of which number of workers.
std::string dropped(const scale_result& result) {
    std::size_t all = result.control.samples.size();
    std::size_t bad = result.control.dropped();
    std::string who;
    for (const scale_point& one : result.points) {
        all += one.measured.samples.size();
        bad += one.measured.dropped();
        if (one.measured.dropped() != 0) {
            who += fmt::format("{}{} with {}", who.empty() ? "" : ", ", one.measured.dropped(),
                               counted(one.workers, "worker"));
        }
    }
    if (result.control.dropped() != 0) {
        who +=
            fmt::format("{}{} of the control", who.empty() ? "" : ", ", result.control.dropped());
    }
    return bad == 0 ? std::string()
                    : fmt::format("Dropped {} of {}, because other processes used the CPUs "
                                  "meanwhile: {}.",
                                  bad, counted(all, "sample"), who);
}

/// That nobody could see others.
std::string unseen_load(const scale_result& result) {
    const bool unseen = std::ranges::all_of(result.points, [](const scale_point& one) {
        return one.measured.not_measurable() == one.measured.samples.size();
    });
    return unseen ? fmt::format("The load of other processes could not be measured in any sample "
                                "({}): none was dropped for it.",
                                result.load_source)
                  : std::string();
}

/// Which numbers of workers had not settled in the first rounds.
std::string cut(const scale_result& result) {
    std::string who;
    for (const scale_point& one : result.points) {
        if (one.measured.cut() != 0) {
            who += fmt::format("{}{} with {}", who.empty() ? "" : ", ", one.measured.cut(),
                               counted(one.workers, "worker"));
        }
    }
    return who.empty() ? who
                       : fmt::format("Not settled at first, so that the first rounds do not count: "
                                     "{}.",
                                     who);
}

/// Whether a warning is a remark rather than a doubt.
bool is_remark(scale_warning_kind kind) noexcept {
    return kind == scale_warning_kind::oversubscribed || kind == scale_warning_kind::within_noise ||
           kind == scale_warning_kind::few_rounds || kind == scale_warning_kind::short_samples;
}

/// Whether the cause of a super-linear speed-up says the same of that number of workers.
bool is_said_twice(const scale_warning& one, const scale_result& result) {
    return one.kind == scale_warning_kind::clock_changed && one.compares_clocks &&
           std::ranges::any_of(result.warnings, [&](const scale_warning& other) {
               return other.kind == scale_warning_kind::super_linear &&
                      other.workers == one.workers && other.compares_clocks;
           });
}

} // namespace

std::string to_text(const scale_result& result, const provenance& from, const text_style& style) {
    std::string out = heading(title(result, from, style), style);
    const auto say = [&](const std::string& text, std::string_view colour = {}) {
        out += paragraph(text, style, colour);
    };
    const auto block = [&](const std::string& text) { out += text.empty() ? "" : '\n' + text; };
    out += short_warnings(from.machine, style);
    block(verbatim(scale_curve_text(result, style), style));
    if (const std::string table = scale_table_text(result, style); !table.empty()) {
        block(table);
        say(table_words(result, style));
    }
    say(dropped(result));
    say(unseen_load(result));
    say(cut(result));
    for (const scale_point& one : result.points) {
        if (!one.ok()) {
            say(fmt::format("FAILED with {}: {}", counted(one.workers, "worker"), one.failure),
                "1;31");
        }
    }
    block(sysbench_text(result, style));
    std::string remarks = paragraph(peak_sentence(result), style);
    for (const std::string& one : fit_sentences(result, style)) {
        remarks += paragraph(one, style);
    }
    for (const scale_warning& one : result.warnings) {
        remarks +=
            is_remark(one.kind) ? paragraph(as_sentence(with_dots(one.text, style)), style) : "";
    }
    block(remarks);
    out += '\n';
    for (const scale_warning& one : result.warnings) {
        if (!is_remark(one.kind) && !is_said_twice(one, result)) {
            say("NOTE: " + as_sentence(with_dots(one.text, style)), "1;33");
        }
    }
    say(scale_conclusion(result, style), "1");
    return out;
}

} // namespace regatta::race
