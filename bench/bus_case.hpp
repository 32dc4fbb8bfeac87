// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The message stream of the bus bench, which every peer carries: producers pinned to one CPU, one
/// consumer pinned to another.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace regatta::bench {

/// A message of a given size in bytes. Its words add up to its value, so that whoever reads the
/// value has read all of them.
template<std::size_t Size>
class payload {
public:
    payload() noexcept {} // Without values that nobody reads.
    explicit payload(std::uint64_t value) noexcept { set(value); }
    void set(std::uint64_t value) noexcept {
        std::uint64_t sum = 0;
        for (std::size_t i = 1; i < std::size(words_); ++i) {
            words_[i] = value;
            sum += value;
        }
        words_[0] = value - sum;
    }
    std::uint64_t value() const noexcept {
        std::uint64_t sum = 0;
        for (const std::uint64_t word : words_) {
            sum += word;
        }
        return sum;
    }

private:
    std::uint64_t words_[Size / sizeof(std::uint64_t)];
};
using small_message = payload<24>;
using large_message = payload<256>;

/// Calls `give` with a message to copy, in the form that costs queues least: a small one is a
/// temporary, whose words stay in registers until they are in the queue.
template<class Message, class Give>
decltype(auto) give_message(std::uint64_t value, Give&& give) {
    if constexpr (sizeof(Message) <= 64) {
        return give(Message(value));
    } else {
        const Message m(value);
        return give(m);
    }
}

/// What is streamed.
struct stream {
    unsigned producers = 1;
    std::size_t batch = 1;       ///< Messages that a producer hands over at once.
    std::size_t messages = 0;    ///< In all; a multiple of producers * batch.
    std::size_t capacity = 2048; ///< Of queues that are bounded, a lane or in all.
    std::size_t each() const noexcept { return messages / producers; }
};

/// Runs `produce(p)` in each producer and `consume()`, which returns the sum of all values, in the
/// consumer. @returns nanoseconds a message, from the start to the last message consumed.
/// Throws `std::runtime_error` if the sum is wrong.
template<class Produce, class Consume>
double run_stream(const stream& s, Produce&& produce, Consume&& consume) {
    const auto cpus = affinity_of_this_thread();
    std::vector<unsigned> list(cpus.begin(), cpus.end());
    std::atomic<unsigned> ready{0};
    std::atomic<bool> go{false};
    const auto begin = [&](std::size_t cpu) {
        if (list.size() > 1) {
            pin_this_thread(cpu_set{list[cpu]});
        }
        ready.fetch_add(1);
        // Awake: a thread that is woken begins some 50 µs later, or far more.
        while (!go.load(std::memory_order_relaxed)) { // relaxed: it publishes nothing.
            std::this_thread::yield();
        }
    };
    std::vector<std::thread> producers;
    for (unsigned p = 0; p < s.producers; ++p) {
        producers.emplace_back([&, p] {
            begin(0);
            produce(p);
        });
    }
    double ns = 0;
    std::uint64_t sum = 0;
    std::thread consumer([&] {
        begin(1);
        const auto t0 = std::chrono::steady_clock::now(); // By the clock of the same CPU.
        sum = consume();
        ns =
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - t0).count();
    });
    while (ready.load() != s.producers + 1) {
        std::this_thread::yield();
    }
    go.store(true, std::memory_order_relaxed);
    for (auto& p : producers) {
        p.join();
    }
    consumer.join();
    const std::uint64_t each = s.each();
    if (sum != s.producers * (each * (each - 1) / 2)) {
        throw std::runtime_error("messages were lost or doubled");
    }
    return ns / static_cast<double>(s.messages);
}

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
/// By two buses. @param relaxing whether a thread that waits gives the processor's hint between two
/// looks. @returns nanoseconds a round trip.
double regatta_round_trip(std::size_t trips, bool relaxing);

/// A way of carrying the stream.
struct bus_peer {
    std::string_view name;
    bool batches; ///< Whether it has a form for batches.
    /// How many messages it gets, as a share of the stream: less for the slow.
    double share;
    double (*small)(const stream&);
    double (*large)(const stream&);
};

bus_peer regatta_visitor();
bus_peer regatta_handlers();
bus_peer regatta_common_lane();
bus_peer moodycamel_token();
bus_peer moodycamel_plain();
bus_peer boost_lockfree();
bus_peer boost_spsc();
bus_peer readerwriterqueue();
bus_peer bare_rings();
bus_peer zmq_inproc();
bus_peer mutex_and_swap();

} // namespace regatta::bench
