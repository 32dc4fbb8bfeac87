// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Pieces of a server: a strand for each connection, an answer whatever becomes of the request, a
// coroutine that waits for a time, shedding, and an end with a limit.

#include <regatta/pool.hpp>
#include <regatta/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

/// Continues a coroutine after a time: `co_await regatta::schedule_on(later)`. If the timers are
/// closed first, that throws `task_cancelled`.
struct later {
    regatta::timer_scheduler& timers;
    std::chrono::nanoseconds time;

    template<class F>
    void execute(F&& f) {
        timers.after(time, std::forward<F>(f));
    }
};

/// Runs at once what it is given. An event loop of yours is an executor in the same way: for one of
/// Boost.Asio `execute` calls `boost::asio::post(context, std::forward<F>(f))`.
struct at_once {
    template<class F>
    void execute(F&& f) {
        auto mine = std::forward<F>(f);
        mine();
    }
};

/// What the client gets, whatever becomes of the request.
regatta::co_task<std::string> answer(std::optional<regatta::future<std::string>> result) {
    if (!result) {
        co_return "503 full";
    }
    try {
        co_return "200 " + co_await std::move(*result);
    } catch (const regatta::task_cancelled&) {
        co_return "503 closed";
    } catch (const std::system_error& e) {
        co_return e.code() == std::errc::timed_out ? "504 too late" : "500 system";
    } catch (const std::exception& e) {
        co_return std::string("500 ") + e.what();
    }
}

/// Refuses new tasks, gives the accepted ones so much time, then drops those that have not begun.
void shut_down(regatta::thread_pool& pool, std::chrono::nanoseconds limit) {
    const std::jthread closing([&] { pool.close(); });
    if (!pool.wait_for(limit)) {
        pool.stop(regatta::stop_mode::discard);
    }
}

bool each_connection_in_order() {
    regatta::steady_pool pool(4);
    struct connection {
        regatta::strand<regatta::steady_pool> serial;
        std::vector<int> seen{}; // only touched in the strand: no lock
    };
    std::map<int, connection> connections;
    for (int id = 0; id < 3; ++id) {
        connections.emplace(id, connection{regatta::strand(pool)});
    }
    for (int message = 0; message < 300; ++message) {
        connection& of = connections.at(message % 3);
        of.serial.execute([&of, message] { of.seen.push_back(message); });
    }
    bool ordered = true;
    for (auto& [id, one] : connections) {
        ordered = ordered && one.serial
                                 .submit([&one] {
                                     for (std::size_t i = 1; i < one.seen.size(); ++i) {
                                         if (one.seen[i - 1] >= one.seen[i]) {
                                             return false;
                                         }
                                     }
                                     return one.seen.size() == 100;
                                 })
                                 .get();
    }
    return ordered;
}

bool an_answer_to_each() {
    at_once here;
    regatta::steady_pool pool{{.threads = 1, .capacity = 1}};
    pool.pause();
    auto first = regatta::co_spawn(
        here, answer(pool.try_submit([]() -> std::string { throw std::runtime_error("oops"); })));
    auto second =
        regatta::co_spawn(here, answer(pool.try_submit([] { return std::string("hello"); })));
    pool.resume();
    const std::string one = first.get();
    const std::string two = second.get();
    auto third = regatta::co_spawn(here, answer(pool.submit([] { return std::string("hello"); })));
    return one == "500 oops" && two == "503 full" && third.get() == "200 hello";
}

// A limit for a request, which is called off then.
bool an_answer_in_time(regatta::timer_scheduler& timers, regatta::thread_pool& pool) {
    at_once here;
    std::stop_source late;
    auto found = pool.submit(late.get_token(), [](std::stop_token stop) {
        while (!stop.stop_requested()) { // Without end, but for the limit.
        }
        return std::string("not any more");
    });
    auto limited = regatta::within(timers, 5ms, std::move(found), late);
    return regatta::co_spawn(here, answer(std::move(limited))).get() == "504 too late";
}

regatta::co_task<int> try_until_it_works(regatta::timer_scheduler& timers) {
    later pause{timers, 1ms};
    int tries = 1;
    while (tries < 3) { // the third try works
        ++tries;
        co_await regatta::schedule_on(pause);
        pause.time *= 2;
    }
    co_return tries;
}

bool an_end_with_a_limit() {
    regatta::steady_pool pool{{.threads = 1}};
    auto running = pool.submit([](std::stop_token) { std::this_thread::sleep_for(50ms); });
    auto waiting = pool.submit([] {});
    shut_down(pool, 1ms);
    bool dropped = false;
    try {
        waiting.get();
    } catch (const regatta::task_cancelled&) {
        dropped = true;
    }
    return running.ready() && dropped;
}

int main() {
    regatta::timer_scheduler timers; // before the pool, whose workers use it
    regatta::steady_pool pool(1);
    const bool right =
        each_connection_in_order() && an_answer_to_each() && an_answer_in_time(timers, pool) &&
        regatta::co_spawn(pool, try_until_it_works(timers)).get() == 3 && an_end_with_a_limit();
    std::printf("%s\n", right ? "all pieces work" : "a piece does not work");
    return right ? 0 : 1;
}
