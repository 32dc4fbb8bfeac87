// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/noise.hpp"

#include "isolation/noise_process.hpp"
#include "machine/cpu_time.hpp"

#include <regatta/base/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <stdexcept>

namespace regatta::race {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::array kinds{noise_kind::hostile, noise_kind::spread, noise_kind::bursty};

/// How long all of the noise together may take to get going.
constexpr std::chrono::seconds patience{20};
/// CPU time after which a process is taken to be running.
constexpr std::int64_t enough_ns = 1'000'000;

[[noreturn]] void refuse(std::string_view text) {
    fail_argument("noise: \"" + std::string(text) +
                  "\" is neither none nor one of hostile:M, spread:M, bursty:M with M from 1 to " +
                  std::to_string(noise_plan::most));
}

} // namespace

std::string_view to_string(noise_kind kind) noexcept {
    switch (kind) {
    case noise_kind::hostile:
        return "hostile";
    case noise_kind::spread:
        return "spread";
    case noise_kind::bursty:
        return "bursty";
    case noise_kind::none:
        break;
    }
    return "none";
}

std::string noise_plan::to_string() const {
    const std::string name(race::to_string(kind));
    return made() ? name + ":" + std::to_string(count) : name;
}

noise_plan parse_noise(std::string_view text) {
    if (text == to_string(noise_kind::none)) {
        return {noise_kind::none, 0};
    }
    const auto colon = text.find(':');
    if (colon == text.npos) {
        refuse(text);
    }
    for (const noise_kind kind : kinds) {
        if (text.substr(0, colon) != to_string(kind)) {
            continue;
        }
        const std::string_view number = text.substr(colon + 1);
        noise_plan plan{kind, 0};
        const char* const end = number.data() + number.size();
        const auto [stop, error] = std::from_chars(number.data(), end, plan.count);
        if (error != std::errc() || stop != end || plan.count < 1 ||
            plan.count > noise_plan::most) {
            refuse(text);
        }
        return plan;
    }
    refuse(text);
}

noise::noise(const noise_plan& plan, const std::vector<unsigned>& cpus,
             const std::string& program) {
    if (!plan.made()) {
        return;
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail_system(errno, "make a pipe to the noise");
    }
    const detail::unique_descriptor ready(ends[0]);
    detail::unique_descriptor report(ends[1]);
    const auto start = [&](unsigned number) {
        processes_.push_back(spawn(
            {.program = program,
             .arguments = {noise_flag, std::string(to_string(plan.kind)), std::to_string(number)},
             .descriptors = {{report.get(), noise_report_descriptor}},
             .own_process_group = true}));
    };
    for (unsigned i = 0; i < plan.count; ++i) {
        if (plan.kind == noise_kind::hostile) {
            for (const unsigned cpu : cpus) {
                start(cpu);
            }
        } else {
            start(i);
        }
    }
    report = detail::unique_descriptor(); // so that the end of all is the end of the pipe
    see_running(ready.get(), processes_.size());
}

void noise::see_running(int ready, std::size_t count) {
    const auto deadline = clock::now() + patience;
    const auto fail = [&](const std::string& what) {
        throw std::runtime_error("the noise does not run: " + what);
    };
    while (count > 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now());
        pollfd waited{ready, POLLIN, 0};
        const int found = ::poll(&waited, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
        if (found < 0 && errno != EINTR) {
            fail_system(errno, "wait for the noise");
        }
        if (found == 0) {
            fail(std::to_string(count) + " processes have not begun");
        }
        char bytes[noise_plan::most];
        const ssize_t got = found < 0 ? -1 : ::read(ready, bytes, sizeof bytes);
        if (got == 0) {
            fail(std::to_string(count) + " processes have ended instead");
        }
        count -= got < 0 ? 0 : static_cast<std::size_t>(got);
    }
    for (subprocess& one : processes_) {
        // The clock of a process that has ended says 0 for ever.
        while (process_cpu_ns(one.pid()) < enough_ns) {
            if (one.wait_for(std::chrono::milliseconds(1))) {
                fail("process " + std::to_string(one.pid()) + " " + one.wait().describe());
            }
            if (clock::now() > deadline) {
                fail("process " + std::to_string(one.pid()) + " gets no CPU time");
            }
        }
    }
}

std::vector<pid_t> noise::processes() const {
    std::vector<pid_t> all;
    for (const subprocess& one : processes_) {
        all.push_back(one.pid());
    }
    return all;
}

std::int64_t noise::cpu_ns() const noexcept {
    std::int64_t sum = 0;
    for (const subprocess& one : processes_) {
        sum += process_cpu_ns(one.pid());
    }
    return sum;
}

void noise::stop() {
    std::string died;
    for (subprocess& one : processes_) {
        if (const auto status = one.wait_for(std::chrono::seconds(0))) {
            died = "process " + std::to_string(one.pid()) + " of the noise " +
                   (status->signaled() ? "was " : "") + status->describe() + " before its time";
        }
        one.kill(SIGKILL); // all at once; their destructors wait for them
    }
    processes_.clear();
    if (!died.empty()) {
        throw std::runtime_error(died);
    }
}

} // namespace regatta::race
