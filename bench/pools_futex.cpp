// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pools_rows.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace regatta::bench {
namespace {

/// Hands a pointer to a thread that sleeps on a futex, and nothing else.
class sleeper {
public:
    ~sleeper() { hand_over(nullptr); }

    void hand_over(std::atomic<double>* began) noexcept {
        began_ = began;
        word_.fetch_add(1, std::memory_order_release);
        ::syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }

private:
    void sleep() noexcept {
        for (std::uint32_t seen = 0;; ++seen) {
            while (word_.load(std::memory_order_acquire) == seen) {
                ::syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
            }
            if (began_ == nullptr) {
                return;
            }
            began_->store(now_ns(), std::memory_order_release);
        }
    }

    std::atomic<double>* began_ = nullptr;
    /// Written by who hands over, read by the sleeper: release and acquire pass `began_`.
    std::atomic<std::uint32_t> word_{0};
    std::jthread thread_{[this] { sleep(); }};
};

template<worker_place Where, double wake_times::*What>
race::outcome sample(unsigned, std::size_t tasks) {
    sleeper one;
    const placed_threads placed(Where);
    return {measure_wakes(tasks, [&](std::atomic<double>& began) { one.hand_over(&began); }).*What,
            {}};
}

} // namespace

pool_case bare_futex() {
    pool_case all;
    all.name = "bare futex";
    all.wake = sample<worker_place::another_cpu, &wake_times::begin_ns>;
    all.submit_call = sample<worker_place::another_cpu, &wake_times::call_ns>;
    all.switch_to = sample<worker_place::same_cpu, &wake_times::begin_ns>;
    all.switch_call = sample<worker_place::same_cpu, &wake_times::call_ns>;
    return all;
}

} // namespace regatta::bench
