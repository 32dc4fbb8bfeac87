// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// busy_pool steady|balanced|dynamic|worker [paused|rests]: two workers run 10,000 tasks of 50 µs
/// that wait in a row, for a count of the system calls meanwhile. Each worker is held by a task of
/// its own until all have been submitted: otherwise workers that are faster than a traced submitter
/// find no work, and sleep with good reason. With `paused` a paused pool gets a
/// million empty tasks and is resumed; the program writes "begin" and "end" before and after. With
/// `rests` a pool on which a join has run gets 100 tasks, each after the last one's worker has gone
/// to sleep.

#include <regatta/bus.hpp>
#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

namespace {

constexpr int tasks = 10'000;

void work() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
}

constexpr int workers = 2;
std::atomic<int> held = 0;
std::atomic<bool> released = false;

/// Keeps a worker until `released`.
void hold() {
    held.fetch_add(1);
    while (!released) {
        std::this_thread::yield();
    }
}

/// Submits one `hold` a worker, then the tasks, and lets the workers begin.
template<class SubmitHold, class SubmitTask>
void fill_held(SubmitHold&& submit_hold, SubmitTask&& submit_task) {
    for (int i = 0; i < workers; ++i) {
        submit_hold();
    }
    while (held != workers) {
        std::this_thread::yield();
    }
    for (int i = 0; i < tasks; ++i) {
        submit_task();
    }
    released = true;
}

template<class Pool>
int run() {
    Pool pool(workers);
    fill_held([&] { pool.execute(hold); }, [&] { pool.execute(work); });
    pool.wait();
    return pool.stats().run == workers + tasks ? 0 : 1;
}

constexpr int many = 1'000'000;

template<class Pool, class Submit>
void fill_paused(Pool& pool, Submit&& submit) {
    pool.pause();
    std::fputs("begin\n", stderr);
    for (int i = 0; i < many; ++i) {
        submit();
    }
    pool.resume();
    std::fputs("end\n", stderr);
}
template<class Pool>
int run_paused() {
    Pool pool(workers);
    fill_paused(pool, [&] { pool.execute([] {}); });
    pool.wait();
    return pool.stats().run == many ? 0 : 1;
}

template<class Pool>
int run_rests() {
    Pool pool(workers);
    std::atomic<bool> taken = false;
    const auto wait_for_other = [&] {
        regatta::blocking([&] {
            while (!taken) {
                std::this_thread::yield();
            }
        });
    };
    regatta::join(pool, wait_for_other, [&] { taken = true; });
    const auto run_and_rest = [&](int times) {
        for (int i = 0; i < times; ++i) {
            const auto parked = pool.stats().parked;
            pool.execute([] {});
            while (pool.stats().parked == parked) {
                std::this_thread::yield();
            }
        }
    };
    // In the first rests after a fork a worker looks for the next one, for some 30 ms.
    for (const auto begin = std::chrono::steady_clock::now();
         std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100);) {
        run_and_rest(100);
    }
    std::fputs("begin\n", stderr);
    run_and_rest(100);
    std::fputs("end\n", stderr);
    return 0;
}

struct message {};
struct hold_message {};

int run_paused_messages() {
    regatta::worker_pool<message> pool{{.threads = workers, .capacity = many}};
    pool.on<message>([](message&) {}).start();
    fill_paused(pool, [&] { pool.submit(message()); });
    pool.drain();
    return pool.stats().handled == many ? 0 : 1;
}

int run_messages() {
    regatta::worker_pool<message, hold_message> pool{{.threads = workers, .capacity = tasks}};
    pool.on<message>([](message&) { work(); })
        .on<hold_message>([](hold_message&) { hold(); })
        .start();
    fill_held([&] { pool.submit(hold_message()); }, [&] { pool.submit(message()); });
    pool.drain();
    return pool.stats().handled == workers + tasks ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view pool = argc >= 2 ? argv[1] : "";
    if (argc == 3 && std::string_view(argv[2]) == "paused") {
        return pool == "steady"     ? run_paused<regatta::steady_pool>()
               : pool == "balanced" ? run_paused<regatta::balanced_pool>()
               : pool == "dynamic"  ? run_paused<regatta::dynamic_pool>()
               : pool == "worker"   ? run_paused_messages()
                                    : 2;
    }
    if (argc == 3 && std::string_view(argv[2]) == "rests") {
        return pool == "steady"     ? run_rests<regatta::steady_pool>()
               : pool == "balanced" ? run_rests<regatta::balanced_pool>()
               : pool == "dynamic"  ? run_rests<regatta::dynamic_pool>()
                                    : 2;
    }
    return pool == "steady"     ? run<regatta::steady_pool>()
           : pool == "balanced" ? run<regatta::balanced_pool>()
           : pool == "dynamic"  ? run<regatta::dynamic_pool>()
           : pool == "worker"   ? run_messages()
                                : 2;
}
