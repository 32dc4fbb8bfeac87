// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"

/// The regatta command.
int main(int argc, char** argv) {
    if (const auto status = regatta::race::run_as_worker(argc, argv)) {
        return *status;
    }
    return 2;
}
