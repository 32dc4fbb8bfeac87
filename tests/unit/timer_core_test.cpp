// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/time/detail/timer_core.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>

namespace {

using library_test::await;
using regatta::missed_ticks;
using regatta::timer_id;
using regatta::detail::timer_core;

} // namespace

// A thread waits for a callback, which ends. Before that thread has woken up, another timer takes
// the place, and its callback waits for that of the thread: this is no circle.
TEST(timer_core, a_wait_that_is_over_is_no_part_of_a_circle) {
    const library_test::time_limit limit("both waits to end");
    std::atomic<int> refused{0};
    for (int round = 0; round < 100; ++round) {
        const auto core = std::make_shared<timer_core>(regatta::timer_scheduler_options{},
                                                       timer_core::dispatcher{});
        std::atomic<bool> runs{false};
        timer_id first{};
        timer_id other{};
        const auto wait_for = [&](const timer_id& id) {
            REGATTA_TRY {
                core->cancel_and_wait(id);
            }
            REGATTA_CATCH_ALL {
                ++refused;
            }
        };
        timer_core::callback until_awaited([&](const regatta::timer_tick&) {
            runs = true;
            await([&] { return core->stats().cancelled == 1; });
        });
        timer_core::callback wait_for_first([&](const regatta::timer_tick&) { wait_for(first); });
        timer_core::callback wait_for_other([&](const regatta::timer_tick&) { wait_for(other); });
        first = core->add(until_awaited, {}, std::chrono::hours(1), missed_ticks::skip);
        other = core->add(wait_for_first, {}, {}, missed_ticks::skip);
        std::thread thread([&] {
            await([&] { return runs.load(); });
            core->run(other);
        });
        core->run(first);
        core->run(core->add(wait_for_other, {}, {}, missed_ticks::skip));
        thread.join();
    }
    EXPECT_EQ(refused.load(), 0);
}
