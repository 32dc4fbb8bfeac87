// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include <regatta/base/version.hpp>

#include <cstdio>

int main() {
    int unused; // Refused where the library's own warnings leak into the build.
    std::printf("regatta %s\n", regatta::version_string);
}
