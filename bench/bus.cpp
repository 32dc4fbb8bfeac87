// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// The message bus beside the queues that people would take instead: messages of 24 and of 256
/// bytes, from one and from two producers on one CPU, to one consumer on another. Which bars hold
/// depends on how far those CPUs are from each other, so each table says what it found.

#include "bench.hpp"
#include "bus_case.hpp"
#include "distance.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace regatta;

std::vector<bench::bus_peer> peers() {
    return {bench::regatta_visitor(),  bench::regatta_handlers(), bench::regatta_common_lane(),
            bench::moodycamel_token(), bench::moodycamel_plain(), bench::readerwriterqueue(),
            bench::boost_spsc(),       bench::boost_lockfree(),   bench::zmq_inproc(),
            bench::mutex_and_swap(),   bench::bare_rings()};
}

constexpr std::size_t batch = 64;

std::string batched(std::string_view name) {
    return std::string(name) + ", batches";
}

void measure_streams(bench::bench_run& run, bool large, unsigned producers) {
    const std::string size = large ? "256 B" : "24 B";
    const std::string title = size + ", " + std::to_string(producers) +
                              (producers == 1 ? " producer" : " producers") + ": ";
    std::vector<race::contender> contenders;
    for (const bench::bus_peer& p : peers()) {
        for (const std::size_t n : {std::size_t{1}, batch}) {
            if (n != 1 && !p.batches) {
                continue;
            }
            bench::stream s;
            s.producers = producers;
            s.batch = n;
            s.capacity = large ? 512 : 2048;
            const auto wanted = static_cast<std::size_t>((large ? 500'000 : 2'000'000) * p.share);
            s.messages = wanted / (producers * batch) * (producers * batch);
            const auto carry = large ? p.large : p.small;
            contenders.push_back({n == 1 ? std::string(p.name) : batched(p.name),
                                  [=] { return race::outcome{carry(s)}; }});
        }
    }
    const std::string ours(bench::regatta_visitor().name);
    const std::string handlers(bench::regatta_handlers().name);
    const std::string common(bench::regatta_common_lane().name);
    const std::string moodycamel(bench::moodycamel_token().name);
    const std::string mutex(bench::mutex_and_swap().name);
    const std::string floor(bench::bare_rings().name);
    bench::at_a_distance(run, title + "time a message", [&](bench::distance d) {
        const bool near = d == bench::distance::near;
        const double singles = large ? 0.6 : near ? 0.6 : 1.0;
        const double batches = large ? 0.6 : near ? 0.8 : 0.9;
        const std::vector<bench::comparison> comparisons{
            {title + "batches", batched(ours), batched(moodycamel), batches},
            {title + "one by one", ours, moodycamel, singles},
            {title + "one by one, mutex", ours, mutex,
             large ? std::nullopt : std::optional<double>(1.0 / 3)},
            {title + "handlers, batches", batched(handlers), batched(moodycamel), std::nullopt},
            {title + "handlers, one by one", handlers, moodycamel, std::nullopt},
            {title + "common lane", common, std::string(bench::moodycamel_plain().name), 0.45},
            {title + "ZeroMQ", ours, std::string(bench::zmq_inproc().name), std::nullopt},
            {title + "Boost.Lockfree queue", ours, std::string(bench::boost_lockfree().name),
             std::nullopt},
            {title + "bare ring, batches", batched(ours), batched(floor),
             large ? std::optional<double>(1.2) : std::nullopt},
            {title + "bare ring, one by one", ours, floor, std::nullopt},
            {title + "ReaderWriterQueue", ours, std::string(bench::readerwriterqueue().name),
             std::nullopt},
            {title + "spsc_queue", ours, std::string(bench::boost_spsc().name), 0.7},
            {title + "spsc_queue, batches", batched(ours),
             batched(std::string(bench::boost_spsc().name)), std::nullopt},
            {title + "mutex, batches", batched(ours), batched(mutex), std::nullopt},
        };
        run.measure(title + "time a message", "ns", contenders, comparisons);
    });
}

void measure_round_trip(bench::bench_run& run) {
    const std::string title = "24 B, ping-pong: time a round trip";
    std::vector<race::contender> contenders;
    std::vector<bench::comparison> comparisons;
    for (const bench::poll how : {bench::poll::tight, bench::poll::relaxing}) {
        const bool relaxing = how == bench::poll::relaxing;
        const std::string form = relaxing ? ", relaxing" : "";
        const std::string floor = "two bare atomics" + form;
        const std::string ours = "async_bus, producer lanes, visitors" + form;
        contenders.push_back(
            {floor, [=] { return race::outcome{bench::atomics_round_trip(100'000, how)}; }});
        contenders.push_back(
            {ours, [=] { return race::outcome{bench::regatta_round_trip(100'000, relaxing)}; }});
        comparisons.push_back({"24 B, ping-pong" + form, ours, floor, 1.1});
    }
    bench::at_a_distance(
        run, title, [&](bench::distance) { run.measure(title, "ns", contenders, comparisons); });
}

} // namespace

int main(int argc, char** argv) {
    bench::bench_run run(bench::parse_options(argc, argv, 15));
    for (const bool large : {false, true}) {
        for (const unsigned producers : {1u, 2u}) {
            measure_streams(run, large, producers);
        }
    }
    measure_round_trip(run);
    return run.finish("bus");
}
