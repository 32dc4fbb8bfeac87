// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/list.hpp"

#include "schemes/scheme.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

std::string entry(std::string_view name, std::size_t width, std::string_view text,
                  const text_style& style) {
    // The name is one word, so that the text is indented behind it.
    std::string line = "  " + coloured(name, "1", style);
    text_style rest = style;
    const std::size_t indent = width + 4;
    if (style.width < indent + 24) {
        rest.width = style.width - 4;
        return line + "\n    " + wrapped(text, 4, rest);
    }
    line.append(width - columns_of(name) + 2, ' ');
    std::string body = wrapped(text, 0, {style.width - static_cast<unsigned>(indent)});
    std::string out;
    for (const char c : body.substr(0, body.size() - 1)) {
        out += c;
        if (c == '\n') {
            out.append(indent, ' ');
        }
    }
    return line + out + '\n';
}

template<class Infos>
std::size_t widest(const Infos& infos) {
    std::size_t width = 0;
    for (const auto& info : infos) {
        width = std::max(width, info.name.size());
    }
    return width;
}

struct scheme_group {
    std::string_view title;
    bool (*holds)(const scheme_traits&);
};

/// Each scheme is in one of them.
constexpr scheme_group scheme_groups[] = {
    {"threads",
     [](const scheme_traits& t) {
         return t.language == language::cpp && t.workers != worker_kind::processes;
     }},
    {"processes",
     [](const scheme_traits& t) {
         return t.language == language::cpp && t.workers == worker_kind::processes;
     }},
    {"Python", [](const scheme_traits& t) { return t.language == language::python; }},
};

std::string words_of(const scheme_info& info) {
    const std::string version = info.version();
    return fmt::format("{}. Suits {}.{}{}", info.summary, info.suits,
                       version.empty() ? "" : fmt::format(" {}.", version),
                       info.on_request ? " Takes part where it is named." : "");
}

/// Those that cannot run it, a paragraph for each reason.
std::string skipped_text(const workload& work, const text_style& style) {
    std::vector<std::pair<std::string, std::string>> names_of_reasons;
    for (const scheme_info& info : schemes()) {
        const std::string why = info.missing(work);
        const auto same = std::ranges::find_if(names_of_reasons,
                                               [&](const auto& one) { return one.first == why; });
        if (!why.empty() && same == names_of_reasons.end()) {
            names_of_reasons.emplace_back(why, info.name);
        } else if (!why.empty()) {
            same->second += fmt::format(", {}", info.name);
        }
    }
    std::string out;
    for (const auto& [why, names] : names_of_reasons) {
        text_style narrower = style;
        narrower.width = style.width > 2 ? style.width - 2 : style.width;
        out += "  " + wrapped(fmt::format("{}: {}", names, why), 4, narrower);
    }
    return out;
}

} // namespace

std::string list_text(const workload_info& chosen, const text_style& style) {
    const auto work = chosen.make(workload_options{});
    std::string out = "Workloads\n";
    for (const workload_info& info : workloads()) {
        out += entry(info.name, widest(workloads()),
                     fmt::format("{}. Options: {}", info.summary, info.options), style);
    }
    if (find_workload(chosen.name) != &chosen) {
        out +=
            fmt::format("\nWorkload of your own\n  {}\n    {}", coloured(chosen.name, "1", style),
                        wrapped("Options: " + std::string(chosen.options), 4,
                                {style.width > 4 ? style.width - 4 : style.width}));
    }
    const std::size_t width = widest(schemes());
    for (const scheme_group& group : scheme_groups) {
        std::string entries;
        for (const scheme_info& info : schemes()) {
            if (group.holds(info.traits) && info.missing(*work).empty()) {
                entries += entry(info.name, width, words_of(info), style);
            }
        }
        out += entries.empty() ? "" : fmt::format("\nSchemes: {}\n{}", group.title, entries);
    }
    const std::string skipped = skipped_text(*work, style);
    out += skipped.empty() ? "" : "\nSkipped here\n" + skipped;
    return out + '\n' +
           wrapped(fmt::format("{} is found as \"regatta\", too.", find_scheme("regatta")->name), 0,
                   style);
}

} // namespace regatta::race
