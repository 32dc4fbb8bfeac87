// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Coroutines that go from pool to pool, wait for tasks without a thread, and hear of a refusal.

#include <regatta/core/coroutine.hpp>
#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

struct pools {
    regatta::dynamic_pool files{{.threads = 1, .name = "files"}};
    regatta::steady_pool compute{{.threads = 2, .name = "compute"}};
};

regatta::co_task<std::string> read_file(pools& on, std::string name) {
    co_await on.files.schedule(); // from here on a thread of `files` runs it
    if (name.empty()) {
        throw std::invalid_argument("a file has a name");
    }
    co_return "contents of " + name;
}

regatta::co_task<std::size_t> length_of(pools& on, std::string name) {
    const std::string text = co_await read_file(on, std::move(name));
    const auto there = std::this_thread::get_id(); // still where read_file ended
    co_await on.compute.schedule();
    if (std::this_thread::get_id() == there) {
        co_return 0;
    }
    // A future can be awaited: the thread goes on to other tasks meanwhile. It has a name, since
    // GCC 12 destroys a closure with captures twice that is written inside a co_await expression.
    auto length = on.compute.submit([&] { return text.size(); });
    co_return co_await std::move(length);
}

/// Two that run at once: each has a future from its start on.
regatta::co_task<std::size_t> length_of_both(pools& on) {
    auto first = regatta::co_spawn(on.compute, length_of(on, "regatta"));
    auto second = regatta::co_spawn(on.compute, length_of(on, "race"));
    const std::size_t length = co_await std::move(first);
    co_return length + co_await std::move(second);
}

/// What a coroutine throws comes out where it is awaited.
regatta::co_task<bool> hears_of_errors(pools& on) {
    try {
        co_await read_file(on, "");
    } catch (const std::invalid_argument& error) {
        std::printf("%s\n", error.what());
        co_return true;
    }
    co_return false;
}

/// A pool that does not take it: the `co_await` throws, on the thread that asked.
regatta::co_task<bool> hears_of_refusal(regatta::steady_pool& closed) {
    try {
        co_await closed.schedule();
    } catch (const regatta::task_rejected&) {
        co_return true;
    }
    co_return false;
}

int main() {
    pools on;
    const std::size_t length = regatta::sync_wait(length_of(on, "regatta"));
    const std::size_t lengths = regatta::sync_wait(length_of_both(on));
    const bool error = regatta::sync_wait(hears_of_errors(on));
    on.compute.close();
    const bool refusal = regatta::sync_wait(hears_of_refusal(on.compute));
    std::printf("%zu characters, %zu in both\n", length, lengths);
    return length == 19 && lengths == 35 && error && refusal ? 0 : 1;
}
