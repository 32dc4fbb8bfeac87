// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include "regatta.hpp"

#include <chrono>
#include <future>

/// 1 if a timer ran on a pool within a minute.
int timer_runs_in_second_file() {
    regatta::balanced_pool pool(1);
    std::promise<int> ran;
    std::future<int> result = ran.get_future();
    regatta::timer_scheduler timers{pool};
    timers.after(std::chrono::milliseconds(1), [&] { ran.set_value(1); });
    return result.wait_for(std::chrono::minutes(1)) == std::future_status::ready ? result.get() : 0;
}
