// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"

#include <omp.h>

namespace regatta::race {
namespace {

/// The calling thread and workers − 1 threads of OpenMP share a loop over the items.
class openmp : public scheme {
public:
    ~openmp() override { omp_pause_resource_all(omp_pause_hard); } // no thread of it stays

    void prepare(run_context& context) override {
        omp_set_dynamic(0);
        const int workers = static_cast<int>(context.workers);
        int got = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
        got = omp_get_num_threads();
        if (got != workers) {
            throw scheme_failure("OpenMP gave " + std::to_string(got) + " of " +
                                 std::to_string(workers) + " threads (OMP_THREAD_LIMIT?)");
        }
    }
};

class openmp_static final : public openmp {
public:
    void run(run_context& context) override {
        const std::size_t count = context.work.items();
        const int workers = static_cast<int>(context.workers);
#pragma omp parallel num_threads(workers)
        {
            item_runner runner(context.work, context.log);
#pragma omp for schedule(static)
            for (std::size_t item = 0; item < count; ++item) {
                runner(item);
            }
        }
    }
};

class openmp_dynamic final : public openmp {
public:
    void run(run_context& context) override {
        const std::size_t count = context.work.items();
        const int workers = static_cast<int>(context.workers);
#pragma omp parallel num_threads(workers)
        {
            item_runner runner(context.work, context.log);
#pragma omp for schedule(dynamic, 1)
            for (std::size_t item = 0; item < count; ++item) {
                runner(item);
            }
        }
    }
};

/// The number of the standard, where this file knows what the date in _OPENMP stands for.
std::string version() {
    switch (const long date = _OPENMP) {
    case 201511:
        return "OpenMP 4.5";
    case 201811:
        return "OpenMP 5.0";
    case 202011:
        return "OpenMP 5.1";
    default:
        return "OpenMP of " + std::to_string(date);
    }
}

} // namespace

scheme_info openmp_static_scheme() {
    return {.name = "openmp_static",
            .summary =
                "OpenMP loop cut into equal blocks beforehand; warm threads, caller included",
            .suits = "loops whose items all cost the same",
            .make = make_new<openmp_static>,
            .library_version = version,
            .reusable = true,
            .traits = {.synchronises_unseen = true}};
}

scheme_info openmp_dynamic_scheme() {
    return {.name = "openmp_dynamic",
            .summary =
                "OpenMP loop, each thread takes the next item; warm threads, caller included",
            .suits = "loops whose items cost unequally",
            .make = make_new<openmp_dynamic>,
            .library_version = version,
            .reusable = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
