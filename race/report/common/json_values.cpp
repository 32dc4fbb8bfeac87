// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/json_values.hpp"

#include "text/command_line.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace regatta::race {

json text_or_null(const std::string& text) {
    return text.empty() ? json() : json(text);
}

json size_or_null(std::uint64_t bytes) {
    return bytes == 0 ? json() : json(bytes);
}

const char* name_of(cache_type type) {
    switch (type) {
    case cache_type::data:
        return "data";
    case cache_type::instruction:
        return "instruction";
    case cache_type::unified:
        break;
    }
    return "unified";
}

json to_value(const estimate& e) {
    if (e.count == 0) {
        return nullptr;
    }
    return {{"median", e.median}, {"low", e.low}, {"high", e.high}, {"count", e.count}};
}

json to_value(const sample& one) {
    return {{"round", one.round},
            {"ns", one.ns},
            {"others_ns", one.load.others_ns},
            {"kernel_ns", one.load.kernel_ns},
            {"stolen_ns", one.load.stolen_ns},
            {"available_ns", one.load.available_ns},
            {"contaminated", one.load.contaminated},
            {"measurable", one.load.measurable}};
}

json to_value(const series& measured) {
    json all = json::array();
    for (const sample& one : measured.samples) {
        all.push_back(to_value(one));
    }
    return all;
}

json to_value(const latency_histogram& latency) {
    if (latency.count() == 0) {
        return nullptr;
    }
    json histogram = json::array();
    latency.for_each_bucket([&](std::int64_t last, std::uint64_t count) {
        histogram.push_back({{"up_to_ns", last}, {"count", count}});
    });
    return {{"count", latency.count()},
            {"min", latency.min()},
            {"mean", latency.mean()},
            {"median", latency.percentile(0.5)},
            {"p95", latency.percentile(0.95)},
            {"p99", latency.percentile(0.99)},
            {"p99_9", latency.percentile(0.999)},
            {"max", latency.max()},
            {"histogram", std::move(histogram)}};
}

json settings_value(const std::vector<std::pair<std::string, std::string>>& settings) {
    json value = json::object();
    for (const auto& [name, text] : settings) {
        std::uint64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        value[name] = read.ec == std::errc() && read.ptr == end ? json(number) : json(text);
    }
    return value;
}

json document_head(const char* schema, const provenance& from) {
    return {{"schema", schema},
            {"version", from.machine.version},
            {"time", from.machine.time},
            {"command", command_line(from.command)}};
}

} // namespace regatta::race
