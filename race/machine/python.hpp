// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The Python of this machine that runs the schemes written in Python.

#include <chrono>
#include <string>
#include <string_view>

namespace regatta::race {

/// An interpreter, what it has of numpy, and with whose code that computes. What it has not is
/// empty.
struct python_interpreter {
    std::string path;           ///< The program; empty: there is none.
    std::string version;        ///< "3.11.2".
    std::string implementation; ///< "CPython".
    std::string numpy_version;  ///< "2.4.6".
    std::string numpy_blas;     ///< "OpenBLAS 0.3.31"; empty: numpy computes with loops of its own.
    std::string numpy_blas_core; ///< For which processor that computes ("Zen"), where it says so.
    std::string missing; ///< Empty: it can run the schemes. Otherwise why not, and what to do.
};

/// Asks an interpreter about itself. Failure: none; `missing` says it.
/// Blocks: until it has answered, some 100 ms; one that does not within `limit` is killed with all
/// that it has started in its process group.
/// @param program a path, or a name to be found in PATH.
python_interpreter ask_python(const std::string& program,
                              std::chrono::seconds limit = std::chrono::seconds(5));

/// What script/bootstrap makes: `name` in the folder build/ of the checkout. Empty if this program
/// does not lie below such a folder: an installed program trusts no folder in which it was built.
std::string made_by_bootstrap(std::string_view name);

/// The interpreter that the schemes use: $REGATTA_PYTHON; where that is not set, that of the
/// environment which `script/bootstrap` makes in the checkout; where there is none, the `python3`
/// in PATH. Asked once, by the first who calls.
const python_interpreter& find_python();

} // namespace regatta::race
