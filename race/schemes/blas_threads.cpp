// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"

#include "machine/blas.hpp"

namespace regatta::race {
namespace {

/// The whole workload in one call of OpenBLAS, which divides it among its own threads.
class blas_threads final : public scheme {
public:
    ~blas_threads() override { blas::load().set_threads(1); } // none to start: it cannot throw

    void prepare(run_context& context) override {
        blas::load().set_threads(static_cast<int>(context.workers)); // starts them
    }

    void run(run_context& context) override {
        if (!context.work.run_whole(context.workers)) {
            throw scheme_failure("the workload has no form that OpenBLAS computes as a whole");
        }
    }

    bool logs_items() const noexcept override { return false; }
};

std::string without_blas(const workload& work) {
    if (!work.offers_whole()) {
        return "OpenBLAS has nothing that computes " + std::string(work.name());
    }
    return blas::missing();
}

std::string blas_version() {
    const blas* library = blas::find();
    return library != nullptr ? "OpenBLAS " + library->version() : "";
}

} // namespace

scheme_info blas_threads_scheme() {
    return {.name = "blas_threads",
            .summary = "the whole job in one call of OpenBLAS with its own threads; warm threads",
            .suits = "dense linear algebra: let the library divide it",
            .obstacle = without_blas,
            .make = make_new<blas_threads>,
            .library_version = blas_version,
            .traits = {.keeps_threads = true, .synchronises_unseen = true}};
}

} // namespace regatta::race
