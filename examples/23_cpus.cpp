// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Which CPUs there are, which this program may use, and on which a thread runs.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cstdio>
#include <stdexcept>

int main() {
    using regatta::cpu_set;

    const cpu_set workers = cpu_set::parse("0-15:2/4", 64); // 2 of every 4, of a machine with 64
    const cpu_set others = cpu_set::parse("all", 64) - workers;
    std::printf("workers %s, others %s\n", workers.to_string().c_str(), others.to_string().c_str());

    try {
        cpu_set::parse("0-3,x");
    } catch (const std::invalid_argument& error) {
        std::printf("%s\n", error.what()); // … position 4: expected a CPU number, 'N' or 'all' …
    }

    std::printf("this program can keep %u threads busy\n", regatta::available_cpus());
    const cpu_set allowed = regatta::affinity_of_this_thread();
    {
        const regatta::scoped_pin pin(cpu_set{*allowed.begin()});
        std::printf("pinned to %s\n", regatta::affinity_of_this_thread().to_string().c_str());
    }
    return regatta::affinity_of_this_thread() == allowed ? 0 : 1;
}
