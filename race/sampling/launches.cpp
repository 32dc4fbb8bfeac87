// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/launches.hpp"

#include "sampling/paired_comparison.hpp"
#include "sampling/possible_best.hpp"

#include <regatta/base/error.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

const json& member_of(const json& object, std::string_view name) {
    const json* found = object.find(name);
    if (found == nullptr) {
        fail_argument("launches: a race has no member \"" + std::string(name) + "\"");
    }
    return *found;
}

/// A scheme's entry in the document of a launch.
const json& entry_of(const json& race, const std::string& name) {
    for (const json::member& one : member_of(race, "schemes").members()) {
        if (member_of(one.value, "name").text() == name) {
            return one.value;
        }
    }
    fail_argument("launches: a race is without " + name);
}

/// The same where it has figures; null where not.
const json* figures_of(const json& race, const std::string& name) {
    const json& entry = entry_of(race, name);
    const bool ran = member_of(entry, "status").text() == "ok" &&
                     !member_of(entry, "vs_baseline_undropped").is_null();
    return ran ? &entry : nullptr;
}

/// Why it is missing, as the first launch says it that does; empty where none does.
std::string why_missing(const std::vector<json>& races, const std::string& name) {
    for (std::size_t launch = 0; launch < races.size(); ++launch) {
        const json& entry = entry_of(races[launch], name);
        if (const json& reason = member_of(entry, "reason"); !reason.is_null()) {
            const char* const how = member_of(entry, "wrong_result").boolean()      ? "DISQUALIFIED"
                                    : member_of(entry, "status").text() == "failed" ? "FAILED"
                                                                                    : "skipped";
            return how + (" in launch " + std::to_string(launch + 1)) + ": " + reason.text();
        }
    }
    return {};
}

/// Stopped before anything was measured that can be compared.
bool is_empty(const json& race) {
    return member_of(race, "stopped").boolean() && member_of(race, "rounds").number() == 0;
}

/// The baseline of most of them, the first of equals: where it fails, another one takes its place.
std::string usual_baseline(const std::vector<json>& races) {
    std::map<std::string, std::size_t> times;
    for (const json& race : races) {
        if (const std::string name = member_of(race, "baseline").text(); !name.empty()) {
            ++times[name];
        }
    }
    std::string most; // where nobody could run
    for (const json& race : races) {
        std::string name = member_of(race, "baseline").text();
        if (times[name] > times[most]) {
            most = std::move(name);
        }
    }
    return most;
}

/// A value a launch, as if launches were the rounds of a race.
struct course_of_launches {
    series ratios;
    series times;
};

course_of_launches course_of(const std::vector<const json*>& races, const std::string& name) {
    course_of_launches course;
    course.ratios.name = name;
    for (unsigned launch = 0; launch < races.size(); ++launch) {
        if (const json* found = figures_of(*races[launch], name)) {
            const json& clean = member_of(*found, "vs_baseline");
            const json& ratio =
                clean.is_null() ? member_of(*found, "vs_baseline_undropped") : clean;
            sample mine;
            mine.round = launch;
            mine.load.contaminated = clean.is_null(); // the whole launch was disturbed
            mine.ns = member_of(ratio, "median").number();
            course.ratios.samples.push_back(mine);
            mine.ns = member_of(*found, "median_ns").number();
            course.times.samples.push_back(mine);
        }
    }
    return course;
}

} // namespace

launches_result sum_up_launches(std::vector<json> races, unsigned planned, std::uint64_t seed) {
    launches_result result;
    result.planned = planned;
    result.stopped = std::erase_if(races, is_empty) != 0;
    result.races = std::move(races);
    if (result.races.empty()) {
        return result;
    }
    const json& first = result.races.front();
    result.margin = member_of(first, "margin").number();
    result.baseline = usual_baseline(result.races);
    std::vector<const json*> compared; // by ratios to the same
    bool baseline_missing = false;
    for (std::size_t launch = 0; launch < result.races.size(); ++launch) {
        const json& race = result.races[launch];
        result.stopped = result.stopped || member_of(race, "stopped").boolean();
        const std::string base = member_of(race, "baseline").text();
        const bool ran = result.baseline.empty() ||
                         member_of(entry_of(race, result.baseline), "status").text() == "ok";
        const bool has_ratios =
            result.baseline.empty() || figures_of(race, result.baseline) != nullptr;
        baseline_missing = baseline_missing || !ran;
        if (has_ratios && base == result.baseline) {
            compared.push_back(&race);
        } else if (ran) {
            result.notes.push_back(
                "Launch " + std::to_string(launch + 1) + " does not count: its " +
                (has_ratios ? "ratios are to " + base + '.' : "baseline " + base + " failed."));
        }
    }
    if (baseline_missing) {
        result.missing.push_back({result.baseline, why_missing(result.races, result.baseline)});
    }
    std::vector<series> all;
    series base{"baseline", {}, {}};
    for (unsigned launch = 0; launch < compared.size(); ++launch) {
        base.samples.push_back({launch, 1, {}});
    }
    for (const json::member& one : member_of(first, "schemes").members()) {
        const std::string name = member_of(one.value, "name").text();
        course_of_launches course = course_of(compared, name);
        if (course.times.samples.empty() || course.times.samples.size() != compared.size()) {
            const bool never_here =
                course.times.samples.empty() && member_of(one.value, "status").text() == "skipped";
            if (never_here) {
                result.skipped.push_back({name, member_of(one.value, "reason").text()});
            } else if (name != result.baseline || !compared.empty()) { // else it is told already
                std::string why = why_missing(result.races, name);
                if (why.empty() && compared.empty()) {
                    why = "there was no baseline to compare it with";
                }
                result.missing.push_back({name, std::move(why)});
            }
            continue;
        }
        launched_scheme& mine = result.schemes.emplace_back();
        mine.name = name;
        mine.time = course.times.time();
        const std::vector<sample> usable = course.ratios.usable();
        const auto [least, most] = std::ranges::minmax_element(usable, {}, &sample::ns);
        mine.lowest = least->ns;
        mine.highest = most->ns;
        mine.ratio = paired_ratio(course.ratios, base);
        all.push_back(std::move(course.ratios));
    }
    std::vector<paired_comparison> beside;
    std::vector<launched_scheme*> judged;
    std::vector<std::size_t> taking_part;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].disturbed() && all[i].usable().size() >= pairs_for_a_verdict) {
            taking_part.push_back(i);
        }
        if (result.schemes[i].name == result.baseline) {
            result.schemes[i].word = verdict::baseline;
        } else {
            beside.emplace_back(all[i], base);
            judged.push_back(&result.schemes[i]);
        }
    }
    if (compared.size() < pairs_for_a_verdict) {
        return result;
    }
    const std::vector<judgement> words = judge(beside, result.margin);
    for (std::size_t i = 0; i < judged.size(); ++i) {
        judged[i]->word = words[i].word;
        judged[i]->more_launches = words[i].more_rounds;
    }
    std::ranges::stable_sort(taking_part, {},
                             [&](std::size_t i) { return result.schemes[i].ratio.median; });
    std::vector<const series*> field;
    for (const std::size_t i : taking_part) {
        field.push_back(&all[i]);
    }
    for (const std::size_t place : possible_best(field, result.margin, seed)) {
        result.leaders.push_back(field[place]->name);
    }
    return result;
}

} // namespace regatta::race
