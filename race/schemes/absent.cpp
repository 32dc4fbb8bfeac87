// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"

namespace regatta::race {

scheme_entry absent_scheme(const char* what, const char* package) {
    const std::string reason = std::string(what) + " was not found when this was built; install " +
                               package + " and build again";
    return {.make = [reason](const scheme_options&) -> std::unique_ptr<scheme> {
                throw scheme_failure(reason);
            },
            .missing = [reason](const workload&) { return reason; }};
}

} // namespace regatta::race
