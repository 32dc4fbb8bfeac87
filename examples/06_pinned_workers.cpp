// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Workers that have names and stay on the CPUs that they were given.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/message/worker_pool.hpp>

#include <pthread.h>

#include <cstdio>
#include <string>
#include <system_error>

struct question {};

int main() {
    // Two CPUs of those that this program may use; one, if there is only one.
    const regatta::cpu_set allowed = regatta::affinity_of_this_thread();
    regatta::cpu_set chosen;
    for (const unsigned cpu : allowed) {
        if (chosen.count() < 2) {
            chosen.insert(cpu);
        }
    }

    std::string name;
    regatta::cpu_set place;
    regatta::worker_pool<question> pool{{.threads = 1, .name = "pinned", .pin = chosen}};
    pool.on<question>([&](const question&) {
        char buffer[16] = {};
        pthread_getname_np(pthread_self(), buffer, sizeof buffer);
        name = buffer;
        place = regatta::affinity_of_this_thread();
    });
    pool.start();
    pool.submit(question{});
    pool.drain(); // what the handler wrote can be read now
    std::printf("worker '%s' runs on CPU %s of %s\n", name.c_str(), place.to_string().c_str(),
                chosen.to_string().c_str());

    // A CPU that is not there: no worker starts, and the error says which one could not.
    bool refused = false;
    try {
        regatta::worker_pool<question> lost{
            {.threads = 1,
             .name = "lost",
             .pin = regatta::cpu_set{regatta::cpu_set::max_width - 1}}};
        lost.on<question>([](const question&) {});
        lost.start();
    } catch (const std::system_error& error) {
        std::printf("%s\n", error.what());
        refused = true;
    }
    const bool right = name == "pinned/0" && place == regatta::cpu_set{*chosen.begin()} && refused;
    return right ? 0 : 1;
}
