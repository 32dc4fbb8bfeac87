// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Races whose truth is known: of one scheme against itself under another name, where whoever calls
/// a winner is wrong, and against the same with 3 % more work, where whoever calls none has missed
/// it. The ratio is the share of races with a verdict.

#include "bench.hpp"

#include "sampling/race.hpp"
#include "sampling/race_control.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace regatta;

constexpr std::size_t rows = 400;
constexpr std::size_t rows_again = 12; // 3 %

/// Threads with a share of the rows each, of which they compute some once more.
class shares final : public race::scheme {
public:
    explicit shares(std::size_t again) : again_(again) {}

    void run(race::run_context& context) override {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < context.workers; ++i) {
            threads.emplace_back([&, i] {
                race::item_runner runner(context.work, context.log);
                const std::size_t end = rows * (i + 1) / context.workers;
                for (std::size_t row = rows * i / context.workers; row < end; ++row) {
                    runner(row);
                }
                for (std::size_t n = again_ / context.workers; n > 0; --n) {
                    context.work.run(end - n);
                }
            });
        }
    }

private:
    std::size_t again_;
};

race::scheme_info info(std::string_view name, std::size_t again) {
    return {.name = name, .summary = name, .suits = "a test", .make = [again](const auto&) {
                return std::make_unique<shares>(again);
            }};
}

/// As many workers as CPUs, or fewer, that share those rows evenly.
unsigned even_workers() {
    unsigned workers = std::min(available_cpus(), static_cast<unsigned>(rows_again));
    while (rows_again % workers != 0) {
        --workers;
    }
    return workers;
}

/// How many races ended as `like` says.
template<class Like>
unsigned count(const race::scheme_info& one, const race::scheme_info& other, unsigned races,
               const bench::bench_options& options, Like&& like) {
    const std::vector<race::entrant> entrants{{"one", &one, true}, {"other", &other, true}};
    unsigned found = 0;
    for (unsigned i = 0; i < races; ++i) {
        race::race_options how;
        how.work.size = rows;
        how.scheme.workers = even_workers();
        how.rounds = options.rounds;
        how.fill = options.usual_rounds ? race::usual_fill : std::chrono::seconds{0};
        how.seed = options.seed + i;
        how.baseline = "one";
        race::race_control control;
        const auto result = race::run_race(*race::find_workload("matmul"), entrants, how, control);
        found += like(result, result.find("other")->word) ? 1 : 0;
    }
    return found;
}

} // namespace

int main(int argc, char** argv) {
    const auto options = bench::parse_options(argc, argv, race::race_options{}.rounds);
    bench::bench_run run(options);
    const auto report = [&](const char* name, const char* left, unsigned called, unsigned races,
                            double bar, bool holds) {
        fmt::print(options.json == "-" ? stderr : stdout, "{}: {} of {} races\n", name, called,
                   races);
        const double share = double(called) / races;
        run.add({name, left, "all races", {share, share, share, races}, bar, holds});
    };
    const auto plain = info("plain", 0);

    constexpr unsigned equal_races = 100;
    const unsigned wrong = count(
        plain, plain, equal_races, options, [](const race::race_result& r, race::verdict word) {
            return r.leaders.size() == 1 || word == race::verdict::faster ||
                   word == race::verdict::slower;
        });
    // "Fewer than 5 of 100".
    report("winners called between equals", "races with a winner", wrong, equal_races, 0.04,
           wrong < 5);

    constexpr unsigned planted_races = 20;
    const unsigned found = count(
        plain, info("more", rows_again), planted_races, options,
        [](const race::race_result&, race::verdict word) { return word == race::verdict::slower; });
    report("3 % more work found", "races that found it", found, planted_races, 0.9, found >= 18);
    return run.finish("aa");
}
