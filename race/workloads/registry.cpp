// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/workload.hpp"

#include <algorithm>

namespace regatta::race {

const workload_info* find_workload(std::string_view name) {
    const auto& all = workloads();
    const auto found = std::ranges::find(all, name, &workload_info::name);
    return found == all.end() ? nullptr : &*found;
}

} // namespace regatta::race
