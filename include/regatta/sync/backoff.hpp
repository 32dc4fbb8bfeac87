// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long to spin while there is nothing to do.

#include <regatta/base/detail/clock.hpp>
#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta {

/// Paces a loop that waits for something: first it spins, then it says "park".
///
/// The spin starts with one hint; each further step takes twice the time of the one before. The
/// first steps react within nanoseconds; the later ones leave the memory bus alone. The whole takes
/// some 25 microseconds, about the cost of a futex wake-up. So spinning never costs more than twice
/// what the better choice would have cost. It is the clock that bounds it: a hint takes 10 ns on
/// one processor and 50 on the next.
///
/// It does not yield in between. A scheduler that goes by deadlines (Linux from 6.6) takes a yield
/// as a wish to run later, and remembers it over the following sleep. The next wake-up then no
/// longer preempts the running thread.
///
/// ```cpp
/// regatta::backoff pace;
/// while (!ready()) {
///     if (!pace.pause()) { park(); pace.reset(); }
/// }
/// ```
///
/// Threads: one; each waiting loop has its own.
/// Blocks: only `pause_or_sleep` sleeps.
/// Cost: no access to shared memory; after the first step it reads the clock.
/// Source: the competitive bound of A. Karlin et al., "Competitive randomized algorithms for
/// non-uniform problems", 1990.
template<class Atomics>
class basic_backoff {
public:
    /// How many times it spins before it says "park". `none` is for events that are hardly ever
    /// close.
    static constexpr std::uint32_t patient = Atomics::backoff_steps;
    static constexpr std::uint32_t none = 0; ///< Says "park" at once.

    /// Spins a little, longer each time.
    /// @returns false, without spinning, when it is time to park.
    bool pause(std::uint32_t steps = patient) noexcept {
        if (step_ >= steps) {
            return false;
        }
        if (step_ == 0) {
            Atomics::relax();
        } else {
            Atomics::relax_for(std::chrono::nanoseconds(shortest_ns << step_));
        }
        ++step_;
        return true;
    }

    /// Spins as `pause`; later sleeps, for longer each time, up to a millisecond. For a wait whose
    /// end no thread announces: for a thread that is within a few instructions of it, but may have
    /// been preempted.
    void pause_or_sleep() noexcept {
        if (!pause()) {
            Atomics::sleep_for(first_sleep * (1u << sleeps_));
            sleeps_ += sleeps_ < most_doublings ? 1 : 0;
        }
    }

    /// Starts again, after the wait is over.
    void reset() noexcept {
        step_ = 0;
        sleeps_ = 0;
    }

private:
    static constexpr std::int64_t shortest_ns = 50;
    static constexpr std::chrono::microseconds first_sleep{62};
    static constexpr std::uint32_t most_doublings = 4;

    std::uint32_t step_ = 0;
    std::uint32_t sleeps_ = 0; ///< How often the sleep was doubled.
};

/// The backoff of real programs.
using backoff = basic_backoff<std_atomics>;

} // namespace regatta
