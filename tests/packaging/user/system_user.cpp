// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include <regatta/boot/boot_line.hpp>
#include <regatta/inspect/jitter.hpp>
#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/process/subprocess.hpp>

#include <chrono>
#include <cstdio>
#include <system_error>

// Something of each folder, an exception that comes out of the library, and a value with private
// members.
int main() {
    regatta::subprocess child = regatta::spawn({.program = "true"});
    regatta::exclusive_cpus none;
    regatta::find_boot_loaders("/nonexistent");
    regatta::measure_jitter(std::chrono::microseconds(10));
    try {
        regatta::spawn({.program = "/nonexistent"});
    } catch (const std::system_error&) {
        std::printf("true %s, %d CPUs\n", child.wait().describe().c_str(),
                    static_cast<int>(none.cpus().count()));
    }
}
