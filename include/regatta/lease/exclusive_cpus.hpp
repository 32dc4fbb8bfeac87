// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A lease of CPUs: its levels and options, why one is refused, and the ways in which it would be
/// tried.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// How far CPUs belong to the holder of a lease, from the weakest level to the strongest:
///
/// - `soft`: its threads are pinned there; no other task is kept out;
/// - `swept`: all other movable tasks were moved off once, by their affinity; a program that sets
///   its own affinity can return;
/// - `shielded`: all other movable tasks are in a cpuset without these CPUs (control groups of
///   version 1); kernel threads that start later may run there;
/// - `root_partition`: the kernel gives the CPUs to no other group; the load is balanced among
///   them;
/// - `isolated_partition`: as `root_partition`, but the scheduler leaves each thread on its CPU;
/// - `isolated_at_boot`: the kernel was started with `isolcpus`; only tasks that ask for these CPUs
///   run there.
enum class exclusivity {
    soft,
    swept,
    shielded,
    root_partition,
    isolated_partition,
    isolated_at_boot
};

/// The name in words: "isolated partition".
constexpr std::string_view to_string(exclusivity level) noexcept {
    switch (level) {
    case exclusivity::soft:
        return "soft";
    case exclusivity::swept:
        return "swept";
    case exclusivity::shielded:
        return "shielded";
    case exclusivity::root_partition:
        return "root partition";
    case exclusivity::isolated_partition:
        return "isolated partition";
    case exclusivity::isolated_at_boot:
        return "isolated at boot";
    }
    return "unknown";
}

/// Whether the scheduler moves threads between the CPUs of a lease of this level. If not, a thread
/// stays on the CPU where it started, so each thread needs its own.
constexpr bool balances_load(exclusivity level) noexcept {
    return level != exclusivity::isolated_partition && level != exclusivity::isolated_at_boot;
}

/// Why a lease of CPUs was refused; false: no failure.
struct exclusive_error {
    int number = 0;           ///< As in errno.
    bool bad_request = false; ///< The caller's mistake: no machine in this state could grant it.
    std::string text{};       ///< The request, what failed, and what is allowed.
    explicit operator bool() const noexcept { return number != 0; }
};

/// How CPUs may be leased.
struct exclusive_options {
    /// The weakest acceptable level. If only weaker ones are possible, `acquire` fails and takes
    /// nothing.
    exclusivity at_least = exclusivity::soft;
    /// Whether tasks of other programs may be moved; `shielded` and `swept` need this.
    bool move_others = false;
    /// Processes of this program that give way if other programs' tasks may not be moved.
    /// `shielded` then keeps these out; processes of other programs stay.
    std::vector<int> yielding{};
    /// Whether device interrupts go to other CPUs during the lease, as far as their drivers allow.
    bool move_interrupts = false;
    /// Whether the scheduler should balance threads over the CPUs: for programs with more threads
    /// than they pin. With several CPUs, a root partition is then tried before an isolated one.
    bool balanced = false;
    /// Whether whole processes enter instead of single threads. Then a process in any group can use
    /// an older kernel's partitions, which exist only below the top group.
    bool whole_processes = false;
    /// The purpose of the lease; shown by `exclusive_status`.
    std::string title{};
};

namespace detail {

struct lease_access;
struct lease_state;

} // namespace detail

/// A lease of CPUs: threads that enter run there, and other tasks are kept out as far as the
/// machine allows. The strongest level that works is found by trying. `level` returns it; `explain`
/// says why stronger ones failed. The end of the lease restores the previous state; after a crash
/// `release_stale` does. A thread that has entered passes its CPUs on to the threads that it
/// starts. They keep those CPUs after the end of a lease that has no control group for them, or
/// that gives each thread a CPU of its own (see `balances_load`).
///
/// A fork of the process owns nothing; neither does a default-constructed object.
///
/// Threads: `enter`, `leave` and `check` from any, concurrently; the others like an int.
/// Failure: `std::invalid_argument` for CPUs that are offline or not granted, for no CPUs and for
/// all. Otherwise `std::system_error`, with `EBUSY` for CPUs of another lease or partition and for
/// all that those leave. `std::logic_error` from `enter`, `enter_process` and `leave` of an object
/// that owns nothing. A failure undoes all earlier steps. The destructor reports on stderr what it
/// could not undo.
/// Cost: some ten milliseconds to take or give back CPUs, some ten microseconds to enter.
class REGATTA_SYSTEM_API exclusive_cpus {
public:
    /// Owns nothing.
    exclusive_cpus() noexcept;
    exclusive_cpus(exclusive_cpus&& other) noexcept;
    exclusive_cpus& operator=(exclusive_cpus&& other) noexcept;
    ~exclusive_cpus();

    /// Takes these CPUs.
    static exclusive_cpus acquire(const cpu_set& cpus, exclusive_options options = {});
    /// Takes `count` CPUs: those isolated at boot if there are enough, otherwise whole cores close
    /// to each other.
    static exclusive_cpus acquire(unsigned count, exclusive_options options = {});
    /// `acquire` without exceptions: a failure returns nothing and fills `error`.
    static std::optional<exclusive_cpus> try_acquire(const cpu_set& cpus, exclusive_options options,
                                                     exclusive_error& error);
    static std::optional<exclusive_cpus> try_acquire(unsigned count, exclusive_options options,
                                                     exclusive_error& error);

    /// Whether it owns CPUs.
    explicit operator bool() const noexcept;
    /// The CPUs; empty if it owns nothing.
    const cpu_set& cpus() const noexcept;
    /// How exclusive the CPUs are.
    exclusivity level() const noexcept;
    /// The level obtained, and why stronger ones failed: a sentence each.
    std::vector<std::string> explain() const;

    /// Hands the lease over to shared holders: `.cpus = exclusive_cpus::acquire(2)` in the options
    /// of a pool. No CPUs if it owns nothing.
    operator shared_cpus() &&;

    /// Moves the calling thread to the CPUs; threads that it starts inherit them. Without load
    /// balancing (see `balances_load`) each thread that enters gets one of the CPUs with the fewest
    /// threads, in turn; otherwise it gets all. Entering again has no effect.
    /// Blocks: as `leave`, while another program takes or gives back CPUs, at most ten seconds;
    /// threads of one lease do so one after the other.
    void enter();
    /// Moves another thread, by its number, also one of another process of this user. The kernel
    /// refuses a thread of another group (EOPNOTSUPP) where a partition takes single threads.
    void enter(int thread);
    /// `enter` without exceptions.
    /// @returns 0, or the error number.
    int try_enter() noexcept;
    int try_enter(int thread) noexcept;
    /// Moves all threads of a process to the CPUs, also those that it starts meanwhile. Threads
    /// that end meanwhile are no failure.
    void enter_process(int process);
    /// Moves the calling thread, or another, back to the group and the affinity that it had before
    /// it entered. Leave several leases in the reverse order. No effect on a thread that has not
    /// entered, has ended, or was moved elsewhere since.
    void leave();
    void leave(int thread);

    /// Reads back whether the lease still holds. A CPU may have gone offline, or a group made later
    /// may have invalidated a partition.
    /// @returns nothing if the lease holds, otherwise the reason.
    std::optional<std::string> check() const;
    /// Tries to make a partition valid again, once the cause of its breach is gone. Newer kernels
    /// do so by themselves.
    /// Blocks: up to ten seconds, while another program takes or gives back CPUs.
    /// @returns the result of `check` afterwards.
    std::optional<std::string> renew();

    /// Gives the CPUs back and restores the previous state. Threads that are still in are moved
    /// out.
    /// Blocks: up to ten seconds, while another program takes or gives back CPUs.
    /// Failure: `std::system_error`, which names what could not be undone. The lease ends even so;
    /// the next `acquire` or `release_stale` of any program tries again.
    void release();
    /// `release` without exceptions.
    /// @returns false and fills `problem` if something could not be undone.
    bool try_release(std::string& problem);

private:
    friend detail::lease_access;
    explicit exclusive_cpus(std::unique_ptr<detail::lease_state> state) noexcept;

    /// What it owns; null: nothing.
    detail::lease_state* owned() const noexcept;

    std::unique_ptr<detail::lease_state> state_; ///< Null: no lease. A fork has its parent's.
};

/// One way to lease CPUs.
struct exclusive_way {
    exclusivity level = exclusivity::soft;
    std::string way{};                ///< In words.
    std::string impossible{};         ///< Why it is impossible; empty: it would be tried.
    std::vector<std::string> steps{}; ///< In order, in words.
};

/// What `exclusive_cpus::acquire` would try.
struct exclusive_preview {
    std::string refused{};             ///< Why no way leads to these CPUs; empty: one does.
    std::vector<exclusive_way> ways{}; ///< In the order of the attempts.
    std::vector<std::string> notes{};  ///< What could not be read.

    /// The first way that is tried; null if no way leads to these CPUs.
    const exclusive_way* first() const noexcept {
        for (const exclusive_way& way : ways) {
            if (refused.empty() && way.impossible.empty()) {
                return &way;
            }
        }
        return nullptr;
    }
};

/// Reads the machine and changes nothing. Ignores `at_least`: weaker ways are listed, too.
/// @param root a directory to use instead of `/`, to inspect other machines.
///
/// Threads: any.
/// Failure: none; the notes name what cannot be read.
/// Cost: reads all groups.
REGATTA_SYSTEM_API exclusive_preview preview_exclusive(const cpu_set& cpus,
                                                       const exclusive_options& options = {},
                                                       const std::string& root = {});

} // namespace regatta
