// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The Python program that runs the items of a workload, as the race sees it.

#include "machine/memory_file.hpp"
#include "schemes/scheme.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/subprocess.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// How that program is started; python/run.py tells what it does with each.
struct python_start {
    std::string way; ///< "serial", "threads", …
    bool one_blas_thread = false;
    int records = -1; ///< Descriptor of the mapping that takes the records.
};

/// The numbers of an answer, by their names.
using answer_numbers = std::map<std::string, std::int64_t, std::less<>>;

/// Python as a process, and the socket over which the two talk. When the object goes, so do Python
/// and all that it started.
///
/// Threads: one, which outlives it: Python dies with it.
/// Failure: `scheme_failure` with Python's own last words where it ends unasked.
class python_process {
public:
    python_process(const python_start& start, const run_context& context,
                   const std::vector<layout_number>& numbers);
    python_process(const python_process&) = delete;
    python_process& operator=(const python_process&) = delete;
    ~python_process();

    /// Says one word.
    void say(std::string_view word);
    /// Waits until it has answered, and returns the number of each name in the answer.
    /// @param word what the answer must begin with.
    answer_numbers answer(std::string_view word);

    pid_t pid() const noexcept { return child_.pid(); }

private:
    std::string line();
    [[noreturn]] void fail();

    memory_file complaints_; ///< Its standard error.
    detail::unique_descriptor socket_;
    subprocess child_;
};

/// The program in Python, `python/run.py` beside the worker program; empty where it is not there.
std::string python_program();

} // namespace regatta::race
