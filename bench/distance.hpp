// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How far the CPUs of a bench are from each other: what two threads can gain, and what a hand-over
/// costs, depend on it.

#include "bench.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace regatta::bench {

/// How far the first two CPUs of the affinity mask are from each other.
enum class distance {
    near,    ///< Threads of one core.
    far,     ///< Cores of one socket.
    very_far ///< Sockets, or CPUs that are taken away while they wait for each other.
};
/// By the round trip of two bare atomics.
distance distance_of(double round_trip_ns);

/// What a thread that waits does between two looks: nothing, or the processor's hint for that.
enum class poll { tight, relaxing };
/// Two bare atomics on lines of their own, each on its own CPU: nanoseconds a round trip.
double atomics_round_trip(std::size_t trips, poll how);
/// The same just now, polled tightly: the median of several, each short.
double round_trip_now();
/// As "104 ns, far (two cores)".
std::string distance_text(double round_trip_ns);

/// Calls `measure` with the distance of the CPUs, and says what it is before and afterwards: a
/// virtual machine may move its CPUs. Nothing where that table was not asked for.
template<class Measure>
void at_a_distance(bench_run& run, const std::string& title, Measure&& measure) {
    if (!run.wants(title)) {
        return;
    }
    const double before = round_trip_now();
    std::forward<Measure>(measure)(distance_of(before));
    const double after = round_trip_now();
    run.note(
        title + ": round trip of two bare atomics " + distance_text(before) +
        (distance_of(before) == distance_of(after) ? "" : "; afterwards " + distance_text(after)));
}

} // namespace regatta::bench
