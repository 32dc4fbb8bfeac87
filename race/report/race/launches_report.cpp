// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/launches_report.hpp"

#include "report/common/csv_fields.hpp"
#include "report/common/grid.hpp"
#include "report/common/json_values.hpp"
#include "report/common/verdict_word.hpp"
#include "report/info/info_text.hpp"
#include "report/race/race_rows.hpp"
#include "report/race/words.hpp"
#include "sampling/race_result.hpp"
#include "text/json_schemas.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

std::string joined_names(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& one : names) {
        out += (out.empty() ? "" : ", ") + one;
    }
    return out;
}

bool at_a_rate(const json& race) {
    const json* const rate = race.find("rate");
    return rate != nullptr && !rate->is_null();
}

/// What is compared of items that were offered at a rate.
std::string_view latency_of(const launches_result& result) {
    return judges_longest(result.races.front()) ? "longest of a run" : "99th percentile";
}

std::string table_of(const launches_result& result, const text_style& style) {
    std::vector<const launched_scheme*> rows;
    for (const launched_scheme& one : result.schemes) {
        rows.push_back(&one);
    }
    std::ranges::stable_sort(rows, {}, [](const launched_scheme* s) { return s->ratio.median; });
    std::vector<grid_column> columns;
    const auto add = [&](std::string title, bool to_the_left, unsigned dropped, auto cell) {
        grid_column& one =
            columns.emplace_back(grid_column{std::move(title), to_the_left, dropped});
        for (const launched_scheme* row : rows) {
            one.cells.push_back(cell(*row));
        }
    };
    add("scheme", true, 0, [](const launched_scheme& row) { return row.name; });
    add(at_a_rate(result.races.front()) ? "latency" : "median", false, 0,
        [&](const launched_scheme& row) { return duration_text(row.time.median, style); });
    add("ratio", false, 4, [](const launched_scheme& row) { return ratio_cell(row.ratio); });
    add("95 % over launches", false, 2,
        [&](const launched_scheme& row) { return interval_text(row.ratio, style); });
    add("lowest", false, 1, [](const launched_scheme& row) { return ratio_text(row.lowest); });
    add("highest", false, 1, [](const launched_scheme& row) { return ratio_text(row.highest); });
    add("verdict", true, 3, [](const launched_scheme& row) {
        return row.word == verdict::unclear
                   ? fmt::format("{} +{}", word_of(row.word), row.more_launches)
                   : std::string(word_of(row.word));
    });
    return grid_text(std::move(columns), style);
}

/// See `lacking_words`.
std::string lacking_launches(const launches_result& result) {
    std::size_t most = 0;
    std::optional<unsigned> least;
    for (const launched_scheme& one : result.schemes) {
        most = std::max<std::size_t>(most, one.ratio.count);
        if (one.word == verdict::unclear) {
            least = std::min(least.value_or(one.more_launches), one.more_launches);
        }
    }
    return lacking_words(most, result.schemes.size() - 1, least, "launch", "launches");
}

std::string outcome_of(const launches_result& result) {
    if (result.races.empty()) {
        return "Nothing was measured.";
    }
    if (result.leaders.empty()) {
        return result.schemes.empty()
                   ? std::string("Nothing was measured in every launch.")
                   : fmt::format("No verdict: that takes {} {}launches at least.",
                                 pairs_to_differ(result.schemes.size() - 1),
                                 result.races.size() < pairs_for_a_verdict ? "" : "undisturbed ");
    }
    const bool rate = at_a_rate(result.races.front());
    const auto judged = [](const launched_scheme& one) {
        return one.ratio.count >= pairs_for_a_verdict;
    };
    if (result.leaders.size() == 1 && std::ranges::count_if(result.schemes, judged) < 2) {
        return fmt::format("{} {}.", result.leaders.front(),
                           result.schemes.size() == 1 ? "was measured alone"
                                                      : "alone has enough undisturbed launches");
    }
    return result.leaders.size() == 1
               ? fmt::format("{} {} over all launches.", result.leaders.front(),
                             rate ? "has the lowest latency" : "won")
               : fmt::format("The {} may be any of {}: over the launches none of them was shown to "
                             "take {} more than another.",
                             rate ? "lowest latency" : "fastest", joined_names(result.leaders),
                             margin_text(result.margin));
}

} // namespace

bool judges_longest(const json& race) {
    const json* const items = race.find("items");
    return at_a_rate(race) && items != nullptr &&
           items->number() < static_cast<double>(items_for_a_99th);
}

std::string missing_text(const launches_result& result, const std::string& where,
                         const text_style& style) {
    std::string out;
    for (const unmeasured_scheme& one : result.missing) {
        out += paragraph(fmt::format("Not in every launch{}: {}{}{}", where, one.name,
                                     one.reason.empty() ? "." : ", ", one.reason),
                         style);
    }
    return out;
}

std::string to_text(const launches_result& result, const provenance& from,
                    const text_style& style) {
    std::string out = heading(
        fmt::format("{} of {}", counted(result.races.size(), "launch", "launches"), result.planned),
        style);
    out += short_warnings(from.machine, style);
    if (!result.schemes.empty()) {
        out += '\n' + table_of(result, style);
        out += paragraph(fmt::format("{}Ratios are those of the launches, each a race in a fresh "
                                     "process: {} = 1. Lowest and highest: of one launch. Verdicts "
                                     "are about differences of {} and more.",
                                     at_a_rate(result.races.front())
                                         ? fmt::format("Latency: from when an item was due to its "
                                                       "begin, the {}. ",
                                                       latency_of(result))
                                         : std::string(),
                                     result.baseline, margin_text(result.margin)),
                         style);
        out += paragraph(lacking_launches(result), style);
    }
    out += missing_text(result, "", style);
    for (const unmeasured_scheme& one : result.skipped) {
        out += paragraph(fmt::format("skipped {}: {}", one.name, one.reason), style);
    }
    for (const std::string& note : result.notes) {
        out += paragraph(note, style);
    }
    if (result.stopped || result.races.size() < result.planned) {
        out += paragraph("Cut short: this is what was measured by then.", style, "1;33");
    }
    return out + '\n' + paragraph(outcome_of(result), style, "1");
}

std::string to_json(const launches_result& result, const provenance& from) {
    json document = document_head(json_schema::launches, from);
    document["launches"] = result.planned;
    document["stopped"] = result.stopped || result.races.size() < result.planned;
    document["baseline"] = text_or_null(result.baseline);
    document["margin"] = result.margin;
    document["leaders"] = result.leaders;
    document["missing"] = json::array();
    for (const unmeasured_scheme& one : result.missing) {
        document["missing"].push_back(one.name);
    }
    json schemes = json::array();
    for (const launched_scheme& one : result.schemes) {
        schemes.push_back(
            {{"name", one.name},
             {"time_ns", to_value(one.time)},
             {"vs_baseline", to_value(one.ratio)},
             {"lowest", one.lowest},
             {"highest", one.highest},
             {"verdict", to_string(one.word)},
             {"more_launches", one.word == verdict::unclear ? json(one.more_launches) : json()}});
    }
    document["schemes"] = std::move(schemes);
    document["races"] = json::array();
    for (const json& race : result.races) {
        document["races"].push_back(race);
    }
    return text_of(document);
}

std::string launches_csv_head() {
    return "name,median_ns,low_ns,high_ns,vs_baseline,vs_baseline_low,vs_baseline_high,lowest,"
           "highest,verdict,launches\n";
}

std::string launches_csv_lines(const launches_result& result, const std::string& first) {
    std::string out;
    for (const launched_scheme& one : result.schemes) {
        out += first;
        out += fmt::format("{},{},{},{:.6f},{:.6f},{},{}\n", csv_quoted(one.name),
                           csv_fields(one.time, 0), csv_fields(one.ratio, 6), one.lowest,
                           one.highest, to_string(one.word), result.races.size());
    }
    return out;
}

std::string to_csv(const launches_result& result) {
    return launches_csv_head() + launches_csv_lines(result, "");
}

} // namespace regatta::race
