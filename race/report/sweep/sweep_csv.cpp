// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/csv.hpp"
#include "report/race/launches_report.hpp"
#include "report/sweep/sweep_report.hpp"

#include <fmt/core.h>

namespace regatta::race {

std::string to_csv(const sweep_result& sweep) {
    std::string out = "cell_size,cell_workers,cell_chunk,cell_capacity," +
                      (sweep.launches > 1 ? launches_csv_head() : csv_head());
    for (const sweep_cell* const cell : sweep.measured()) {
        const sweep_place& at = cell->at;
        const std::string first =
            fmt::format("{},{},{},{},", at.size != 0 ? std::to_string(at.size) : "", at.workers,
                        at.chunk, at.capacity);
        out += sweep.launches > 1 ? launches_csv_lines(cell->launches, first)
                                  : csv_lines(cell->result, first);
    }
    return out;
}

} // namespace regatta::race
