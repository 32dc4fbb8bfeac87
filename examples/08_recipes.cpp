// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The recipes of docs/guide/cookbook.md.

#include <regatta/base/cache_line.hpp>
#include <regatta/bus/async_bus.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/message/worker_pool.hpp>

#include <atomic>
#include <cstdio>
#include <stop_token>
#include <thread>
#include <vector>

struct item {
    int value;
};
struct last {};

bool stop_by_a_message() {
    regatta::async_bus<item, last> bus;
    int sum = 0;
    bus.subscribe<item>([&](const item& i) { sum += i.value; });
    bus.subscribe<last>([&](const last&) { bus.close(); });
    std::jthread consumer([&](std::stop_token stop) { bus.run(stop); });

    auto lane = bus.make_producer();
    for (int i = 1; i <= 100; ++i) {
        lane.publish(item{i});
    }
    lane.publish(last{}); // in one lane, messages arrive in order
    consumer.join();
    const bool refused = !lane.publish(item{1}); // a closed bus accepts nothing
    std::printf("stop by a message: the sum is %d, then %s\n", sum,
                refused ? "refused" : "accepted");
    return sum == 5050 && refused;
}

bool many_producers() {
    regatta::async_bus<item> bus{{.producers = 2}};
    long sum = 0;
    bus.subscribe<item>([&](const item& i) { sum += i.value; });
    std::jthread consumer([&](std::stop_token stop) { bus.run(stop); });
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 2; ++t) { // these publish much: a lane each
            threads.emplace_back([&] {
                auto lane = bus.make_producer();
                for (int i = 0; i < 10'000; ++i) {
                    lane.publish(item{1});
                }
            });
        }
        for (int t = 0; t < 6; ++t) { // these publish now and then: the common lane
            threads.emplace_back([&] { bus.publish(item{1}); });
        }
    } // joins the producers
    consumer.request_stop();
    consumer.join();
    std::printf("many producers: %ld messages\n", sum);
    return sum == 20'006;
}

bool never_sleep() {
    regatta::async_bus<item, last> bus;
    int sum = 0;
    bus.subscribe<item>([&](const item& i) { sum += i.value; });
    bus.subscribe<last>([&](const last&) { bus.close(); });
    std::jthread consumer([&](std::stop_token stop) {
        while (!stop.stop_requested() && !bus.closed()) {
            if (bus.process_batch(1) == 0) {
                regatta::std_atomics::relax(); // the processor's hint
            }
        }
        bus.run(stop); // what was published before; returns then
    });
    for (int i = 1; i <= 100; ++i) {
        bus.publish(item{i});
    }
    bus.publish(last{});
    consumer.join();
    const auto total = bus.stats();
    std::printf("never sleep: the sum is %d, the consumer slept %llu times\n", sum,
                static_cast<unsigned long long>(total.parked));
    return sum == 5050 && total.parked == 0;
}

bool never_wait_long() {
    std::atomic<int> done{0};
    const auto handle = [&](const item& i) { done += i.value; };
    // A message waits behind 16 others at most.
    regatta::worker_pool<item> pool{{.threads = 2, .capacity = 16}};
    pool.on<item>(handle);
    pool.start();
    for (int i = 0; i < 1000; ++i) {
        if (!pool.try_submit(item{1})) {
            handle(item{1}); // no room: the producer does it itself
        }
    }
    pool.close();
    std::printf("bounded latency: %d of 1000 handled\n", done.load());
    return done == 1000;
}

bool state_of_each_worker() {
    struct tally {
        long count = 0;
        long sum = 0;
    };
    const unsigned workers = regatta::available_cpus();
    std::vector<regatta::padded<tally>> tallies(workers); // no two on one cache line
    regatta::worker_pool<item> pool{{.threads = workers}};
    pool.on<item>([&](const item& i, unsigned worker) {
        ++tallies[worker]->count;
        tallies[worker]->sum += i.value;
    });
    pool.start();
    for (int i = 1; i <= 1000; ++i) {
        pool.submit(item{i});
    }
    pool.drain(); // what the handlers wrote can be read now
    tally all;
    for (const auto& t : tallies) {
        all.count += t->count;
        all.sum += t->sum;
    }
    std::printf("state of each worker: %ld messages, the sum is %ld\n", all.count, all.sum);
    return all.count == 1000 && all.sum == 500'500;
}

bool end_soon() {
    std::stop_source stopping;
    std::atomic<int> handled{0};
    std::atomic<int> skipped{0};
    regatta::worker_pool<item> pool{{.threads = 2}};
    pool.on<item>([&](const item&) {
        if (stopping.stop_requested()) {
            ++skipped; // or put it where the next start finds it
        } else {
            ++handled;
        }
    });
    pool.start();
    for (int i = 0; i < 500; ++i) {
        pool.submit(item{i});
    }
    stopping.request_stop();
    pool.close(); // every message still reaches its handler, which returns at once
    std::printf("end soon: %d of 500 handled or skipped\n", handled + skipped);
    return handled + skipped == 500;
}

int main() {
    const bool right = stop_by_a_message() && many_producers() && never_sleep() &&
                       never_wait_long() && state_of_each_worker() && end_soon();
    std::printf("%s\n", right ? "all recipes work" : "a recipe does not work");
    return right ? 0 : 1;
}
