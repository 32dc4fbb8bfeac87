// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "distance.hpp"

#include "bus_case.hpp"

#include <regatta/base/cache_line.hpp>
#include <regatta/sync/atomics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace regatta::bench {

distance distance_of(double round_trip_ns) {
    return round_trip_ns < 60    ? distance::near
           : round_trip_ns < 250 ? distance::far
                                 : distance::very_far;
}

namespace {

template<class Between>
double round_trip(std::size_t trips, Between between) {
    padded<std::atomic<std::size_t>> there;
    padded<std::atomic<std::size_t>> back;
    return time_trips(
        trips,
        [&] {
            for (std::size_t i = 1; i <= trips; ++i) {
                while (there->load(std::memory_order_acquire) != i) {
                    between();
                }
                back->store(i, std::memory_order_release);
            }
        },
        [&] {
            for (std::size_t i = 1; i <= trips; ++i) {
                there->store(i, std::memory_order_release);
                while (back->load(std::memory_order_acquire) != i) {
                    between();
                }
            }
        });
}

} // namespace

double atomics_round_trip(std::size_t trips, poll how) {
    return how == poll::relaxing ? round_trip(trips, [] { std_atomics::relax(); })
                                 : round_trip(trips, [] {});
}

double round_trip_now() {
    std::vector<double> all;
    for (int i = 0; i < 21; ++i) {
        all.push_back(atomics_round_trip(2000, poll::tight));
    }
    std::nth_element(all.begin(), all.begin() + 10, all.end());
    return all[10];
}

std::string distance_text(double round_trip_ns) {
    const distance d = distance_of(round_trip_ns);
    return fmt::format("{:.0f} ns, {}", round_trip_ns,
                       d == distance::near  ? "near (threads of one core)"
                       : d == distance::far ? "far (two cores)"
                                            : "very far (two sockets, or disturbed)");
}

} // namespace regatta::bench
