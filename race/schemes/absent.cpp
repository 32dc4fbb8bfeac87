// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"

namespace regatta::race {

scheme_info absent_scheme(scheme_info words, const char* what, const char* package) {
    const std::string reason = std::string(what) + " was not found when this was built; install " +
                               package + " and build again";
    words.obstacle = [reason](const workload&) { return reason; };
    words.make = [reason](const scheme_options&) -> std::unique_ptr<scheme> {
        throw scheme_failure(reason);
    };
    words.spawns = true; // so that the missing library is what is said
    words.forks = true;
    return words;
}

} // namespace regatta::race
