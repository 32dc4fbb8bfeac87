// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Results of tasks: waiting, continuing, cancelling, several at once, and coroutines.

#include <regatta/core/coroutine.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/promise.hpp>
#include <regatta/core/std_future.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <cstdio>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

// Errors come out of get().
bool errors(regatta::steady_pool& pool) {
    regatta::future<int> port = pool.submit([] { return std::stoi("no number"); });
    try {
        return port.get() == 0;
    } catch (const std::invalid_argument& e) {
        std::printf("the task threw: %s\n", e.what());
        return true;
    }
}

// One after the other, without anybody waiting in between.
bool continuations(regatta::steady_pool& pool) {
    regatta::future<std::string> text =
        pool.submit([] { return 6; })
            .then([](int n) { return n * 7; })                           // where the task ends
            .then(pool, [](int n) { return "= " + std::to_string(n); }); // as a task of its own
    return text.get() == "= 42";
}

bool cancelling(regatta::steady_pool& pool) {
    pool.pause();
    regatta::future<void> unwanted = pool.submit([] { std::puts("never printed"); });
    const bool never_started = unwanted.cancel();
    pool.resume();
    try {
        unwanted.get();
    } catch (const regatta::task_cancelled& e) {
        return never_started && e.code() == std::errc::operation_canceled;
    }
    return false;
}

bool groups(regatta::steady_pool& pool) {
    regatta::future_group<int> squares;
    for (int i = 0; i < 10; ++i) {
        squares.push(pool.submit([i] { return i * i; }));
    }
    int sum = 0;
    for (const int square : squares.get()) { // in order
        sum += square;
    }
    return sum == 285;
}

// A task that waits runs what it waits for: this ends on a single thread, too.
int fibonacci(regatta::steady_pool& pool, int n) {
    if (n < 2) {
        return n;
    }
    auto before = pool.submit([&pool, n] { return fibonacci(pool, n - 2); });
    const int last = fibonacci(pool, n - 1);
    return last + before.get();
}

// A library that calls back, on a thread of its own.
std::jthread resolve(std::string name, std::function<void(int)> done) {
    return std::jthread([name, done] { done(static_cast<int>(name.size())); });
}

// The result of a callback as a future.
bool callbacks(regatta::steady_pool& pool) {
    regatta::promise<int> found;
    auto address = found.get_future().then(pool, [](int number) { return number + 1; });
    const std::jthread other = resolve("regatta", [&](int number) { found.set_value(number); });
    return address.get() == 8;
}

// For what wants a future of the standard library.
int with_std_future(regatta::steady_pool& pool) {
    std::future<int> standard(pool.submit([] { return 5; }));
    return standard.get();
}

regatta::co_task<int> length_of(regatta::steady_pool& pool, std::string text) {
    co_await regatta::schedule_on(pool); // from here on a worker runs it
    co_return static_cast<int>(text.size());
}
regatta::co_task<int> both_lengths(regatta::steady_pool& pool) {
    const int first = co_await length_of(pool, "regatta");
    const int second = co_await pool.submit([] { return 4; }); // futures can be awaited
    co_return first + second;
}

int main() {
    regatta::steady_pool pool{{.threads = 2}};
    const bool ok = errors(pool) && continuations(pool) && cancelling(pool) && groups(pool) &&
                    callbacks(pool) &&
                    pool.submit([&] { return fibonacci(pool, 15); }).get() == 610 &&
                    with_std_future(pool) == 5 && regatta::sync_wait(both_lengths(pool)) == 11;
    std::puts(ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
