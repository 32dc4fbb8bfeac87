// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long to stay awake while there is nothing to do.

#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta {

/// Paces a loop that waits for something: first it spins, then it says "park".
///
/// The spin doubles with each step, from one hint, so that the first steps react within
/// nanoseconds and the later ones leave the memory bus alone. The whole stays within some tens of
/// microseconds: about what a futex wake-up costs, so that waiting awake never costs more than
/// twice what the better choice would have (the competitive bound of A. Karlin et al.,
/// "Competitive randomized algorithms for non-uniform problems", 1990).
///
/// It does not yield in between: a scheduler that goes by deadlines (Linux from 6.6) takes a yield
/// as a wish to come later, and remembers it over the sleep that follows, so that the next wake-up
/// no longer interrupts whoever runs.
///
/// ```cpp
/// regatta::backoff pace;
/// while (!ready()) {
///     if (!pace.pause()) { park(); pace.reset(); }
/// }
/// ```
///
/// Threads: one; each waiting loop has its own. Blocks: never sleeps. Cost: no memory access.
template<class Atomics>
class basic_backoff {
public:
    /// How many times it waits before it says "park", and how many that should be where what one
    /// waits for is hardly ever there soon.
    static constexpr std::uint32_t patient = Atomics::backoff_steps;
    static constexpr std::uint32_t none = 0; ///< It says "park" at once.

    /// Waits a little, longer each time.
    /// @returns false when it is time to park instead; it has not waited then.
    bool pause(std::uint32_t steps = patient) noexcept {
        if (step_ >= steps) {
            return false;
        }
        for (std::uint32_t i = 0; i < (1u << step_); ++i) {
            Atomics::relax();
        }
        ++step_;
        return true;
    }

    /// Begins anew, after the wait was over.
    void reset() noexcept { step_ = 0; }

private:
    std::uint32_t step_ = 0;
};

/// The backoff of real programs.
using backoff = basic_backoff<std_atomics>;

} // namespace regatta
