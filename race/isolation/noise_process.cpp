// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/noise_process.hpp"

#include "isolation/noise.hpp"
#include "workloads/splitmix.hpp"

#include <regatta/cpu/affinity.hpp>

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

namespace regatta::race {
namespace {

using clock = std::chrono::steady_clock;

/// Spins and sleeps in turn, 1 to 20 ms each.
[[noreturn]] void run_in_bursts(std::uint64_t seed) {
    for (std::uint64_t turn = 0;; ++turn) {
        const auto length = std::chrono::milliseconds(1 + splitmix(seed, turn) % 20);
        if (turn % 2 == 1) {
            std::this_thread::sleep_for(length);
            continue;
        }
        const auto end = clock::now() + length;
        while (clock::now() < end) {
        }
    }
}

/// Computes, and does nothing else; it is always ready to run.
[[noreturn]] void spin() {
    volatile std::uint64_t value = 0;
    for (;;) {
        value = splitmix(value, 0);
    }
}

int fail(const char* what, int error) {
    std::fprintf(stderr, "regatta: noise: %s: %s\n", what, std::strerror(error));
    return 1;
}

} // namespace

std::optional<int> run_as_noise(int argc, char** argv) {
    if (!noise_role.is_played(argc, argv)) {
        return std::nullopt;
    }
    const std::string_view kind = argc > 2 ? argv[2] : "";
    const std::string_view text = argc > 3 ? argv[3] : "";
    unsigned number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool known = kind == to_string(noise_kind::hostile) ||
                       kind == to_string(noise_kind::spread) ||
                       kind == to_string(noise_kind::bursty);
    if (argc != 4 || !known || error != std::errc() || stop != text.data() + text.size() ||
        number >= cpu_set::max_width) {
        std::fprintf(stderr, "regatta: %s is for the processes that an experiment starts itself\n",
                     noise_flag);
        return 2;
    }
    if (kind == to_string(noise_kind::hostile)) {
        if (const int refused = try_pin_this_thread(cpu_set{number})) {
            return fail(("cannot be pinned to CPU " + std::string(text)).c_str(), refused);
        }
    }
    const char begun = 1;
    if (::write(noise_report_descriptor, &begun, 1) != 1) {
        return fail("cannot report to the experiment", errno);
    }
    ::close(noise_report_descriptor);
    if (kind == to_string(noise_kind::bursty)) {
        run_in_bursts(number);
    }
    spin();
}

} // namespace regatta::race
