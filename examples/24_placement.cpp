// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// How the CPUs of this machine lie together, and a place for each of several workers.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/placement.hpp>
#include <regatta/cpu/topology.hpp>

#include <cstdio>
#include <thread>
#include <vector>

int main() {
    using regatta::cpu_set;

    const regatta::topology machine = regatta::topology::read();
    for (const regatta::cpu_core& core : machine.cores) {
        const regatta::cpu_cache* cache = machine.cache_of(*core.cpus.begin());
        std::printf("core of CPUs %s, with %llu KiB of cache\n", core.cpus.to_string().c_str(),
                    cache == nullptr ? 0 : static_cast<unsigned long long>(cache->bytes / 1024));
    }

    const cpu_set wanted{0, 1};
    for (const regatta::cpu_core& core : machine.split_cores(wanted)) {
        std::printf("CPUs %s share a core with CPUs %s, which others may use\n",
                    (core.cpus & wanted).to_string().c_str(),
                    (core.cpus - wanted).to_string().c_str());
    }

    // A CPU for each of four workers, no core twice before every core has one.
    const auto places = regatta::place(4, regatta::placement_policy::avoid_siblings);
    std::vector<std::jthread> workers;
    for (const cpu_set& place : places) {
        workers.emplace_back([&place] {
            if (regatta::try_pin_this_thread(place) != 0) { // What throws would end the program.
                std::printf("CPUs %s are gone\n", place.to_string().c_str());
            }
        });
    }
    return places.size() == 4 ? 0 : 1;
}
