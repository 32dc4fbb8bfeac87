// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Workers with names, on CPUs of their own, in real time where that is allowed, with something to
// set up and to clear away on each.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

int main() {
    // Two CPUs of those that this program may use; one, if there is only one.
    const regatta::cpu_set allowed = regatta::affinity_of_this_thread();
    regatta::cpu_set chosen;
    for (const unsigned cpu : allowed) {
        if (chosen.count() < 2) {
            chosen.insert(cpu);
        }
    }

    static thread_local std::unique_ptr<std::string> connection; // one a worker
    std::atomic<int> opened{0};
    std::atomic<int> closed{0};
    std::string name;
    regatta::cpu_set place;
    bool connected = false;
    regatta::pool_options options{.threads = 2, .name = "pinned"};
    options.pin = chosen; // worker i on the i-th of them
    options.on_start = [&](unsigned worker) {
        connection = std::make_unique<std::string>("connection " + std::to_string(worker));
        ++opened;
    };
    options.on_stop = [&](unsigned) {
        connection.reset();
        ++closed;
    };
    std::unique_ptr<regatta::steady_pool> pool;
    try {
        options.schedule = {.policy = regatta::scheduling_policy::fifo, .priority = 10};
        pool = std::make_unique<regatta::steady_pool>(options);
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::operation_not_permitted) {
            throw;
        }
        std::printf("%s; going on without\n", error.what());
        options.schedule = {}; // as the thread that makes it
        pool = std::make_unique<regatta::steady_pool>(options);
    }
    pool->submit([&] {
            char buffer[16] = {};
            pthread_getname_np(pthread_self(), buffer, sizeof buffer);
            name = buffer;
            place = regatta::affinity_of_this_thread();
            connected = connection != nullptr;
        })
        .get();
    pool.reset(); // closes it: every on_stop has run
    std::printf("worker '%s' runs on CPU %s of %s\n", name.c_str(), place.to_string().c_str(),
                chosen.to_string().c_str());

    // A CPU that is not there: no pool, and the error says which thread could not be placed.
    bool refused = false;
    try {
        regatta::steady_pool lost{{.threads = 1,
                                   .name = "lost",
                                   .pin = regatta::cpu_set{regatta::cpu_set::max_width - 1}}};
    } catch (const std::system_error& error) {
        std::printf("%s\n", error.what());
        refused = true;
    }
    const bool right = name.starts_with("pinned/") && place.count() == 1 && connected &&
                       opened == 2 && closed == 2 && refused;
    return right ? 0 : 1;
}
