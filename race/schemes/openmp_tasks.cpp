// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/forked_run.hpp"
#include "schemes/openmp_team.hpp"
#include "schemes/thread_runner.hpp"

#include <omp.h>
#include <parallel/algorithm>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace regatta::race {
namespace {

struct openmp_forks {
    template<class F, class G>
    static auto both(F&& f, G&& g) {
        decltype(f()) first{};
#pragma omp task shared(first, f)
        first = f();
        auto second = g();
#pragma omp taskwait
        return std::pair(std::move(first), std::move(second));
    }
    template<class F>
    static void each(std::size_t count, F&& f) {
        for (std::size_t i = 0; i < count; ++i) {
#pragma omp task shared(f)
            f(i);
        }
#pragma omp taskwait
    }
    template<class F>
    static void loop(std::size_t count, F&& f) {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) {
            f(i);
        }
    }
    template<class F>
    static void loop_2d(std::size_t rows, std::size_t columns, F&& f) {
#pragma omp parallel for collapse(2) schedule(dynamic, 64)
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                f(row, column);
            }
        }
    }
    static double sum(const double* first, const double* last) {
        double all = 0;
#pragma omp parallel for simd reduction(+ : all)
        for (const double* at = first; at < last; ++at) {
            all += *at;
        }
        return all;
    }
    /// OpenMP has no sort; this one is what comes with GCC and runs on its threads.
    template<class T>
    static void sort(T* first, T* last) {
        __gnu_parallel::sort(first, last);
    }
};

class openmp_tasks final : public forked_scheme<openmp_tasks, openmp_forks> {
public:
    ~openmp_tasks() override { end_openmp_team(); }

    void prepare(run_context& context) override {
        start_openmp_team(context.workers);
        omp_set_num_threads(static_cast<int>(context.workers));
    }

    void run_items(run_context& context) {
        thread_runners runners(context.work, context.log);
        const std::size_t count = context.work.items();
        // Of more than 64 tasks a thread GCC's library runs all on the thread that makes them.
        const std::size_t tasks = std::min(count, std::size_t{32} * context.workers);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(tasks)
        for (std::size_t item = 0; item < count; ++item) {
            runners(item);
        }
    }

    template<bool Recursive, class Computation>
    void enter(Computation&& computation) {
        if constexpr (Recursive) {
#pragma omp parallel
#pragma omp single
            computation();
        } else {
            computation();
        }
    }
};

} // namespace

scheme_info openmp_scheme() {
    return {.name = "openmp",
            .summary = "OpenMP tasks for forks and items, loops for loops; warm threads, caller "
                       "included",
            .suits = "loops and recursion in programs that use OpenMP anyway",
            .make = make_new<openmp_tasks>,
            .library_version = openmp_version,
            .reusable = true,
            .forks = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
