// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A program that knows nothing of process pools, and loads a plug-in that uses one.

#include "rows.hpp"

#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s PLUG_IN WORKER\n", argv[0]);
        return 2;
    }
    void* const plug_in = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plug_in == nullptr) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return 1;
    }
    const auto roots = reinterpret_cast<decltype(rows_roots)*>(::dlsym(plug_in, "rows_roots"));
    const auto deaths = reinterpret_cast<decltype(rows_deaths)*>(::dlsym(plug_in, "rows_deaths"));
    const double in[] = {1, 4, 9, 16};
    double out[4] = {};
    char error[200] = "";
    if (roots(in, out, 4, argv[2], argv[1], error, sizeof error) != 0) {
        std::fprintf(stderr, "%s\n", error);
        return 1;
    }
    std::printf("%g %g %g %g, and %lu worker died\n", out[0], out[1], out[2], out[3], deaths());
    const bool right = out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 4;

    const double negative[] = {-1};
    const bool refused = roots(negative, out, 1, argv[2], argv[1], error, sizeof error) != 0;
    std::printf("%s\n", error);
    return right && refused && deaths() == 1 ? 0 : 1;
}
