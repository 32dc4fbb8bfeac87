// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advise_topics.hpp"
#include "sampling/verdict.hpp"

#include <fmt/core.h>

namespace regatta::race {
namespace {

bool is_measured(const mode_evidence* mode) {
    return mode != nullptr && mode->ok && mode->slowdown &&
           mode->slowdown->count >= pairs_for_a_verdict;
}

cited_figure slowdown_figure(const mode_evidence& mode) {
    return {mode.name + " slowdown", mode.slowdown->median};
}

/// "1.03 (1.02…1.05)".
std::string slowdown_text(const advising& with, const mode_evidence& mode) {
    return fmt::format("{} ({})", factor_text(mode.slowdown->median.value),
                       with.range(*mode.slowdown));
}

bool is_faster(const mode_evidence& one, const mode_evidence& other, double floor) {
    return is_below(*one.slowdown, *other.slowdown, floor);
}

void compare_pinned(const advising& with, const isolation_evidence& result,
                    const mode_evidence& free, const mode_evidence& pinned, double floor) {
    const bool pin = is_faster(pinned, free, floor);
    const bool leave = is_faster(free, pinned, floor);
    with.to.placement = pin ? "pinned" : "free";
    const std::string_view what = pin     ? "Pin"
                                  : leave ? "Do not pin"
                                          : "Pinning is not shown to help";
    std::vector<cited_figure> figures{slowdown_figure(pinned), slowdown_figure(free)};
    if (result.noise_floor) {
        figures.push_back({"noise floor", *result.noise_floor});
    }
    with.say(
        topic::pinning,
        fmt::format("{}: beside {}, pinned workers take {} times as long as alone, and those "
                    "that the kernel places {} (noise floor {}).",
                    what,
                    result.noise == "none" ? "what runs here anyway" : "the noise " + result.noise,
                    slowdown_text(with, pinned), slowdown_text(with, free), percent_text(floor)),
        std::move(figures));
}

void consider_owning(const advising& with, const isolation_evidence& result,
                     const mode_evidence& free, const mode_evidence& pinned, double floor) {
    const mode_evidence* owned = result.find("exclusive");
    if (is_measured(owned)) {
        const bool better = is_faster(*owned, free, floor) && is_faster(*owned, pinned, floor);
        if (better) {
            with.to.placement = "exclusive";
        }
        with.say(topic::pinning,
                 fmt::format("{} CPUs of their own: workers that own theirs take {} times as long "
                             "as alone, where others take {} or {}.",
                             better ? "If others use this machine, give the workers"
                                    : "The workers are not shown to need",
                             slowdown_text(with, *owned), factor_text(free.slowdown->median.value),
                             factor_text(pinned.slowdown->median.value)),
                 {slowdown_figure(*owned), slowdown_figure(free), slowdown_figure(pinned)});
    } else if (owned != nullptr && !owned->reason.empty()) {
        with.leave_open(topic::pinning,
                        fmt::format("Whether to own CPUs: that could not be had in the {} rounds "
                                    "of {}: {}.",
                                    result.rounds, result.file, owned->reason),
                        "regatta race isolation --move-others --rounds 15 --json isolation.json");
    }
}

} // namespace

void advise_on_pinning(const advising& with) {
    constexpr const char* measure = "regatta race isolation --rounds 15 --json isolation.json";
    if (!with.all.isolation) {
        with.leave_open(topic::pinning, fmt::format("Whether to pin: {}.", with.nothing_is_said()),
                        measure);
        return;
    }
    const isolation_evidence& result = *with.all.isolation;
    // Where no noise is made, alone is beside the same load as pinned, and there is no unpinned.
    const std::string_view where_the_kernel_likes = result.noise == "none" ? "alone" : "unpinned";
    const mode_evidence* free = result.find(where_the_kernel_likes);
    const mode_evidence* pinned = result.find("pinned");
    if (!is_measured(free) || !is_measured(pinned) || !result.noise_floor || is_disturbed(result)) {
        with.leave_open(topic::pinning,
                        fmt::format("Whether to pin: the {} of {} {} not tell; that takes "
                                    "{} clean ones of {} and pinned.",
                                    counted(result.rounds, "round"), result.file,
                                    result.rounds == 1 ? "does" : "do", pairs_for_a_verdict,
                                    where_the_kernel_likes),
                        measure);
        return;
    }
    const double floor = result.noise_floor->value;
    compare_pinned(with, result, *free, *pinned, floor);
    consider_owning(with, result, *free, *pinned, floor);
}

} // namespace regatta::race
