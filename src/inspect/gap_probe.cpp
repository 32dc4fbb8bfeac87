// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/gap_probe.hpp"

#include <regatta/base/detail/platform.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/jitter.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <stop_token>

namespace regatta::detail {

gap_probe::gap_probe(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare,
                     const std::function<bool()>& give_up, std::chrono::milliseconds patience)
    : ring_(1 << 14)
    , thread_([this, cpu, threshold_ns, prepare](const std::stop_token& stop) {
        run(cpu, threshold_ns, prepare, stop);
        ended_.release();
    }) {
    prepared_.acquire();
    constexpr std::chrono::milliseconds pace(20);
    for (const auto begun = std::chrono::steady_clock::now(); !started_.try_acquire_for(pace);) {
        if ((give_up && give_up()) || std::chrono::steady_clock::now() - begun >= patience) {
            end(std::chrono::milliseconds(0));
            error_ = ETIMEDOUT;
            return;
        }
    }
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void gap_probe::drain(const std::function<void(const gap&)>& visit) {
    // At most one capacity: otherwise a fast producer could keep this loop busy without end.
    for (std::size_t left = ring_.capacity(); left > 0;) {
        const std::size_t used = ring_.consume(left, [&](gap& one) { visit(one); });
        if (used == 0) {
            break;
        }
        left -= used;
    }
}

void gap_probe::end(std::chrono::milliseconds patience) {
    if (thread_.joinable()) {
        thread_.request_stop();
        // A task that leaves the loop no time on its CPU would keep it there for ever.
        if (!ended_.try_acquire_for(patience)) {
            cpu_set elsewhere;
            if (try_affinity_of_this_thread(elsewhere) == 0) {
                try_pin_thread(number_, elsewhere);
            }
        }
        thread_.join();
    }
}

void gap_probe::run(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare,
                    const std::stop_token& stop) {
    platform::name_this_thread("regatta_probe");
    number_ = number_of_this_thread();
    if (prepare) {
        try {
            prepare();
        } catch (...) {
            failure_ = std::current_exception();
            prepared_.release();
            started_.release();
            return;
        }
    }
    prepared_.release();
    error_ = try_pin_this_thread(cpu_set{cpu});
    if (error_ != 0) {
        started_.release();
        return;
    }
    bool runs = false;
    result_ = run_gap_loop(
        std::numeric_limits<std::int64_t>::max(), threshold_ns,
        [&] {
            // From the loop's first reading of the clock on: were its CPU taken between the release
            // and that, the check would begin without it.
            if (!runs) {
                runs = true;
                started_.release();
            }
            return stop.stop_requested();
        },
        [&](const gap& one) { dropped_ += ring_.try_emplace(one) ? 0 : 1; });
}

} // namespace regatta::detail
