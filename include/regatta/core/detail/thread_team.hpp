// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Threads that start all together or not at all.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace regatta::detail {

/// The threads of a pool: named, pinned and scheduled, started all or none, joined together.
///
/// Threads: `start` and `join` by one thread at a time; `size` by any, even during those calls.
/// Blocks: `start` until each thread is in place, `join` until each has ended.
class thread_team {
public:
    thread_team() = default;
    thread_team(const thread_team&) = delete;
    thread_team& operator=(const thread_team&) = delete;
    ~thread_team() { join(); }

    /// Starts `count` threads. Once all are in place and `size()` says so, each calls `body(i)`
    /// with its index, counted from `first`. Thread i is named "name/i". It first enters `cpus`. It
    /// is pinned to the i-th CPU of `pin`, modulo their number; an empty set pins nothing. It is
    /// then put under `schedule`.
    ///
    /// Failure: `std::system_error` if a thread cannot be started, moved, pinned or scheduled, and
    /// `std::invalid_argument` for a `schedule` that does not exist. Then no `body` has run and
    /// none will.
    /// @param body copied for each thread; must not throw.
    template<class Body>
    void start(unsigned count, const std::string& name, const cpu_set& pin,
               const scheduling& schedule, const Body& body, unsigned first = 0,
               const shared_cpus& cpus = {}) {
        check_scheduling(schedule);
        const std::vector<unsigned> pins(pin.begin(), pin.end());
        start_.store(not_yet, std::memory_order_relaxed);
        REGATTA_TRY {
            for (unsigned i = first; i < first + count; ++i) {
                members_.push_back(std::make_unique<member>());
                member& m = *members_.back();
                m.name = name + "/" + std::to_string(i);
                if (!pins.empty()) {
                    m.pin = cpu_set{pins[i % pins.size()]};
                }
                m.thread = std::thread([this, &m, i, schedule, cpus, body] {
                    if (begin(m, schedule, cpus)) {
                        body(i);
                    }
                });
            }
            for (const auto& m : members_) {
                if (const int error = static_cast<int>(await_other(m->outcome, starting))) {
                    const std::string thread = "thread '" + m->name + "' ";
                    fail_system(error, m->reached == stage::moving
                                           ? "move " + thread + "to its own CPUs"
                                       : m->reached == stage::pinning
                                           ? "pin " + thread + "to CPU " + m->pin.to_string()
                                           : "schedule " + thread + "as " + to_string(schedule));
                }
            }
        }
        REGATTA_CATCH_ALL {
            set(start_, abort);
            join();
            members_.clear();
            REGATTA_RETHROW;
        }
        // release: partner is the acquire in size(); publishes what the caller prepared for its
        // readers.
        size_.store(count, std::memory_order_release);
        set(start_, go);
    }

    /// The same, with the scheduling of the calling thread.
    template<class Body>
    void start(unsigned count, const std::string& name, const cpu_set& pin, const Body& body) {
        start(count, name, pin, scheduling{}, body);
    }

    /// Waits until every body has returned. A second call does nothing.
    void join() noexcept {
        for (const auto& m : members_) {
            if (m->thread.joinable()) {
                m->thread.join();
            }
        }
    }

    /// The number of threads started; 0 before `start` has succeeded.
    unsigned size() const noexcept { return size_.load(std::memory_order_acquire); }

private:
    static constexpr std::uint32_t starting = 0xFFFF'FFFF;

    /// The first steps of a thread, in order.
    enum class stage { moving, pinning, scheduling };

    struct member {
        std::string name;
        cpu_set pin;
        /// The outcome of its start: an error number, 0, or `starting`. Written once by the thread,
        /// read by `start`.
        std::atomic<std::uint32_t> outcome{starting};
        stage reached = stage::moving; ///< The step of that outcome; published by `outcome`.
        std::thread thread;            ///< For the thread that starts and joins.
    };

    enum signal : std::uint32_t { not_yet, go, abort };

    /// The first steps of a thread. @returns whether it may go on.
    bool begin(member& m, const scheduling& schedule, const shared_cpus& cpus) noexcept {
        platform::name_this_thread(m.name.c_str());
        int error = cpus.try_enter();
        if (error == 0 && !m.pin.empty()) {
            m.reached = stage::pinning;
            error = try_pin_this_thread(m.pin);
        }
        if (error == 0) {
            m.reached = stage::scheduling;
            error = try_schedule_this_thread(schedule);
        }
        set(m.outcome, static_cast<std::uint32_t>(error));
        return await_other(start_, not_yet) == go;
    }

    static void set(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
        // release: partner is the acquire in await_other(); publishes what came before.
        word.store(value, std::memory_order_release);
        platform::futex_wake(word);
    }
    /// Sleeps while the word has this value. @returns the other value that it then has.
    static std::uint32_t await_other(std::atomic<std::uint32_t>& word,
                                     std::uint32_t value) noexcept {
        for (;;) {
            // acquire: partner is the release in set().
            const std::uint32_t now = word.load(std::memory_order_acquire);
            if (now != value) {
                return now;
            }
            platform::futex_wait(word, value);
        }
    }

    /// Filled by `start`, then constant.
    std::vector<std::unique_ptr<member>> members_;
    /// The number of threads. Written once by `start`, read by all.
    std::atomic<unsigned> size_{0};
    /// Whether the threads may begin. Written by `start`, read by them.
    std::atomic<std::uint32_t> start_{not_yet};
};

} // namespace regatta::detail
