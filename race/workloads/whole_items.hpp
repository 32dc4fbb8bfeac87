// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Items whose work is calls of the BLAS, each by all of its threads.

#include "machine/blas.hpp"
#include "workloads/workload.hpp"

#include <cstddef>

namespace regatta::race {

/// Runs the items one after the other, each by that many threads of the library, and leaves it with
/// one. The body of `workload::run_whole`.
inline bool run_items_whole(workload& work, unsigned workers) {
    blas& library = blas::load();
    library.set_threads(static_cast<int>(workers));
    for (std::size_t item = 0; item < work.items(); ++item) {
        work.run(item);
    }
    library.set_threads(1);
    return true;
}

} // namespace regatta::race
