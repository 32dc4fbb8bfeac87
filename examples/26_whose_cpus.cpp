// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Who else runs on a CPU, and how often a thread there is interrupted.

#include <regatta/cpu/affinity.hpp>
#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/jitter.hpp>

#include <chrono>
#include <cstdio>
#include <string>

int main() {
    using namespace std::chrono_literals;
    const regatta::cpu_set cpus{*regatta::affinity_of_this_thread().begin()};

    // 300 ms so that the example ends soon; some seconds tell more.
    const regatta::exclusivity_report report =
        regatta::check_exclusivity(cpus, {.duration = 300ms});
    for (const regatta::cpu_check& one : report.cpus) {
        std::printf("CPU %u is %s%s\n", one.cpu, std::string(to_string(one.verdict())).c_str(),
                    report.certain() ? "" : ", as far as could be seen");
        for (const regatta::task_presence& task : one.tasks) {
            if (task.role == regatta::task_role::intruder) {
                std::printf("  %s (%d) had it for %.3f ms\n", task.name.c_str(), task.tid,
                            static_cast<double>(task.time_ns) / 1e6);
            }
        }
        for (const regatta::interrupt_count& interrupt : one.interrupts) {
            std::printf("  %s: %llu\n", interrupt.name.c_str(),
                        static_cast<unsigned long long>(interrupt.count));
        }
    }
    for (const std::string& note : report.notes) {
        std::printf("%s\n", note.c_str());
    }

    // How much of its time the calling thread loses, with nothing but the clock.
    const regatta::jitter found = regatta::measure_jitter(50ms);
    std::printf("away %llu times, at most %.3f ms\n",
                static_cast<unsigned long long>(found.gaps.count()),
                static_cast<double>(found.gaps.longest_ns()) / 1e6);
}
