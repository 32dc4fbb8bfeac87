// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Every call that the portable core (base, sync, cpu, pool, bus, time) makes to the operating
/// system. To port the core, write one file that defines these functions, as platform_linux.hpp and
/// platform_windows.hpp do. platform_other.hpp uses only the standard library.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace regatta {

/// Decides when the system runs a thread:
///
/// - `inherit`: like the thread that started it; nothing changes;
/// - `other`: the system's usual time sharing;
/// - `batch`: the same, but never urgent: for long computations in the background;
/// - `idle`: only when no other thread wants the CPU;
/// - `fifo`: real time: before every thread of the kinds above, until it sleeps;
/// - `round_robin`: the same, but in turn with threads of the same priority.
///
/// Source: sched(7).
enum class scheduling_policy { inherit, other, batch, idle, fifo, round_robin };

} // namespace regatta

namespace regatta::detail::platform {

/// Which threads may share the word of a futex: those of this process, or those of any process that
/// maps it. Systems other than Linux know only `process`.
enum class futex_scope { process, shared };

/// The bits of a thread that any wake-up may wake.
inline constexpr std::uint32_t any_wake = 0xFFFF'FFFF;

/// Blocks while `word` holds `expected`, until woken, until `deadline`, or spuriously.
///
/// Threads: any.
/// Blocks: yes.
/// Order: none; read the state again with the order that you need.
/// Failure: none; every return means "look again".
/// @param bits by which `futex_wake_of` knows this thread; not 0.
/// @returns false only when the deadline has passed.
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       const std::chrono::steady_clock::time_point* deadline = nullptr,
                       futex_scope scope = futex_scope::process,
                       std::uint32_t bits = any_wake) noexcept;

/// Wakes `count` threads that block in `futex_wait` on `word`, or all if there are fewer. Systems
/// other than Linux may wake more. A thread that is already being woken does not count again.
///
/// Threads: any.
/// Blocks: never.
/// Cost: one system call, about 200 ns if no thread waits.
/// @returns whether a thread is known to have been woken.
inline bool futex_wake(std::atomic<std::uint32_t>& word, int count = INT_MAX,
                       futex_scope scope = futex_scope::process) noexcept;

/// Wakes `count` threads of this process that block in `futex_wait` on `word` with one of these
/// bits, or all if there are fewer.
///
/// Threads: any.
/// Blocks: never.
/// Cost: as `futex_wake`.
/// @returns false if there was none, or if the system cannot tell threads apart
/// (`tells_threads_apart`) and so woke none.
inline bool futex_wake_of(std::atomic<std::uint32_t>& word, int count, std::uint32_t bits) noexcept;

/// Registers this process for `process_fence`; false where the system does not have it.
/// Cost: the first call is a system call.
inline bool register_process_fence() noexcept;

/// Makes every running thread of this process execute a full memory fence before it returns.
///
/// Needs `register_process_fence()` to have returned true. It is for the side that is about to
/// sleep anyway; the other side then needs no fence at all.
/// Cost: one system call and an interrupt to each other core that runs this process, some
/// microseconds.
inline void process_fence() noexcept;

/// Names the calling thread for debuggers and `top`; Linux shows 15 bytes: of a
/// longer name the first ones, and what follows the last '/'.
inline void name_this_thread(const char* name) noexcept;

/// Makes the system wake the calling thread as close to the end of its waits as it can. Otherwise
/// it wakes the thread up to 50 microseconds later, for fewer interrupts. Threads that the calling
/// thread starts inherit the setting.
inline void sharpen_waits_of_this_thread() noexcept;

/// Restricts a thread to the CPUs whose bits are set in `words`. Bit c of the array is CPU c;
/// `bytes` is the array's size in bytes.
/// @param thread the system's number of the thread, of any process; 0: the calling thread.
/// @returns 0, or the system's error number; `ENOTSUP` where the call does not exist.
inline int pin_thread(std::int32_t thread, const unsigned long* words, std::size_t bytes) noexcept;

/// Writes the CPUs that a thread may use to `words`, in the form that `pin_thread` reads.
/// @returns 0, or the error number (`EINVAL`: the array is smaller than the kernel's mask).
inline int affinity_of_thread(std::int32_t thread, unsigned long* words,
                              std::size_t bytes) noexcept;

/// The system's number of the calling thread; 0 if it has none for `pin_thread`.
inline std::int32_t this_thread_number() noexcept;

/// The CPU that the calling thread runs on; -1 where the system does not say.
inline int cpu_of_this_thread() noexcept;

/// The memory node of the CPU that the calling thread runs on; 0 where the system does not say.
inline unsigned node_of_this_thread() noexcept;

/// How many memory nodes `node_of_this_thread` may tell: 1 + the highest number of a node with
/// CPUs. It is 1 where CPUs or memory are on a single node, and where the system does not say.
/// Cost: the first call reads one small file where memory is on a single node, otherwise two.
inline unsigned memory_nodes() noexcept;

/// Lets the next write to each page decide on which node the page lies. The content is lost. Does
/// nothing where the system cannot do it, as with pages locked in memory.
/// @param start a multiple of the page size, as is `bytes`.
inline void renew_pages(void* start, std::size_t bytes) noexcept;

/// Puts the calling thread under a policy, which must have that priority: systems do not refuse all
/// others. `priority` is the nice value for `other` and `batch`,
/// and the real-time priority for `fifo` and `round_robin`. The other policies ignore it; `inherit`
/// changes nothing.
/// @returns 0, or the error number; then nothing has changed. `EPERM`: a right is missing;
/// `ENOTSUP`: the call does not exist.
inline int schedule_this_thread(scheduling_policy policy, int priority) noexcept;

/// Whether a thread that is started under that policy, by the calling thread, is of real-time
/// priority.
inline bool is_real_time(scheduling_policy policy) noexcept;

/// Lets the thread that holds the mutex have the priority of those that wait for it, from now on.
/// That makes it slower where threads meet. Does nothing where the system cannot do it.
/// @param mutex that nobody has locked yet.
inline void lend_priority(std::mutex& mutex) noexcept;

} // namespace regatta::detail::platform

#if REGATTA_LINUX
#include <regatta/base/detail/platform_linux.hpp>
#elif REGATTA_WINDOWS
#include <regatta/base/detail/platform_windows.hpp>
#else
#include <regatta/base/detail/platform_other.hpp>
#endif
