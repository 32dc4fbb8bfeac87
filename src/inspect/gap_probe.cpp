// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/gap_probe.hpp"

#include <regatta/base/detail/platform.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/jitter.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <stop_token>

namespace regatta::detail {

gap_probe::gap_probe(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare)
    : cpu_(cpu)
    , ring_(1 << 14)
    , thread_([this, threshold_ns, prepare](const std::stop_token& stop) {
        run(threshold_ns, prepare, stop);
        ended_.release();
    }) {
    prepared_.acquire();
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

void gap_probe::stop(std::chrono::milliseconds patience) {
    if (!thread_.joinable()) {
        return;
    }
    thread_.request_stop();
    // Moved again and again: after one move the thread may still pin itself to its CPU, where a
    // real-time task may never let it run.
    while (!ended_.try_acquire_for(patience)) {
        cpu_set elsewhere;
        if (try_affinity_of_this_thread(elsewhere) == 0) {
            elsewhere.erase(cpu_);
            try_pin_thread(number_, elsewhere);
        }
        patience = std::chrono::milliseconds(20);
    }
    thread_.join();
}

void gap_probe::run(std::int64_t threshold_ns, const std::function<void()>& prepare,
                    const std::stop_token& stop) {
    platform::name_this_thread("regatta_probe");
    number_ = number_of_this_thread();
    if (prepare) {
        try {
            prepare();
        } catch (...) {
            failure_ = std::current_exception();
            prepared_.release();
            return;
        }
    }
    prepared_.release();
    error_ = try_pin_this_thread(cpu_set{cpu_});
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
