// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/openmp_team.hpp"
#include "schemes/scheme.hpp"

namespace regatta::race {
namespace {

/// The calling thread and workers − 1 threads of OpenMP share a loop over the items.
class openmp : public scheme {
public:
    ~openmp() override { end_openmp_team(); }

    void prepare(run_context& context) override { start_openmp_team(context.workers); }
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

} // namespace

scheme_info openmp_static_scheme() {
    return {.name = "openmp_static",
            .summary =
                "OpenMP loop cut into equal blocks beforehand; warm threads, caller included",
            .suits = "loops whose items all cost the same",
            .make = make_new<openmp_static>,
            .library_version = openmp_version,
            .reusable = true,
            .traits = {.synchronises_unseen = true}};
}

scheme_info openmp_dynamic_scheme() {
    return {.name = "openmp_dynamic",
            .summary =
                "OpenMP loop, each thread takes the next item; warm threads, caller included",
            .suits = "loops whose items cost unequally",
            .make = make_new<openmp_dynamic>,
            .library_version = openmp_version,
            .reusable = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
