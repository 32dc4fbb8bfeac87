// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The program of the workers: loads the plug-in that its last argument names, and serves.

#include "rows.hpp"

#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
    void* const plug_in = argc > 1 ? ::dlopen(argv[argc - 1], RTLD_NOW) : nullptr;
    void* const serve = plug_in != nullptr ? ::dlsym(plug_in, "rows_serve") : nullptr;
    if (serve != nullptr) {
        // In a worker it does not return.
        reinterpret_cast<decltype(rows_serve)*>(serve)(argc, argv);
    }
    std::fprintf(stderr, "to be started by a process pool, with a plug-in as its last argument\n");
    return 2;
}
