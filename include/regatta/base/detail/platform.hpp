// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Every call that the portable core (base, sync, cpu, pool, bus, time) makes to the operating
/// system. To port the core, write one file that defines these functions: platform_linux.hpp and
/// platform_windows.hpp are two, platform_other.hpp makes do with the standard library.

#include <regatta/base/config.hpp>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>

namespace regatta {

/// What decides when a thread runs:
///
/// - `inherit`: as the thread that started it; nothing is changed;
/// - `other`: the system's usual time sharing;
/// - `batch`: the same, but never in a hurry: for long computations that nobody waits for;
/// - `idle`: only when nothing else wants the CPU;
/// - `fifo`: real time: before every thread of the kinds above, until it sleeps;
/// - `round_robin`: the same, but in turn with its equals.
///
/// Source: sched(7).
enum class scheduling_policy { inherit, other, batch, idle, fifo, round_robin };

} // namespace regatta

namespace regatta::detail::platform {

/// Who may share the word of a futex: threads of this process, or any process that maps it. Other
/// systems than Linux know only `process`.
enum class futex_scope { process, shared };

/// The bits of a thread that waits for whichever wake-up comes.
inline constexpr std::uint32_t any_wake = 0xFFFF'FFFF;

/// Blocks while `word` holds `expected`, until woken, until `deadline`, or spuriously.
///
/// Threads: any. Blocks: yes. Order: none; read the state again with the order that you need.
/// Failure: none; every return means "look again".
/// @param bits how `futex_wake_one_of` knows this thread; not none.
/// @returns false only when the deadline has passed.
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       const std::chrono::steady_clock::time_point* deadline = nullptr,
                       futex_scope scope = futex_scope::process,
                       std::uint32_t bits = any_wake) noexcept;

/// Wakes `count` threads that block in `futex_wait` on `word`, or all if there are fewer; other
/// systems than Linux may wake more. A thread that is already being woken does not count again.
///
/// Threads: any. Blocks: never. Cost: one system call, about 200 ns when nobody waits.
/// @returns whether it is known that a thread was woken.
inline bool futex_wake(std::atomic<std::uint32_t>& word, int count = INT_MAX,
                       futex_scope scope = futex_scope::process) noexcept;

/// Wakes one thread of this process that blocks in `futex_wait` on `word` with one of these bits.
///
/// Threads: any. Blocks: never. Cost: as `futex_wake`.
/// @returns false if there was none; also where the system cannot tell threads apart, so that
/// nobody was woken.
inline bool futex_wake_one_of(std::atomic<std::uint32_t>& word, std::uint32_t bits) noexcept;

/// Registers this process for `process_fence`; false where the system has no such thing.
/// Cheap to call again.
inline bool register_process_fence() noexcept;

/// Makes every thread of this process that runs execute a full memory fence before it returns.
///
/// Needs `register_process_fence()` to have returned true. Cost: one system call and an interrupt
/// to each other core that runs this process, some microseconds: for the side that is about to
/// sleep anyway, so that the other side needs no fence at all.
inline void process_fence() noexcept;

/// Names the calling thread for debuggers and `top`; Linux shows the first 15 bytes.
inline void name_this_thread(const char* name) noexcept;

/// Has the system wake the calling thread as near to the end of its waits as it can, instead of up
/// to 50 microseconds later for the sake of fewer interrupts. Threads that it starts inherit that.
inline void sharpen_waits_of_this_thread() noexcept;

/// Restricts a thread to the CPUs whose bits are set in `words` (bit c of the array is CPU c;
/// `bytes` is the array's size in bytes).
/// @param thread the system's number of the thread, of any process; 0: the calling thread.
/// @returns 0, or the error number of the system; `ENOTSUP` where there is no such call.
inline int pin_thread(std::int32_t thread, const unsigned long* words, std::size_t bytes) noexcept;

/// Writes the CPUs that a thread may use to `words`, as `pin_thread` reads them.
/// @returns 0, or the error number (`EINVAL`: the array is smaller than the kernel's mask).
inline int affinity_of_thread(std::int32_t thread, unsigned long* words,
                              std::size_t bytes) noexcept;

/// The system's number of the calling thread; 0 where it has none that `pin_thread` takes.
inline std::int32_t this_thread_number() noexcept;

/// Puts the calling thread under a policy. `priority` is the nice value for `other` and `batch`,
/// the real-time priority for `fifo` and `round_robin`, and of no meaning for the rest; `inherit`
/// changes nothing.
/// @returns 0, or the error number, and then nothing has changed (`EPERM`: a right is missing;
/// `EINVAL`: no such priority; `ENOTSUP`: there is no such call).
inline int schedule_this_thread(scheduling_policy policy, int priority) noexcept;

} // namespace regatta::detail::platform

#if REGATTA_LINUX
#include <regatta/base/detail/platform_linux.hpp>
#elif REGATTA_WINDOWS
#include <regatta/base/detail/platform_windows.hpp>
#else
#include <regatta/base/detail/platform_other.hpp>
#endif
