// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scale/worker_counts.hpp"

#include "common/usage_error.hpp"
#include "schemes/run_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace regatta::command {

std::vector<unsigned> parse_worker_counts(const std::string& text) {
    std::vector<unsigned> counts;
    if (text == "auto") {
        return counts;
    }
    std::string_view left = text;
    for (bool more = true; more;) {
        const auto comma = std::min(left.find(','), left.size());
        const std::string_view word = left.substr(0, comma);
        more = comma != left.size();
        left.remove_prefix(more ? comma + 1 : comma);
        unsigned count = 0;
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
        if (error != std::errc() || stop != word.data() + word.size() || count == 0 ||
            count > race::run_log::max_workers) {
            throw usage_error(fmt::format("--workers: \"{}\"{} is not a number of workers; allowed "
                                          "are numbers from 1 to {}, apart by commas, or auto",
                                          word, word == text ? "" : fmt::format(" in \"{}\"", text),
                                          race::run_log::max_workers));
        }
        counts.push_back(count);
    }
    std::ranges::sort(counts);
    const auto same = std::ranges::unique(counts);
    counts.erase(same.begin(), same.end());
    return counts;
}

} // namespace regatta::command
