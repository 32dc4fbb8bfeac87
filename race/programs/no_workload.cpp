// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "programs/program.hpp"

#include <regatta/base/error.hpp>

namespace regatta::race {
namespace {

class nothing final : public workload {
public:
    std::string_view name() const noexcept override { return {}; }
    std::size_t items() const noexcept override { return 0; }
    void run(std::size_t) noexcept override {}
    void reset() noexcept override {}
    verification verify() const override { return {true, {}}; }
    int descriptor() const noexcept override { return -1; }
};

} // namespace

const workload_info& no_workload() {
    static const workload_info info{
        .name = "",
        .summary = "nothing but programs",
        .options = "",
        .make = [](const workload_options&) -> std::unique_ptr<workload> {
            return std::make_unique<nothing>();
        },
        .attach = [](int) -> std::unique_ptr<workload> {
            fail_state("no workload: there is nothing to attach to");
        }};
    return info;
}

} // namespace regatta::race
