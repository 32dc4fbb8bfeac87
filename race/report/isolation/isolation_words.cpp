// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/isolation/isolation_words.hpp"

#include "isolation/isolation_evaluation.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace regatta::race {
namespace {

std::string times(double ratio, const text_style& style) {
    return fmt::format("{:.2f}{}", ratio, style.unicode ? "×" : "x");
}

/// "2.04 ms", and "0 ms" for what is below zero or lost in it.
std::string part_text(double ns, const text_style& style) {
    return ns < 1e3 ? std::string("0 ms") : duration_text(ns, style);
}

/// "Of 408 ms more, …": the two parts of the difference to alone, a worker.
std::string parts(const mode_result& mode, const text_style& style) {
    const double displaced = std::max(0.0, mode.displaced.median);
    const double slower = std::max(0.0, mode.slower.median);
    return fmt::format("of {} more, {} without a CPU (cpu/wall {}), {} in slower execution (a unit "
                       "of work cost {})",
                       part_text(displaced + slower, style), part_text(displaced, style),
                       percent_text(mode.cpu_share.median), part_text(slower, style),
                       times(mode.work_cost.median, style));
}

std::string fate_of(const mode_result& mode, const text_style& style) {
    const std::string_view name = to_string(mode.mode);
    if (mode.status != mode_status::ok) {
        return fmt::format("{} {}: {}.", name,
                           mode.status == mode_status::failed ? "failed" : "is not available here",
                           mode.reason);
    }
    const std::string slowdown = times(mode.slowdown.median, style);
    const std::string tail =
        mode.word == verdict::undecided ? " Too few clean rounds for a verdict." : "";
    switch (mode.why) {
    case cause::none:
        return fmt::format("{}: {} of alone (cpu/wall {}){}{}", name, slowdown,
                           percent_text(mode.cpu_share.median),
                           mode.word == verdict::equal ? ", the same within 1 %."
                           : mode.word == verdict::unclear
                               ? ", which is not shown to differ by 1 %."
                               : ".",
                           tail);
    case cause::displaced:
        return fmt::format("{}: {} of alone, by displaced time: {}.{}", name, slowdown,
                           parts(mode, style), tail);
    case cause::slower:
        return fmt::format("{}: {} of alone, by slower execution: {}.{}", name, slowdown,
                           parts(mode, style), tail);
    case cause::both:
        break;
    }
    return fmt::format("{}: {} of alone, by displaced time and slower execution: {}.{}", name,
                       slowdown, parts(mode, style), tail);
}

/// What made owned CPUs faster than pinned workers.
std::string gain_of_owning(const isolation_result& result, const text_style& style) {
    const mode_result& pinned = result.of(isolation_mode::pinned);
    const mode_result& owned = result.of(isolation_mode::exclusive);
    const std::string head = fmt::format("Owning the CPUs instead of pinning to them: {} as fast. ",
                                         times(1 / result.owning.median, style));
    const std::string cost =
        fmt::format("a unit of work cost {} of its CPU time alone when "
                    "pinned, {} when owned",
                    times(pinned.work_cost.median, style), times(owned.work_cost.median, style));
    switch (cause_of(pinned.displaced.median - owned.displaced.median,
                     pinned.slower.median - owned.slower.median)) {
    case cause::displaced:
        return head + fmt::format("The difference was displaced time: pinned workers stood in line "
                                  "behind the noise (cpu/wall {} against {}), and {}.",
                                  percent_text(pinned.cpu_share.median),
                                  percent_text(owned.cpu_share.median), cost);
    case cause::slower:
        return head +
               fmt::format("The difference was slower execution: the workers kept their CPUs "
                           "either way (cpu/wall {} against {}), but {}: a sibling on the "
                           "core, caches, memory or the clock.",
                           percent_text(pinned.cpu_share.median),
                           percent_text(owned.cpu_share.median), cost);
    case cause::both:
        return head +
               fmt::format("The difference was both: displaced time (cpu/wall {} against {}) "
                           "and slower execution ({}).",
                           percent_text(pinned.cpu_share.median),
                           percent_text(owned.cpu_share.median), cost);
    case cause::none:
        break;
    }
    return head + "Neither displaced time nor slower execution explains the difference.";
}

std::string owning_sentence(const isolation_result& result, const text_style& style) {
    switch (result.owning_word) {
    case verdict::faster:
        return gain_of_owning(result, style);
    case verdict::slower:
        return fmt::format("Owning the CPUs was slower than pinning to them here: {} as fast.",
                           times(1 / result.owning.median, style));
    case verdict::equal:
        return "Owning the CPUs gained nothing over pinning to them here.";
    case verdict::unclear:
        return fmt::format("No gain of owning the CPUs over pinning to them is shown here: {} as "
                           "fast ({:.2f}{}{:.2f}).",
                           times(1 / result.owning.median, style), 1 / result.owning.high,
                           style.unicode ? "…" : "..", 1 / result.owning.low);
    case verdict::baseline:
    case verdict::undecided:
        break;
    }
    return "Too few clean rounds to say what owning the CPUs gains over pinning to them.";
}

} // namespace

std::vector<std::string> isolation_sentences(const isolation_result& result,
                                             const text_style& style) {
    std::vector<std::string> all;
    const mode_result& alone = result.of(isolation_mode::alone);
    if (!alone.ran()) {
        all.push_back(
            alone.status == mode_status::failed
                ? fmt::format("alone failed: {}; there is nothing to compare with.", alone.reason)
            : std::ranges::any_of(result.modes, &mode_result::ran)
                ? "alone was not measured: there is nothing to compare with."
                : "Nothing was measured.");
        return all;
    }
    for (const mode_result& mode : result.modes) {
        if (mode.mode != isolation_mode::alone && (mode.ran() || mode.status != mode_status::ok)) {
            all.push_back(fate_of(mode, style));
        }
    }
    if (result.compares_owning()) {
        all.push_back(owning_sentence(result, style));
    }
    return all;
}

} // namespace regatta::race
