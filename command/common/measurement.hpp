// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// From the command line's choices to the exit status: what all commands that measure have in
/// common.

#include "common/interrupt.hpp"
#include "common/progress_bar.hpp"
#include "common/result_files.hpp"
#include "common/usage_error.hpp"
#include "machine/fingerprint.hpp"
#include "report/common/page.hpp"
#include "report/common/provenance.hpp"
#include "sampling/race_control.hpp"
#include "text/text.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Opens the files, measures with a bar on the terminal until it is done or a signal stops it, and
/// writes the result.
/// @param words the whole command line.
/// @param measure is called as `measure(control, report)` and returns a result with `to_json`,
/// `to_csv` and `to_text`; `report` takes a `race::progress`.
/// @param status_of the exit status of a result that was written and that no signal cut short.
template<class Measure, class StatusOf>
int measure_and_write(const result_paths& files, const std::vector<std::string>& words,
                      Measure measure, StatusOf status_of) {
    race::race_control control;
    const interrupt_guard guard(control);
    result_files to(files);
    // Before the measurement, whose own load is not the machine's.
    const race::provenance from{race::take_fingerprint(), words};
    const auto with_progress = [&] {
        to.print_aside();
        progress_bar bar(files.quiet);
        return measure(control, [&](const race::progress& now) { bar.show(now); });
    };
    const auto result = with_progress();
    interrupt_guard::measured();
    const bool written =
        to.write([&] { return to_json(result, from); }, [&] { return to_csv(result); },
                 [&](const race::text_style& style) {
                     return race::page_of(to_text(result, from, style), from, style);
                 });
    return interrupt_guard::exit_status(written ? status_of(result) : exit_code::failure);
}

} // namespace regatta::command
