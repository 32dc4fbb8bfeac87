// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/lease_access.hpp"

#include "lease/exclusive_acquire.hpp"
#include "lease/lease_state.hpp"
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace regatta::detail {

struct lease_access {
    static std::optional<exclusive_cpus> wrap(std::unique_ptr<lease_state> state) {
        return state ? std::optional(exclusive_cpus(std::move(state))) : std::nullopt;
    }
};

namespace {

exclusive_cpus or_fail(std::optional<exclusive_cpus> lease, const exclusive_error& error) {
    if (!lease && error.bad_request) {
        fail_argument(error.text);
    }
    if (!lease) {
        fail_system(error.number, error.text);
    }
    return std::move(*lease);
}

} // namespace

std::optional<exclusive_cpus> try_acquire_on(shared_system system, const cpu_set& cpus,
                                             exclusive_options options, exclusive_error& error) {
    return lease_access::wrap(
        acquire_lease(std::move(system), &cpus, 0, std::move(options), error));
}

std::optional<exclusive_cpus> try_acquire_on(shared_system system, unsigned count,
                                             exclusive_options options, exclusive_error& error) {
    return lease_access::wrap(
        acquire_lease(std::move(system), nullptr, count, std::move(options), error));
}

exclusive_cpus acquire_on(shared_system system, const cpu_set& cpus, exclusive_options options) {
    exclusive_error error;
    return or_fail(try_acquire_on(std::move(system), cpus, std::move(options), error), error);
}

exclusive_cpus acquire_on(shared_system system, unsigned count, exclusive_options options) {
    exclusive_error error;
    return or_fail(try_acquire_on(std::move(system), count, std::move(options), error), error);
}

} // namespace regatta::detail
