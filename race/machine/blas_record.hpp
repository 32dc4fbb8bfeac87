// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which BLAS programs of this machine get, and what processor OpenBLAS takes this one for.

#include "machine/processor.hpp"

#include <string>
#include <string_view>

namespace regatta::race {

/// The BLAS of the system, as a program meets it that sets nothing itself.
struct blas_record {
    std::string path;    ///< The file of OpenBLAS; empty: there is none.
    std::string version; ///< "0.3.21", where the file's name says it.
    std::string core;    ///< The processor whose code it chose, as "Haswell"; empty: unknown.
    /// What the user's OPENBLAS_CORETYPE says, by which the core was chosen; empty: it is not set.
    std::string requested_core;
    /// What a program gets that asks for any BLAS (libblas.so.3); empty: nothing.
    std::string usual_path;

    /// Whether that is the reference BLAS, whose loops are written for clarity.
    bool usual_is_reference() const noexcept;
};

/// Finds it by starting a program that does nothing with the libraries before it, so that this
/// process neither loads it nor changes its own environment.
///
/// Failure: none. Blocks: until that program has ended, some 10 ms twice; 5 s at most.
blas_record find_blas_record();

/// The code that OpenBLAS should choose on a processor ("SkylakeX"); empty: any may be right.
std::string suitable_blas_core(const processor& machine, std::string_view model);

/// Whether the code makes no use of instructions that the suitable code uses, so that products of
/// matrices take about twice as long or more.
bool is_lesser_blas_core(std::string_view core, std::string_view suitable) noexcept;

} // namespace regatta::race
