// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// One message to and fro between two pinned threads, by two buses.

#include "bus_case.hpp"

#include <regatta/base/cache_line.hpp>
#include <regatta/bus/async_bus.hpp>
#include <regatta/sync/atomics.hpp>

namespace regatta::bench {
namespace {

/// A second type in the set, so that messages are tagged and dispatched.
struct other {
    std::uint32_t value;
};
using bus_type = async_bus<small_message, other>;

/// Answers, or asks again, as soon as a message is there. Two threads play, each on its own lines.
struct alignas(destructive_alignment) player {
    bus_type& in;
    bus_producer<small_message, other> out;
    std::size_t trips;
    bool relaxing;
    std::size_t done = 0;
    bool asks = false;

    void operator()(const small_message& m) {
        if (m.value() != done) {
            throw std::runtime_error("a message was lost or doubled");
        }
        ++done;
        const std::uint64_t next = done - (asks ? 0 : 1);
        if (next != trips) {
            out.publish(small_message(next));
        }
    }
    void operator()(const other&) {}
    void play() {
        while (done != trips) {
            if (in.process_with(*this) == 0 && relaxing) {
                std_atomics::relax();
            }
        }
    }
};

} // namespace

double regatta_round_trip(std::size_t trips, bool relaxing) {
    bus_type there({.producers = 1});
    bus_type back({.producers = 1});
    player first{there, back.make_producer(), trips, relaxing};
    player second{back, there.make_producer(), trips, relaxing, 0, true};
    return time_trips(
        trips, [&] { first.play(); },
        [&] {
            second.out.publish(small_message(0));
            second.play();
        });
}

} // namespace regatta::bench
