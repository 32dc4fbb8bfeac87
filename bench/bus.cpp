// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// The message bus beside the queues that people would take instead: messages of 24 and of 256
/// bytes, from one and from two producers on one CPU, to one consumer on another.

#include "bench.hpp"
#include "bus_case.hpp"

#include <string>
#include <vector>

namespace {

using namespace regatta;

std::vector<bench::bus_peer> peers() {
    return {bench::regatta_visitor(),  bench::regatta_handlers(), bench::regatta_common_lane(),
            bench::moodycamel_token(), bench::moodycamel_plain(), bench::boost_lockfree(),
            bench::zmq_inproc(),       bench::mutex_and_swap()};
}

constexpr std::size_t batch = 64;

std::string batched(std::string_view name) {
    return std::string(name) + ", batches";
}

void measure(bench::bench_run& run, bool large, unsigned producers) {
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
    // Bars are on times: 0.8 times the rate is 1.25 times the time.
    std::vector<bench::comparison> comparisons{
        {title + "batches", batched(ours), batched(moodycamel), large ? 1.0 : 1.25, false},
        {title + "one by one", ours, moodycamel, 1.0, false},
        {title + "one by one, mutex", ours, mutex,
         large ? std::nullopt : std::optional<double>(1.0 / 3), false},
        {title + "handlers, batches", batched(handlers), batched(moodycamel), std::nullopt, false},
        {title + "handlers, one by one", handlers, moodycamel, std::nullopt, false},
        {title + "common lane", common, std::string(bench::moodycamel_plain().name), std::nullopt,
         false},
        {title + "ZeroMQ", ours, std::string(bench::zmq_inproc().name), std::nullopt, false},
        {title + "Boost.Lockfree", ours, std::string(bench::boost_lockfree().name), std::nullopt,
         false},
    };
    run.measure(title + "time a message", "ns", std::move(contenders), comparisons);
}

} // namespace

int main(int argc, char** argv) {
    bench::bench_run run(bench::parse_options(argc, argv, 15));
    for (const bool large : {false, true}) {
        for (const unsigned producers : {1u, 2u}) {
            measure(run, large, producers);
        }
    }
    return run.finish("bus");
}
