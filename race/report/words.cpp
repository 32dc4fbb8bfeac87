// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace regatta::race {
namespace {

std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        out += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
        out += names[i];
    }
    return out;
}

/// What the workers do in a part, to follow "spend 12 % of their time ".
constexpr std::array<std::string_view, part_count> doing{
    "on the items themselves",
    "on items that cost more than in serial (caches, memory, clock)",
    "in the middle of an item without a CPU",
    "between items (handing them out)",
    "before their first item (starting up)",
    "waiting for the last item of others",
    "ending the run",
    "without any item",
    "unlogged",
};

bool is_logged(const scheme_result& one) {
    return one.where.total_ns() > 0 && one.where.share(part::unlogged) < 0.5;
}

/// Those that were measured and do not lead, by their time.
std::vector<const scheme_result*> followers(const race_result& result) {
    std::vector<const scheme_result*> found;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.time.count != 0 &&
            std::ranges::find(result.leaders, one.name) == result.leaders.end()) {
            found.push_back(&one);
        }
    }
    std::ranges::sort(found, {}, [](const scheme_result* s) { return s->vs_baseline.median; });
    return found;
}

/// The part in which `slower` loses most worker time against `leader`.
std::size_t largest_loss(const scheme_result& slower, const scheme_result& leader) {
    std::size_t found = 0;
    double most = 0;
    for (std::size_t i = 0; i < part_count; ++i) {
        const double loss = slower.where.ns[i] - leader.where.ns[i];
        if (loss > most) {
            most = loss;
            found = i;
        }
    }
    return found;
}

std::string comparison(const scheme_result& slower, const scheme_result& leader) {
    const auto which = static_cast<part>(largest_loss(slower, leader));
    return fmt::format("the workers of {} spend {} of their time {} ({}: {})", slower.name,
                       percent_text(slower.where.share(which)),
                       doing[static_cast<std::size_t>(which)], leader.name,
                       percent_text(leader.where.share(which)));
}

std::string shared_ground(const race_result& result) {
    double least = 1;
    for (const std::string& name : result.leaders) {
        const scheme_result& one = *result.find(name);
        if (!is_logged(one)) {
            return name + " keeps no log of its workers, so there is nothing to compare.";
        }
        least = std::min(least, one.where.share(part::work) + one.where.share(part::inflation));
    }
    return fmt::format("at least {} of their workers' time goes into the items themselves; handing "
                       "them out decides nothing here.",
                       percent_text(least));
}

} // namespace

std::string outcome_words(const race_result& result, const text_style& style) {
    const std::string floor = percent_text(result.floor.distance);
    if (result.leaders.empty()) {
        const bool any = std::ranges::any_of(result.schemes, [](const scheme_result& one) {
            return one.ok() && one.time.count != 0;
        });
        return any ? fmt::format("No verdict: {} clean rounds at least are needed for one; race "
                                 "longer.",
                                 pairs_for_a_verdict)
                   : std::string("Nothing was measured.");
    }
    const scheme_result& first = *result.find(result.leaders.front());
    if (result.leaders.size() > 1) {
        return fmt::format("A tie between {}: the differences are inside the noise floor ({}).",
                           joined(result.leaders), floor);
    }
    if (result.schemes.size() == 1 || followers(result).empty()) {
        return fmt::format("{}: {}; nobody else was measured.", first.name,
                           duration_text(first.time.median, style));
    }
    const scheme_result& second = *followers(result).front();
    return fmt::format("{} won: {}, {} of the time of {}, the next (noise floor {}).", first.name,
                       duration_text(first.time.median, style),
                       ratio_text(first.time.median / second.time.median), second.name, floor);
}

std::string reason_words(const race_result& result) {
    if (result.leaders.empty()) {
        return "Why: too little was measured to say.";
    }
    const scheme_result& leader = *result.find(result.leaders.front());
    std::vector<const scheme_result*> others = followers(result);
    std::erase_if(others, [](const scheme_result* one) { return !is_logged(*one); });
    if (!is_logged(leader)) {
        return fmt::format("Why: {} computes the whole in calls of its own and keeps no log of its "
                           "workers.",
                           leader.name);
    }
    if (others.empty()) {
        return "Why: " + (result.leaders.size() > 1
                              ? shared_ground(result)
                              : fmt::format("{} of its workers' time goes into the items.",
                                            percent_text(leader.where.share(part::work))));
    }
    // The nearest one that is clearly slower, and the slowest; of serial everybody knows why.
    std::vector<const scheme_result*> told;
    for (const scheme_result* one : others) {
        if (one->scheme != "serial") {
            told.push_back(one);
        }
    }
    if (told.empty()) {
        told.push_back(others.front());
    }
    std::string text = "Why: " + comparison(*told.front(), leader);
    if (told.size() > 1) {
        text += "; " + comparison(*told.back(), leader);
    }
    return text + ".";
}

std::string choice_words(const race_result& result) {
    struct need {
        std::string_view name;
        std::string_view sign; ///< What the text of a scheme that suits it contains.
    };
    constexpr need needs[] = {{"isolation", "isolation"},
                              {"typed dispatch", "typed"},
                              {"several languages", "languages"},
                              {"lowest latency", "latency"}};
    std::string text;
    for (const need& one : needs) {
        const scheme_result* best = nullptr;
        for (const scheme_result& scheme : result.schemes) {
            if (scheme.ok() && scheme.time.count != 0 &&
                scheme.suits.find(one.sign) != std::string::npos &&
                (best == nullptr || scheme.vs_baseline.median < best->vs_baseline.median)) {
                best = &scheme;
            }
        }
        if (best == nullptr && one.name == "lowest latency" && !result.leaders.empty()) {
            best = result.find(result.leaders.front());
        }
        if (best != nullptr) {
            text += text.empty() ? "" : "; ";
            text += fmt::format("{}: {} ({} of {})", one.name, best->name,
                                ratio_text(best->vs_baseline.median), result.baseline);
        }
    }
    return text.empty() ? std::string("Choose by need: nobody ran that suits one in particular.")
                        : "Choose by need: " + text + ".";
}

} // namespace regatta::race
