// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A plug-in that has work done in other processes. The program that loads it has a main of its own:
// the pool is told which program its workers are.

#include "rows.hpp"

#include <regatta/process/process_pool.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace rows {

double root(const regatta::process_task& task, double x) {
    if (x < 0) {
        throw std::domain_error("no root of a negative number");
    }
    if (task.index == 1 && task.attempt == 1) {
        ::kill(::getpid(),
               SIGKILL); // As a crash: of a worker, not of the program with the plug-in.
    }
    return std::sqrt(x);
}

} // namespace rows

namespace {

thread_local unsigned long deaths = 0; // The program may call from several threads.

} // namespace

int rows_roots(const double* in, double* out, std::size_t count, const char* worker,
               const char* self, char* error, std::size_t room) {
    try {
        regatta::process_pool pool(
            {.workers = 2, .name = "rows", .worker_program = worker, .worker_arguments = {self}});
        const auto input = pool.allocate_input<double>(count);
        const auto output = pool.allocate<double>(count);
        std::copy(in, in + count, input.begin());
        pool.map<rows::root>(input, output).get();
        std::copy(output.begin(), output.end(), out);
        deaths = static_cast<unsigned long>(pool.stats().deaths);
        return 0;
    } catch (const std::exception& failure) { // No exception may leave for a caller in C.
        std::snprintf(error, room, "%s", failure.what());
        return -1;
    }
}

unsigned long rows_deaths() {
    return deaths;
}

void rows_serve(int argc, const char* const* argv) {
    regatta::offer_process_functions<rows::root>();
    regatta::run_process_worker(argc, argv);
}
