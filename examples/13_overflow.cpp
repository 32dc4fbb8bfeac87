// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A bounded pool that is full: another pool takes what it refuses, or it says no, or its caller
// does the work, or the oldest task makes room, or its caller waits, for a time.

#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <latch>
#include <span>
#include <thread>
#include <utility>
#include <vector>

/// Keeps a worker busy until told otherwise, so that what comes next has to wait.
class busy_worker {
public:
    explicit busy_worker(regatta::thread_pool& pool)
        : task_(pool.submit([this] {
            begun_.count_down();
            end_.wait();
        })) {
        begun_.wait();
    }
    /// As `end`: the pool would wait for the task for good, also where an exception ends its scope.
    ~busy_worker() { end(); }
    /// Returns when the task has ended, which uses this object.
    void end() {
        if (!std::exchange(ended_, true)) {
            end_.count_down();
        }
        task_.wait();
    }

private:
    std::latch begun_{1};
    std::latch end_{1};
    bool ended_ = false;
    regatta::future<void> task_; // after what the task uses
};

bool another_pool_takes_them() {
    std::atomic<int> done{0};
    std::atomic<std::size_t> moved{0};
    regatta::dynamic_pool cache{{.threads = 1, .name = "cache"}}; // before the pool that uses it
    regatta::steady_pool core{
        {.threads = 1,
         .capacity = 64,
         .when_full = regatta::hand_over([&](std::span<regatta::task> refused) {
             moved += refused.size(); // all that one call could not place
             cache.execute_batch(refused);
         }),
         .name = "core"}};

    busy_worker one(core);
    const std::vector<std::function<void()>> tasks(100, [&] { ++done; });
    core.execute_batch(tasks);                       // 64 wait, 36 go to the cache
    auto answer = core.submit([] { return 6 * 7; }); // so does this one: its future stays good
    const bool served = answer.get() == 42;          // although the core is still busy
    one.end();
    core.wait();
    cache.wait();
    return served && done == 100 && moved == 37 && core.stats().refused == 37 &&
           cache.stats().run == 37;
}

bool it_says_no() {
    regatta::steady_pool pool{
        {.threads = 1, .capacity = 2, .when_full = regatta::overflow::reject}};
    busy_worker one(pool);
    pool.execute([] {});
    pool.execute([] {});
    const bool taken = pool.try_execute([] {}); // false, whatever the policy
    bool thrown = false;
    try {
        pool.execute([] {});
    } catch (const regatta::task_rejected& error) {
        std::printf("%s\n", error.what());
        thrown = error.why() == regatta::task_rejected::reason::full;
    }
    one.end();
    return !taken && thrown;
}

bool the_caller_does_it() {
    regatta::steady_pool pool{
        {.threads = 1, .capacity = 1, .when_full = regatta::overflow::run_here}};
    busy_worker one(pool);
    pool.execute([] {});
    std::thread::id where;
    pool.execute([&] { where = std::this_thread::get_id(); });
    one.end();
    return where == std::this_thread::get_id();
}

bool the_oldest_makes_room() {
    regatta::steady_pool pool{
        {.threads = 1, .capacity = 1, .when_full = regatta::overflow::drop_oldest}};
    busy_worker one(pool);
    auto old_frame = pool.submit([] { return 1; });
    auto new_frame = pool.submit([] { return 2; });
    one.end();
    bool dropped = false;
    try {
        static_cast<void>(old_frame.get());
    } catch (const regatta::task_cancelled&) {
        dropped = true;
    }
    return dropped && new_frame.get() == 2;
}

bool the_caller_waits() {
    std::atomic<int> done{0};
    regatta::steady_pool pool{{.threads = 2, .capacity = 16}}; // overflow::block
    for (int i = 0; i < 10'000; ++i) {
        pool.execute([&] { ++done; });
    }
    pool.wait();
    return done == 10'000 && pool.stats().refused == 0;
}

bool the_caller_waits_for_a_time() {
    regatta::steady_pool pool{{.threads = 1, .capacity = 1}};
    busy_worker one(pool);
    pool.execute([] {});
    const bool late = !pool.try_execute_for([] {}, std::chrono::milliseconds(5));
    one.end();
    return late && pool.try_execute_for([] {}, std::chrono::minutes(1));
}

int main() {
    const bool right = another_pool_takes_them() && it_says_no() && the_caller_does_it() &&
                       the_oldest_makes_room() && the_caller_waits() &&
                       the_caller_waits_for_a_time();
    std::printf("%s\n", right ? "all as expected" : "not as expected");
    return right ? 0 : 1;
}
