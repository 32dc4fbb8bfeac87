// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A product of matrices by rows in worker processes, some of which crash: the result is right, and
// the row that crashes each worker fails alone.

#include <regatta/process/process_pool.hpp>

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace {

constexpr std::size_t size = 64;

struct matrices {
    double a[size][size];
    double b[size][size];
};
struct row {
    double values[size];
};

/// Computes one row. A function of whole ranges writes only what belongs to its task.
void multiply_row(const regatta::process_task& task, std::span<const matrices> in,
                  std::span<row> out) {
    const std::size_t i = task.index;
    if (i % 10 == 3 && task.attempt == 1) {
        ::kill(::getpid(), SIGKILL); // As a crash, or the kernel for want of memory.
    }
    for (std::size_t j = 0; j < size; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < size; ++k) {
            sum += in[0].a[i][k] * in[0].b[k][j];
        }
        out[i].values[j] = sum;
    }
}

/// One that crashes each worker at the same element.
double inverse(double x) {
    if (x == 0) {
        std::abort(); // As a failed assertion.
    }
    return 1 / x;
}

bool multiply(regatta::process_pool& pool) {
    const auto in = pool.allocate_input<matrices>(1);
    const auto out = pool.allocate<row>(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            in[0].a[i][j] = static_cast<double>(i + j);
            in[0].b[i][j] = i == j ? 2 : 0;
        }
    }
    pool.map<multiply_row>(in, out).get(); // Throws if a row could not be had.
    bool right = true;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            right = right && out[i].values[j] == 2 * static_cast<double>(i + j);
        }
    }
    const auto stats = pool.stats();
    std::printf("%zu rows, %llu workers died, %llu rows were begun again\n", size,
                static_cast<unsigned long long>(stats.deaths),
                static_cast<unsigned long long>(stats.reruns));
    return right && stats.deaths == 7;
}

bool invert(regatta::process_pool& pool) {
    const auto in = pool.allocate_input<double>(5);
    const auto out = pool.allocate<double>(5);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<double>(i) - 2; // The middle one is 0.
    }
    const auto job = pool.map<inverse>(in, out);
    for (const regatta::task_failure& failure : job.failures()) {
        std::printf("%s\n", failure.describe().c_str());
    }
    return job.failures().size() == 1 && job.failures()[0].signal == SIGABRT && out[4] == 0.5;
}

} // namespace

int main(int argc, char** argv) {
    regatta::run_process_worker(argc, argv); // In a worker it does not return.

    regatta::process_pool pool({.workers = 2, .name = "rows", .attempts = 3});
    const bool multiplied = multiply(pool);
    const bool inverted = invert(pool);

    // A single call gives a future, as from any pool.
    regatta::future<double> half = pool.submit<inverse>(2.0);
    return multiplied && inverted && half.get() == 0.5 ? 0 : 1;
}
