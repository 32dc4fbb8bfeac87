// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bench.hpp"

#include "machine/load_meter.hpp"
#include "machine/quiesce.hpp"
#include "sampling/race_control.hpp"
#include "sampling/signed_ranks.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <utility>

#ifndef REGATTA_BUILD_FLAGS
#define REGATTA_BUILD_FLAGS ""
#endif

namespace regatta::bench {

bench_options parse_options(int argc, char** argv, unsigned rounds) {
    bench_options o;
    o.rounds = rounds;
    CLI::App app{"Compares a part of the library with its peers."};
    app.add_option("--json", o.json, "Write the measures to this file (- for standard output)");
    app.add_option("--rounds", o.rounds, "Rounds of measurement")
        ->check(CLI::Range(1u, 10'000u))
        ->capture_default_str();
    app.add_option("--seed", o.seed, "Of the order of the runs")->capture_default_str();
    app.add_option("--only", o.only,
                   "Only tables whose title contains this text; may be there several times")
        ->allow_extra_args(false);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        std::exit(app.exit(e) == 0 ? 0 : 2);
    }
    o.usual_rounds = app.count("--rounds") == 0;
#ifndef __OPTIMIZE__
    std::fputs("built without optimisation: no figure below means anything; script/bench builds it "
               "as it is meant\n",
               stderr);
#endif
    return o;
}

race::estimate added_time(const race::series& subject, const race::series& peer) {
    std::map<unsigned, double> times;
    for (const race::sample& one : peer.usable()) {
        times[one.round] = one.ns;
    }
    std::vector<double> differences;
    for (const race::sample& one : subject.usable()) {
        if (times.contains(one.round)) {
            differences.push_back(one.ns - times[one.round]);
        }
    }
    return race::signed_ranks(std::move(differences)).interval();
}

/// The interval of fewer pairs of samples would not cover 95 % of what could be.
bool has_interval(const race::estimate& e) {
    return e.count >= race::pairs_for_a_verdict;
}

std::string interval_text(const race::estimate& e, double scale, int digits) {
    return has_interval(e)
               ? fmt::format("{:.{}f} … {:.{}f}", e.low * scale, digits, e.high * scale, digits)
               : std::string("too few rounds");
}

void add_interval(nlohmann::ordered_json& to, const race::estimate& e) {
    to["low"] = nullptr;
    to["high"] = nullptr;
    if (has_interval(e)) {
        to["low"] = e.low;
        to["high"] = e.high;
    }
    to["count"] = e.count;
}

/// Nothing where too few rounds were undisturbed.
std::optional<double> distance_of(const race::noise_floor& floor) {
    return floor.known() ? std::optional(floor.distance) : std::nullopt;
}

bench_run::bench_run(bench_options options) : options_(std::move(options)) {}

bool bench_run::wants(const std::string& title) const {
    const auto& only = options_.only;
    return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& text) {
               return title.find(text) != std::string::npos;
           });
}

std::optional<race::sampling_result> bench_run::measure(const std::string& title,
                                                        const std::string& unit,
                                                        std::vector<race::contender> contenders,
                                                        const std::vector<comparison>& comparisons,
                                                        unsigned times_rounds) {
    if (!wants(title)) {
        return std::nullopt;
    }
    const race::load_meter meter;
    const std::string control = contenders.front().name;
    race::add_control(contenders, control);
    race::sampling_options how;
    how.rounds = options_.rounds * times_rounds;
    how.seed = options_.seed;
    how.meter = &meter;
    how.settle = [] { race::quiesce(); };
    auto result = race::measure(contenders, how);
    const auto floor = race::floor_of(result, control);
    show(title, unit, 1, distance_of(floor), result.all);
    for (const comparison& c : comparisons) {
        compare(c, result.of(c.subject), result.of(c.peer));
    }
    return result;
}

void bench_run::measure(const scheme_race& what, const std::vector<comparison>& comparisons) {
    if (!wants(what.title)) {
        return;
    }
    std::vector<race::entrant> entrants;
    for (const char* name : what.schemes) {
        if (const auto* scheme = race::find_scheme(name)) {
            entrants.push_back({name, scheme, false});
        }
    }
    race::race_options how = what.how;
    how.rounds = options_.rounds;
    how.seed = options_.seed;
    race::race_control control;
    const auto result = race::run_race(*race::find_workload(what.workload), entrants, how, control);
    std::vector<race::series> all;
    for (const auto& one : result.schemes) {
        if (one.status == race::scheme_status::skipped) {
            skip(one.name, one.reason);
            continue;
        }
        all.push_back(one.measured);
        if (!one.ok()) {
            all.back().failure = one.reason;
        }
    }
    show(what.title, what.unit, what.scale, distance_of(result.floor), all);
    for (const comparison& c : comparisons) {
        const auto* subject = result.find(c.subject);
        const auto* peer = result.find(c.peer);
        if (subject != nullptr && peer != nullptr && subject->ok() && peer->ok()) {
            compare(c, subject->measured, peer->measured);
        }
    }
}

void bench_run::measure(const figure& what, const std::string& unit, unsigned rounds,
                        std::size_t ours, const std::vector<race::contender>& contenders) {
    if (!wants(what.name)) {
        return;
    }
    const race::load_meter meter;
    race::sampling_options how;
    how.rounds = rounds;
    how.warm_up = 0;
    how.meter = &meter;
    how.settle = [] { race::quiesce(); };
    const auto result = race::measure(contenders, how);
    show(what.name, unit, what.scale, std::nullopt, result.all);
    for (std::size_t i = 0; i < result.all.size(); ++i) {
        figure one = what;
        one.bar = i < ours ? what.bar : std::nullopt;
        add(one, result.all[i]);
    }
}

void bench_run::show(const std::string& title, const std::string& unit, double scale,
                     std::optional<double> noise_floor, const std::vector<race::series>& all) {
    noise_floor_ = std::max(noise_floor_, noise_floor.value_or(0));
    std::FILE* out = options_.json == "-" ? stderr : stdout;
    fmt::print(out, "\n{}{}\n", title,
               noise_floor ? fmt::format(" (noise floor {:.1f} %)", 100 * *noise_floor) : "");
    measured_table table{title, unit, noise_floor, {}};
    for (const race::series& s : all) {
        samples_ += s.samples.size();
        dropped_ += s.disturbed() ? 0 : s.contaminated();
        if (s.failed()) {
            fmt::print(out, "  {:<44} FAILED: {}\n", s.name, s.failure);
            failed_ = true;
            continue;
        }
        const auto t = s.time();
        table.rows.push_back(
            {s.name, {t.median * scale, t.low * scale, t.high * scale, t.count}, s.disturbed()});
        fmt::print(out, "  {:<44} {:>9.1f} {} ({}){}\n", s.name, t.median * scale, unit,
                   interval_text(t, scale, 1), s.disturbed() ? "  all samples disturbed" : "");
    }
    tables_.push_back(std::move(table));
}

void bench_run::compare(const comparison& what, const race::series& subject,
                        const race::series& peer) {
    if (subject.failed() || peer.failed() || subject.samples.empty() || peer.samples.empty()) {
        return; // `show` has said that it failed.
    }
    const auto ratio = race::paired_ratio(subject, peer);
    if (ratio.count == 0) {
        skip(what.name, "no round in which both ran undisturbed");
        return;
    }
    add({what.name, what.subject, what.peer, ratio, what.bar,
         !what.bar || ratio.median <= *what.bar});
}

void bench_run::add(const figure& what, const race::series& subject) {
    if (const auto time = subject.time(); time.count != 0) {
        add(what, subject.name, time);
    }
}

void bench_run::add(const figure& what, const std::string& subject, const race::estimate& value) {
    if (value.count == 0) {
        skip(what.name, "no undisturbed sample");
        return;
    }
    const race::estimate scaled{value.median * what.scale, value.low * what.scale,
                                value.high * what.scale, value.count};
    add({what.name, subject, what.peer, scaled, what.bar, !what.bar || scaled.median <= *what.bar});
}

void bench_run::add(measure_row row) {
    rows_.push_back(std::move(row));
}

void bench_run::note(const std::string& text) {
    notes_.push_back(text);
    fmt::print(options_.json == "-" ? stderr : stdout, "\n{}\n", text);
}

void bench_run::skip(const std::string& name, const std::string& why) {
    std::string text = name + ": " + why;
    if (std::find(skipped_.begin(), skipped_.end(), text) == skipped_.end()) {
        skipped_.push_back(std::move(text));
    }
}

nlohmann::ordered_json bench_run::tables_as_json() const {
    auto tables = nlohmann::ordered_json::array();
    for (const measured_table& table : tables_) {
        auto rows = nlohmann::ordered_json::array();
        for (const measured_table::row& r : table.rows) {
            rows.push_back({{"name", r.name}, {"median", r.time.median}});
            add_interval(rows.back(), r.time);
            rows.back()["disturbed"] = r.disturbed;
        }
        tables.push_back({{"title", table.title}, {"unit", table.unit}, {"noise_floor", nullptr}});
        if (table.noise_floor) {
            tables.back()["noise_floor"] = *table.noise_floor;
        }
        tables.back()["rows"] = std::move(rows);
    }
    return tables;
}

int bench_run::finish(const std::string& bench) {
    std::FILE* out = options_.json == "-" ? stderr : stdout;
    fmt::print(out, "\ncomparisons (time of the subject by the time of the peer)\n");
    nlohmann::ordered_json measures = nlohmann::ordered_json::array();
    for (const measure_row& r : rows_) {
        std::string bar = "no bar";
        if (r.bar) {
            const bool clear =
                has_interval(r.ratio) && (r.holds ? r.ratio.high <= *r.bar : r.ratio.low > *r.bar);
            bar = fmt::format("bar {:.2f} {}{}", *r.bar, r.holds ? "holds" : "DOES NOT HOLD",
                              clear ? "" : ", by the median");
        }
        fmt::print(out, "  {:<44} {:>6.3f} ({})  {:<22} {} / {}\n", r.name, r.ratio.median,
                   interval_text(r.ratio, 1, 3), bar, r.subject, r.peer);
        nlohmann::ordered_json row{{"name", r.name}, {"subject", r.subject},
                                   {"peer", r.peer}, {"ratio", {{"median", r.ratio.median}}},
                                   {"bar", nullptr}, {"holds", r.holds}};
        add_interval(row["ratio"], r.ratio);
        if (r.bar) {
            row["bar"] = *r.bar;
        }
        measures.push_back(std::move(row));
    }
    for (const std::string& s : skipped_) {
        fmt::print(out, "  skipped: {}\n", s);
    }
    fmt::print(out, "  {} samples, {} dropped as disturbed; built with {} {}\n", samples_, dropped_,
               __VERSION__, REGATTA_BUILD_FLAGS);
    if (options_.json.empty()) {
        return failed_ ? 1 : 0;
    }
    const nlohmann::ordered_json document{{"schema", "regatta-bench/1"},  {"bench", bench},
                                          {"rounds", options_.rounds},    {"seed", options_.seed},
                                          {"noise_floor", noise_floor_},  {"samples", samples_},
                                          {"dropped", dropped_},          {"compiler", __VERSION__},
                                          {"flags", REGATTA_BUILD_FLAGS}, {"notes", notes_},
                                          {"skipped", skipped_},          {"measures", measures},
                                          {"tables", tables_as_json()}};
    if (options_.json == "-") {
        fmt::print("{}\n", document.dump(2));
        return failed_ ? 1 : 0;
    }
    std::ofstream file(options_.json);
    file << document.dump(2) << '\n';
    if (!file.flush()) {
        fmt::print(stderr, "bench: cannot write '{}'\n", options_.json);
        return 1;
    }
    return failed_ ? 1 : 0;
}

} // namespace regatta::bench
