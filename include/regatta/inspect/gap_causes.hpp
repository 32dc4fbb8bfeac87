// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The causes of gaps of a CPU.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace regatta {

/// Why the gap loop did not run.
enum class gap_cause : std::uint8_t {
    user_task,      ///< A user task; only a switch trace tells which.
    kernel_thread,  ///< A kernel thread.
    checker,        ///< The check itself.
    held_back,      ///< No task: the loop was stopped, or its CPU quota was used up.
    tick,           ///< The CPU's own timer.
    device,         ///< Device interrupts.
    interprocessor, ///< Interrupts of other CPUs.
    steal,          ///< The hypervisor ran something else.
    unexplained     ///< A silent hypervisor, the firmware, or the hardware.
};
inline constexpr std::size_t gap_causes = 9;

constexpr std::string_view to_string(gap_cause cause) noexcept {
    constexpr std::array<std::string_view, gap_causes> names = {
        "task",   "kernel_thread",  "checker", "held_back",  "tick",
        "device", "interprocessor", "steal",   "unexplained"};
    return names[static_cast<std::size_t>(cause)];
}

/// One of the longest gaps.
struct long_gap {
    std::int64_t start_ns = 0; ///< Steady clock.
    std::int64_t length_ns = 0;
    gap_cause cause = gap_cause::unexplained;
    std::size_t task =
        0; ///< The task with most of the time, if the cause is a task; as given to `ran`.
};

} // namespace regatta
