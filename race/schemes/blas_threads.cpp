// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"

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

std::string missing(const workload& work) {
    if (!work.offers_whole()) {
        return "OpenBLAS has nothing that computes " + std::string(work.name());
    }
    return blas::missing();
}

} // namespace

scheme_entry blas_threads_scheme() {
    const blas* library = blas::find();
    scheme_entry entry =
        entry_of<blas_threads>(library != nullptr ? "OpenBLAS " + library->version() : "");
    entry.missing = missing;
    return entry;
}

} // namespace regatta::race
