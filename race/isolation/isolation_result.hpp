// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// All that the experiment found out; every report is a view of it.

#include "isolation/noise.hpp"
#include "isolation/workers.hpp"
#include "sampling/sampler.hpp"
#include "sampling/verdict.hpp"

#include <regatta/cpu/cpu_set.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// How the workers of a sample run.
enum class isolation_mode {
    alone,     ///< Anywhere, without noise.
    unpinned,  ///< Anywhere, beside the noise.
    pinned,    ///< Pinned to their CPUs, beside the noise.
    exclusive, ///< On CPUs that they own, beside the noise.
};
inline constexpr std::array isolation_modes{isolation_mode::alone, isolation_mode::unpinned,
                                            isolation_mode::pinned, isolation_mode::exclusive};

/// "alone", "unpinned", "pinned", "exclusive".
std::string_view to_string(isolation_mode mode) noexcept;

enum class mode_status {
    ok,
    unavailable, ///< It cannot be had here; the others ran.
    failed,
};
/// "ok", "unavailable", "failed".
std::string_view to_string(mode_status status) noexcept;

/// Why a mode took longer than alone.
enum class cause {
    none,      ///< It did not, as far as can be told.
    displaced, ///< The workers had no CPU for a part of the time.
    slower,    ///< They had one, but their work cost more CPU time.
    both,      ///< Each of the two made up a third of the difference or more.
};
/// "none", "displaced", "slower", "both".
std::string_view to_string(cause why) noexcept;

/// What became of one mode.
struct mode_result {
    isolation_mode mode = isolation_mode::alone;
    mode_status status = mode_status::ok;
    std::string reason;                   ///< Why it was unavailable or failed.
    std::string level;                    ///< How the CPUs were owned; of `exclusive` only.
    std::vector<std::string> explanation; ///< What that level is worth, sentence by sentence.

    series measured;                ///< The wall times.
    std::vector<team_figures> runs; ///< One for each sample.

    // Medians of the samples that count. What compares with alone is paired within the rounds.
    estimate wall;      ///< In nanoseconds.
    estimate slowdown;  ///< Wall time over that of alone.
    estimate cpu_share; ///< CPU time over wall time.
    estimate work_cost; ///< CPU time of a unit over that of alone.
    estimate user;      ///< CPU time in user mode, of all workers, in nanoseconds.
    estimate system;    ///< The same in the kernel.
    estimate involuntary_switches;
    estimate voluntary_switches;
    std::optional<estimate> migrations; ///< Where they are known.
    estimate others; ///< CPUs that other processes used meanwhile, on average; without made noise.
    std::optional<estimate> run_delay; ///< In nanoseconds; where the kernel counts it.
    estimate displaced; ///< More time without a CPU than alone, nanoseconds a worker.
    estimate slower;    ///< More CPU time than alone, nanoseconds a worker.
    verdict word = verdict::undecided; ///< Of the slowdown; alone is the baseline.
    cause why = cause::none;

    bool ran() const noexcept { return status == mode_status::ok && !measured.samples.empty(); }
    /// Whether alone ran, too, in one of its rounds; else nothing compares with it.
    bool compared() const noexcept { return ran() && slowdown.median > 0; }
};

/// What the experiment found out.
struct isolation_result {
    noise_plan noise;
    std::vector<std::string> program; ///< Of the user's, as it was started; empty: none.
    unsigned workers = 0;
    cpu_set cpus;                      ///< Owned; those of the workers are among them.
    std::vector<unsigned> worker_cpus; ///< To which each worker is pinned.
    std::uint64_t units = 0;           ///< Of the computation, for each worker; 0 of a program.
    std::uint64_t seed = 0;
    bool move_others = false;

    unsigned rounds = 0;     ///< Completed.
    unsigned warm_up = 0;    ///< Rounds before those.
    bool stopped = false;    ///< Cut short.
    double contaminated = 0; ///< Share of the samples during which others used the CPUs.
    std::string load_source; ///< How other processes' CPU time was read.
    std::int64_t load_resolution_ns = 0;

    noise_floor floor;                        ///< Alone against itself.
    series control;                           ///< Its second run in each round.
    std::vector<mode_result> modes;           ///< All four, in the order of `isolation_mode`.
    estimate owning;                          ///< The time of `exclusive` over that of `pinned`.
    verdict owning_word = verdict::undecided; ///< Of it.
    std::vector<std::string> notes;           ///< In plain words: what a reader must know.

    const mode_result& of(isolation_mode mode) const {
        return modes.at(static_cast<std::size_t>(mode));
    }
    mode_result& of(isolation_mode mode) { return modes.at(static_cast<std::size_t>(mode)); }
    bool compares_owning() const {
        return of(isolation_mode::pinned).ran() && of(isolation_mode::exclusive).ran();
    }
};

} // namespace regatta::race
