// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A product of matrices by processes that claim rows in shared memory: the plain way, without a
// pool. A worker that dies takes the row along that it had claimed; the parent finds out which.

#include <regatta/process/shared_memory.hpp>
#include <regatta/process/subprocess.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <new>
#include <vector>

namespace {

constexpr std::size_t size = 128;
constexpr unsigned workers = 4;
constexpr int memory_descriptor = 3;

/// What all processes see. Atomics in it must be free of locks.
struct product {
    std::atomic<std::size_t> next{0}; ///< The first row that nobody has claimed.
    std::atomic<unsigned char> row_is_there[size]{};
    double a[size][size]{};
    double b[size][size]{};
    double c[size][size]{};
};
constexpr auto layout = regatta::layout_hash<product>("product v1");

void compute_row(product& shared, std::size_t i) {
    for (std::size_t j = 0; j < size; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < size; ++k) {
            sum += shared.a[i][k] * shared.b[k][j];
        }
        shared.c[i][j] = sum;
    }
    shared.row_is_there[i].store(1, std::memory_order_release);
}

/// The worker: claims one row after the other until none is left.
int work() {
    const auto memory = regatta::shared_memory::attach(memory_descriptor, layout);
    auto& shared = *reinterpret_cast<product*>(memory.data());
    for (std::size_t row = shared.next++; row < size; row = shared.next++) {
        compute_row(shared, row);
    }
    return 0;
}

} // namespace

int main(int argc, char**) {
    if (argc > 1) {
        return work();
    }
    const auto memory = regatta::shared_memory::anonymous("product", sizeof(product), layout);
    auto& shared = *::new (memory.data()) product;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            shared.a[i][j] = static_cast<double>(i + j);
            shared.b[i][j] = i == j ? 2 : 0;
        }
    }

    std::vector<regatta::subprocess> processes;
    for (unsigned i = 0; i < workers; ++i) {
        processes.push_back(
            regatta::spawn({.program = "/proc/self/exe",
                            .arguments = {"worker"},
                            .descriptors = {{memory.descriptor(), memory_descriptor}}}));
    }
    for (regatta::subprocess& process : processes) {
        if (const regatta::exit_status status = process.wait(); !status.success()) {
            std::printf("a worker %s\n", status.describe().c_str());
        }
    }
    // Whoever died had claimed rows that are not there: nobody else would compute them.
    for (std::size_t row = 0; row < size; ++row) {
        if (shared.row_is_there[row].load(std::memory_order_acquire) == 0) {
            compute_row(shared, row);
        }
    }

    bool right = true;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            right = right && shared.c[i][j] == 2 * static_cast<double>(i + j);
        }
    }
    std::printf("%zu rows by %u processes, %s\n", size, workers, right ? "right" : "wrong");
    return right ? 0 : 1;
}
