// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/isolation/isolation_table.hpp"

#include "report/common/grid.hpp"
#include "report/common/verdict_word.hpp"
#include "report/info/info_text.hpp"
#include "report/isolation/isolation_words.hpp"
#include "text/command_line.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace regatta::race {
namespace {

/// So many lines of rounds stand in the text; all of them are in the JSON.
constexpr unsigned most_lines_shown = 30;

/// With a line a worker, where these are known.
unsigned first_round_shown(const isolation_result& result) {
    const unsigned lines = result.program.empty() ? std::max(1U, result.workers) : 1;
    const unsigned shown = std::max(1U, most_lines_shown / lines);
    return result.rounds > shown ? result.rounds - shown : 0;
}

std::string title(const isolation_result& result, const provenance& from, const text_style& style) {
    const std::string_view dot = style.unicode ? " · " : ", ";
    std::string text = fmt::format("isolation{}noise {}{}{} on CPU {} of {}", dot,
                                   result.noise.to_string(), dot, counted(result.workers, "worker"),
                                   result.cpus.to_string(), from.machine.online_cpus);
    if (!result.program.empty()) {
        text += fmt::format("{}{}", dot, detail::printable_text(command_line(result.program)));
    }
    if (!from.machine.cpu_model.empty()) {
        text += fmt::format(" ({})", from.machine.cpu_model);
    }
    return text + fmt::format("{}{} after {} of warm-up", dot, counted(result.rounds, "round"),
                              result.warm_up);
}

std::vector<const mode_result*> rows_of(const isolation_result& result) {
    std::vector<const mode_result*> rows;
    for (const mode_result& mode : result.modes) {
        if (mode.ran()) {
            rows.push_back(&mode);
        }
    }
    return rows;
}

/// What may be nothing at all.
std::string time_text(double ns, const text_style& style) {
    return ns < 1 ? std::string("0 ms") : duration_text(ns, style);
}

std::string difference_text(const mode_result& mode) {
    switch (mode.why) {
    case cause::none:
        return "-";
    case cause::displaced:
        return "displaced time";
    case cause::slower:
        return "slower execution";
    case cause::both:
        break;
    }
    return "both";
}

std::string dropped(const isolation_result& result) {
    std::size_t all = result.control.samples.size();
    std::size_t bad = result.control.dropped();
    std::string who;
    for (const mode_result& mode : result.modes) {
        all += mode.measured.samples.size();
        bad += mode.measured.dropped();
        if (mode.measured.dropped() != 0) {
            who += fmt::format("{}{} {}", who.empty() ? "" : ", ", to_string(mode.mode),
                               mode.measured.dropped());
        }
    }
    if (result.control.dropped() != 0) {
        who += fmt::format("{}control {}", who.empty() ? "" : ", ", result.control.dropped());
    }
    return bad == 0 ? std::string()
                    : fmt::format("Dropped {} of {}, because other processes used the CPUs "
                                  "meanwhile: {}.",
                                  bad, counted(all, "sample"), who);
}

std::string floor_words(const isolation_result& result, const text_style& style) {
    if (!result.floor.known()) {
        return "Noise floor: unknown, too few clean rounds.";
    }
    return fmt::format("Noise floor {}{}: alone against itself.", style.unicode ? "±" : "+-",
                       percent_text(result.floor.distance));
}

} // namespace

std::string modes_text(const isolation_result& result, const text_style& style) {
    const auto rows = rows_of(result);
    if (rows.empty()) {
        return {};
    }
    std::vector<grid_column> columns;
    const auto add = [&](const char* name, bool left, unsigned drop,
                         const std::function<std::string(const mode_result&)>& cell) {
        grid_column& one = columns.emplace_back(grid_column{name, left, drop});
        for (const mode_result* row : rows) {
            one.cells.push_back(cell(*row));
        }
    };
    const auto count = [](const estimate& e) { return fmt::format("{:.0f}", e.median); };
    const auto times_cell = [&](const mode_result& m, const estimate& e) {
        return m.compared() ? fmt::format("{:.2f}{}", e.median, style.unicode ? "×" : "x")
                            : std::string("-");
    };
    add("mode", true, 0, [](const mode_result& m) { return std::string(to_string(m.mode)); });
    add("median", false, 9,
        [&](const mode_result& m) { return duration_text(m.wall.median, style); });
    add("slowdown", false, 0, [&](const mode_result& m) { return times_cell(m, m.slowdown); });
    add("95 % interval", false, 2, [&](const mode_result& m) {
        return m.slowdown.count < pairs_for_a_verdict
                   ? std::string("-")
                   : fmt::format("{:.2f}{}{:.2f}", m.slowdown.low, style.unicode ? "…" : "..",
                                 m.slowdown.high);
    });
    add("cpu/wall", false, 12,
        [](const mode_result& m) { return percent_text(m.cpu_share.median); });
    add("user", false, 6, [&](const mode_result& m) { return time_text(m.user.median, style); });
    add("system", false, 5,
        [&](const mode_result& m) { return time_text(m.system.median, style); });
    add("work cost", false, 11, [&](const mode_result& m) { return times_cell(m, m.work_cost); });
    add("invol.", false, 4, [&](const mode_result& m) { return count(m.involuntary_switches); });
    add("run delay", false, 3, [&](const mode_result& m) {
        return m.run_delay ? time_text(m.run_delay->median, style) : std::string("-");
    });
    if (!result.noise.made()) {
        add("others", false, 10,
            [](const mode_result& m) { return fmt::format("{:.2f} CPUs", m.others.median); });
    }
    add("migr.", false, 1, [&](const mode_result& m) {
        return m.migrations ? count(*m.migrations) : std::string("-");
    });
    add("verdict", true, 8, [](const mode_result& m) {
        return std::string(m.word == verdict::equal ? "as alone" : word_of(m.word));
    });
    for (const mode_result* row : rows) {
        columns.back().colours.push_back(row->word == verdict::slower   ? "31"
                                         : row->word == verdict::faster ? "32"
                                                                        : "90");
    }
    add("difference", true, 7, difference_text);
    return grid_text(std::move(columns), style);
}

std::string rounds_text(const isolation_result& result, const text_style& style) {
    const auto rows = rows_of(result);
    if (rows.empty() || result.rounds == 0) {
        return {};
    }
    // Of a program only the whole is known.
    const bool parted = result.workers > 1 && result.program.empty();
    const unsigned lines = parted ? result.workers : 1; // a round
    const unsigned first = first_round_shown(result);
    std::vector<grid_column> columns{{"round", false}};
    if (parted) {
        columns.push_back({"worker", false});
    }
    for (unsigned round = first; round < result.rounds; ++round) {
        for (unsigned worker = 0; worker < lines; ++worker) {
            columns.front().cells.push_back(std::to_string(round + 1));
            if (parted) {
                columns.back().cells.push_back(std::to_string(worker + 1));
            }
        }
    }
    const auto modes = static_cast<unsigned>(rows.size());
    unsigned drop = modes;
    for (const mode_result* mode : rows) {
        // In a narrow terminal the shares go first and then the times, of either those of the last
        // mode before others. The time alone stays.
        grid_column wall{std::string(to_string(mode->mode)), false,
                         drop == modes ? 0 : modes + drop};
        grid_column share{"cpu", false, drop--};
        wall.cells.assign(columns.front().cells.size(), "-");
        share.cells = wall.cells;
        for (std::size_t i = 0; i < mode->measured.samples.size(); ++i) {
            const sample& one = mode->measured.samples[i];
            if (one.round < first || one.round >= result.rounds) {
                continue;
            }
            const team_figures& run = mode->runs[i];
            for (unsigned worker = 0; worker < lines; ++worker) {
                const std::size_t at = std::size_t{one.round - first} * lines + worker;
                const bool each = parted && worker < run.workers.size();
                wall.cells[at] = (one.load.contaminated ? "*" : "") +
                                 duration_text(each ? run.workers[worker].wall_ns : one.ns, style);
                share.cells[at] =
                    percent_text(each ? run.workers[worker].cpu_share() : run.cpu_share());
            }
        }
        columns.push_back(std::move(wall));
        columns.push_back(std::move(share));
    }
    return grid_text(std::move(columns), style);
}

std::string to_text(const isolation_result& result, const provenance& from,
                    const text_style& style) {
    std::string out = heading(title(result, from, style), style);
    const auto say = [&](const std::string& text, std::string_view colour = {}) {
        out += paragraph(text, style, colour);
    };
    out += short_warnings(from.machine, style);
    for (const std::string& note : result.notes) {
        say("NOTE: " + note + ".", "1;33");
    }
    if (const std::string table = rounds_text(result, style); !table.empty()) {
        out += '\n' + table;
        if (const unsigned first = first_round_shown(result); first != 0) {
            say(fmt::format("The last {}; the JSON has all.",
                            counted(result.rounds - first, "round")));
        }
        if (result.contaminated > 0) {
            say("* other processes used the CPUs meanwhile");
        }
    }
    if (const std::string table = modes_text(result, style); !table.empty()) {
        out += '\n' + table;
        say(floor_words(result, style));
    }
    say(dropped(result));
    const mode_result& owned = result.of(isolation_mode::exclusive);
    say(owned.ran() ? joined(owned.explanation) : "");
    if (result.stopped) {
        say(fmt::format("Cut short after {}: this is what was measured by then.",
                        counted(result.rounds, "round")),
            "1;33");
    }
    out += '\n';
    const auto sentences = isolation_sentences(result, style);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        say(sentences[i], i + 1 == sentences.size() ? "1" : "");
    }
    return out;
}

} // namespace regatta::race
