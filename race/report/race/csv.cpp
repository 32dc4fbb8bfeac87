// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/csv.hpp"

#include "report/common/csv_fields.hpp"

#include <fmt/core.h>

#include <optional>

namespace regatta::race {
namespace {

std::string program_fields(const std::optional<program_result>& program) {
    if (!program) {
        return ",,,";
    }
    return fmt::format(",{},{},{}", csv_quoted(program->command),
                       program->cpu_ns ? fmt::format("{:.0f}", *program->cpu_ns) : "",
                       program->peak_bytes ? std::to_string(*program->peak_bytes) : "");
}

} // namespace

std::string csv_head() {
    std::string out = "name,scheme,status,reason,verified,median_ns,low_ns,high_ns,vs_baseline,"
                      "vs_baseline_low,vs_baseline_high,verdict,speedup,efficiency,samples,dropped,"
                      "workers";
    for (const std::string_view name : part_names) {
        out += fmt::format(",{}_ns", name);
    }
    return out + ",command,cpu_ns,peak_bytes,p50_ns,p99_ns,p99_9_ns,max_ns\n";
}

std::string csv_lines(const race_result& result, const std::string& first) {
    std::string out;
    for (const scheme_result& one : result.schemes) {
        const bool measured = one.time.count != 0;
        const bool clean_pair = one.speedup && one.speedup->count != 0;
        out += first;
        out += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_quoted(one.name), csv_quoted(one.scheme),
            to_string(one.status), csv_quoted(one.reason), one.verified, csv_fields(one.time, 0),
            csv_fields(one.vs_baseline, 6), measured ? to_string(one.word) : "",
            clean_pair ? fmt::format("{:.6f}", one.speedup->median) : "",
            clean_pair && one.efficiency ? fmt::format("{:.6f}", *one.efficiency) : "",
            one.measured.samples.size(), one.measured.dropped(), result.how.workers);
        for (const double ns : one.where.ns) {
            out += measured && !result.rate ? fmt::format(",{:.0f}", ns) : ",";
        }
        out += program_fields(one.program);
        for (const double share : {0.5, 0.99, 0.999, 1.0}) {
            out +=
                one.latency.count() == 0 ? "," : fmt::format(",{}", one.latency.percentile(share));
        }
        out += '\n';
    }
    return out;
}

std::string to_csv(const race_result& result) {
    return csv_head() + csv_lines(result, "");
}

} // namespace regatta::race
