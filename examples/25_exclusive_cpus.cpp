// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// CPUs of one's own, for a while.

#include <regatta/cpu/affinity.hpp>
#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

int main() {
    try {
        // One CPU, whichever is best. With `.at_least` it would fail where less can be had.
        auto lease = regatta::exclusive_cpus::acquire(1, {.title = "an example"});
        for (const std::string& sentence : lease.explain()) {
            std::printf("%s\n", sentence.c_str());
        }
        std::thread worker([&lease] {
            // From here on it runs on CPUs of the lease only. enter() throws, and ends the program
            // where nobody catches that.
            if (const int error = lease.try_enter()) {
                std::printf("the worker stays where it was: %s\n", std::strerror(error));
            }
            std::printf("the worker may use CPUs %s\n",
                        regatta::affinity_of_this_thread().to_string().c_str());
        });
        worker.join();
        if (const auto breach = lease.check()) { // Still as it was?
            std::printf("no longer owned: %s\n", breach->c_str());
        }
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what()); // A single CPU, or another program has it.
    }
    // Here the lease has ended, and everything is as it was before.

    for (const regatta::exclusive_lease& other : regatta::exclusive_status()) {
        std::printf("CPUs %s belong to process %d\n", other.cpus.to_string().c_str(),
                    other.process);
    }
}
