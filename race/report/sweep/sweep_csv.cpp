// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/csv.hpp"
#include "report/sweep/sweep_report.hpp"

#include <fmt/core.h>

namespace regatta::race {

std::string to_csv(const sweep_result& sweep) {
    std::string out = "cell_size,cell_workers,cell_chunk,cell_capacity," + csv_head();
    for (const sweep_cell* const cell : sweep.measured()) {
        out +=
            csv_lines(cell->result,
                      fmt::format("{},{},{},{},", cell->size != 0 ? std::to_string(cell->size) : "",
                                  cell->workers, cell->chunk, cell->capacity));
    }
    return out;
}

} // namespace regatta::race
