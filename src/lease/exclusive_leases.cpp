// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/lease/exclusive_leases.hpp>

#include "lease/exclusive_system.hpp"
#include "lease/stale_leases.hpp"

#include <string>
#include <vector>

namespace regatta {

std::vector<exclusive_lease> exclusive_status(std::vector<std::string>& unread,
                                              const std::string& root) {
    detail::exclusive_system system(root);
    return detail::leases_on(system, unread);
}

std::vector<exclusive_lease> exclusive_status() {
    std::vector<std::string> unread;
    return exclusive_status(unread);
}

stale_release release_stale() {
    detail::exclusive_system system;
    return detail::release_stale_on(system);
}

} // namespace regatta
