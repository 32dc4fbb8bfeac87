// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Strands beside those of Boost.Asio, each over a pool of two threads: tasks for one strand, and
/// for a hundred in turn, from one thread outside.

#include "bench.hpp"

#include <regatta/core/strand.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace regatta;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t tasks = 200'000;
constexpr unsigned threads = 2;

/// What the tasks of one strand count, without a lock or an atomic.
struct alignas(128) tally {
    std::uint64_t count = 0;
};

/// Submits all tasks in turn to so many strands and waits until they have run.
/// @param make makes a strand; `submit(strand, f)` gives it a task; `wait()` waits for all.
template<class Make, class Submit, class Wait>
race::outcome run(std::size_t strands, Make make, Submit submit, Wait wait) {
    std::vector<tally> tallies(strands);
    std::vector<decltype(make())> all;
    for (std::size_t i = 0; i < strands; ++i) {
        all.push_back(make());
    }
    const auto begin = clock_type::now();
    for (std::size_t i = 0; i < tasks; ++i) {
        tally& mine = tallies[i % strands];
        submit(all[i % strands], [&mine] { ++mine.count; });
    }
    wait();
    const double ns = std::chrono::duration<double, std::nano>(clock_type::now() - begin).count();
    std::uint64_t sum = 0;
    for (const tally& one : tallies) {
        sum += one.count;
    }
    if (sum != tasks) {
        return race::outcome::failed("not every task has run once");
    }
    return {ns / double(tasks)};
}

race::outcome by_regatta(std::size_t strands) {
    steady_pool pool(threads);
    return run(
        strands, [&] { return strand(pool); }, [](const auto& s, auto f) { s.execute(f); },
        [&] { pool.wait(); });
}

race::outcome by_asio(std::size_t strands) {
    boost::asio::thread_pool pool(threads);
    return run(
        strands, [&] { return boost::asio::make_strand(pool); },
        [](auto& s, auto f) { boost::asio::post(s, f); }, [&] { pool.join(); });
}

} // namespace

int main(int argc, char** argv) {
    bench::bench_run run(bench::parse_options(argc, argv, 25));
    constexpr auto ours = "strand";
    constexpr auto theirs = "Boost.Asio strand";
    run.measure("one strand: time a task", "ns",
                {{ours, [] { return by_regatta(1); }}, {theirs, [] { return by_asio(1); }}},
                {{"one strand", ours, theirs, 0.5}});
    run.measure("100 strands in turn: time a task", "ns",
                {{ours, [] { return by_regatta(100); }}, {theirs, [] { return by_asio(100); }}},
                {{"100 strands", ours, theirs, 0.5}});
    return run.finish("strand");
}
