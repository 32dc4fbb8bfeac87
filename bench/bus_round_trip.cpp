// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// One message to and fro between two pinned threads: the floor of two bare atomics, and two buses.

#include "bus_case.hpp"

#include <regatta/base/cache_line.hpp>
#include <regatta/bus/async_bus.hpp>
#include <regatta/sync/backoff.hpp>

namespace regatta::bench {
namespace {

/// Runs `answer()` on the first CPU and `ask()` on the second, both ready. @returns nanoseconds a
/// trip of `ask`.
template<class Answer, class Ask>
double time_trips(std::size_t trips, Answer&& answer, Ask&& ask) {
    stream s;
    s.messages = trips;
    return run_stream(
        s, [&](unsigned) { answer(); },
        [&] {
            ask();
            return std::uint64_t{trips} * (trips - 1) / 2;
        });
}

double by_atomics(std::size_t trips) {
    padded<std::atomic<std::size_t>> there;
    padded<std::atomic<std::size_t>> back;
    return time_trips(
        trips,
        [&] {
            for (std::size_t i = 1; i <= trips; ++i) {
                while (there->load(std::memory_order_acquire) != i) {
                }
                back->store(i, std::memory_order_release);
            }
        },
        [&] {
            for (std::size_t i = 1; i <= trips; ++i) {
                there->store(i, std::memory_order_release);
                while (back->load(std::memory_order_acquire) != i) {
                }
            }
        });
}

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
    std::size_t done = 0;
    bool asks = false;

    void operator()(const small_message& m) {
        if (m.value != done) {
            throw std::runtime_error("a message was lost or doubled");
        }
        ++done;
        small_message next;
        next.value = m.value + (asks ? 1 : 0);
        if (next.value != trips) {
            out.publish(next);
        }
    }
    void operator()(const other&) {}
    void play() {
        while (done != trips) {
            in.process_with(*this);
        }
    }
};

double by_buses(std::size_t trips) {
    bus_type there({.producers = 1});
    bus_type back({.producers = 1});
    player first{there, back.make_producer(), trips};
    player second{back, there.make_producer(), trips, 0, true};
    return time_trips(
        trips, [&] { first.play(); },
        [&] {
            small_message m;
            m.value = 0;
            second.out.publish(m);
            second.play();
        });
}

} // namespace

round_trip atomics_round_trip() {
    return {"two bare atomics", by_atomics};
}
round_trip regatta_round_trip() {
    return {"async_bus, producer lanes, visitors", by_buses};
}

} // namespace regatta::bench
