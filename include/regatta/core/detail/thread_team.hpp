// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Threads that start all together or not at all.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/detail/start_thread.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

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
    /// @param body called by all threads at once; must not throw.
    template<class Body>
    void start(unsigned count, std::string_view name, const cpu_set& pin,
               const scheduling& schedule, const Body& body, unsigned first = 0,
               const shared_cpus& cpus = {}) {
        body_ = body;
        start_all({name, pin, schedule, cpus}, first, count);
    }

    /// The same, with the scheduling of the calling thread.
    template<class Body>
    void start(unsigned count, std::string_view name, const cpu_set& pin, const Body& body) {
        start(count, name, pin, scheduling{}, body);
    }

    /// Waits until every body has returned. A second call does nothing. In a fork of the process
    /// that started them there are no such threads: what belongs to them is left alone for good.
    REGATTA_APART REGATTA_POOLS_API void join() noexcept;

    /// The number of threads started; 0 before `start` has succeeded.
    unsigned size() const noexcept { return size_.load(std::memory_order_acquire); }

private:
    static constexpr std::uint32_t starting = 0xFFFF'FFFF;
    static constexpr unsigned widest = 1u << 13; ///< Above the most CPUs of any kernel.

    /// The first steps of a thread, in order.
    enum class stage { moving, pinning, scheduling };

    struct member {
        /// The outcome of its start: an error number, 0, or `starting`. Written once by the thread,
        /// read by `start`.
        std::atomic<std::uint32_t> outcome{starting};
        stage reached = stage::moving; ///< The step of that outcome; published by `outcome`.
        std::thread thread;            ///< For the thread that starts and joins.
    };

    /// What `start` was called with. It lives until each thread is in place.
    struct request {
        std::string_view name;
        const cpu_set& pin;
        const scheduling& schedule;
        const shared_cpus& cpus;

        /// The CPU of thread `i`.
        REGATTA_RARE unsigned cpu_of(unsigned i) const noexcept {
            auto at = pin.begin();
            for (unsigned skip = i % pin.count(); skip != 0; --skip) {
                ++at;
            }
            return *at;
        }
    };

    enum signal : std::uint32_t { not_yet, go, abort };

    REGATTA_APART REGATTA_POOLS_API void start_all(const request& wanted, unsigned first,
                                                   unsigned count);
    [[noreturn]] REGATTA_RARE REGATTA_POOLS_API static void
    fail_start(int error, stage reached, const request& wanted, unsigned i);

    /// The first steps of a thread. @returns whether it may go on.
    REGATTA_APART REGATTA_POOLS_API bool begin(member& m, const request& wanted,
                                               unsigned i) noexcept;
    /// Pins the calling thread to one CPU. @returns 0, or the error number.
    REGATTA_RARE REGATTA_POOLS_API static int pin_to(unsigned cpu) noexcept;

    REGATTA_APART static void set(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
        // release: partner is the acquire in await_other(); publishes what came before.
        word.store(value, std::memory_order_release);
        platform::futex_wake(word);
    }
    /// Sleeps while the word has this value. @returns the other value that it then has.
    REGATTA_APART static std::uint32_t await_other(std::atomic<std::uint32_t>& word,
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

    inline_task<void(unsigned)> body_{}; ///< Written by `start`, called by the threads.
    std::unique_ptr<member[]> members_;
    unsigned made_ = 0; ///< How many of them have a thread. For the thread that starts and joins.
    /// The number of threads. Written once by `start`, read by all.
    std::atomic<unsigned> size_{0};
    /// Whether the threads may begin. Written by `start`, read by them.
    std::atomic<std::uint32_t> start_{not_yet};
    process_stamp stamp_; ///< Of the process that started them.
};

#if REGATTA_POOLS_DEFINITIONS

void thread_team::join() noexcept {
    if (stamp_.elsewhere()) {
        static_cast<void>(members_.release());
        made_ = 0;
    }
    for (unsigned i = 0; i < made_; ++i) {
        if (members_[i].thread.joinable()) {
            members_[i].thread.join();
        }
    }
}
void thread_team::start_all(const request& wanted, unsigned first, unsigned count) {
    check_scheduling(wanted.schedule);
    stamp_.renew();
    start_.store(not_yet, std::memory_order_relaxed);
    members_ = std::make_unique<member[]>(count);
    REGATTA_TRY {
        for (made_ = 0; made_ < count; ++made_) {
            members_[made_].thread =
                start_thread({wanted.name, "/", decimal(first + made_)},
                             [this, &wanted, &m = members_[made_], i = first + made_] {
                                 if (begin(m, wanted, i)) {
                                     body_(i);
                                 }
                             });
        }
        for (unsigned i = 0; i < count; ++i) {
            member& m = members_[i];
            if (const int error = static_cast<int>(await_other(m.outcome, starting))) {
                fail_start(error, m.reached, wanted, first + i);
            }
        }
    }
    REGATTA_CATCH_ALL {
        set(start_, abort);
        join();
        made_ = 0;
        REGATTA_RETHROW;
    }
    // release: partner is the acquire in size(); publishes what the caller prepared for its
    // readers.
    size_.store(count, std::memory_order_release);
    set(start_, go);
}
void thread_team::fail_start(int error, stage reached, const request& wanted, unsigned i) {
    constexpr const char* verbs[] = {"move", "pin", "schedule"};
    constexpr const char* ends[] = {"to its own CPUs", "to CPU ", "as "};
    const auto step = static_cast<std::size_t>(reached);
    const bool scheduling = reached == stage::scheduling;
    const decimal number(scheduling                  ? wanted.schedule.priority
                         : reached == stage::pinning ? static_cast<int>(wanted.cpu_of(i))
                                                     : 0);
    fail_system(
        error, text_of({verbs[step], " thread '", wanted.name, "/", decimal(i), "' ", ends[step],
                        scheduling ? to_string(wanted.schedule.policy) : "",
                        scheduling ? ", priority " : "", step == 0 ? std::string_view() : number}));
}
bool thread_team::begin(member& m, const request& wanted, unsigned i) noexcept {
    char text[48] = {}; // No string, which may find no memory. Systems show fewer characters.
    const decimal number(i);
    const std::string_view end = number;
    const std::size_t length = std::string_view(wanted.name).copy(text, sizeof text - 16);
    text[length] = '/';
    end.copy(text + length + 1, 14);
    platform::name_this_thread(text);
    int error = wanted.cpus.try_enter();
    if (error == 0 && !wanted.pin.empty()) {
        m.reached = stage::pinning;
        error = pin_to(wanted.cpu_of(i));
    }
    if (error == 0) {
        m.reached = stage::scheduling;
        error = try_schedule_this_thread(wanted.schedule);
    }
    set(m.outcome, static_cast<std::uint32_t>(error));
    return await_other(start_, not_yet) == go;
}
int thread_team::pin_to(unsigned cpu) noexcept {
    cpu_set::word mask[widest / cpu_set::bits_per_word] = {};
    if (cpu >= widest) {
        return EINVAL; // As the kernel says of a CPU that it cannot have.
    }
    mask[cpu / cpu_set::bits_per_word] = cpu_set::word{1} << cpu % cpu_set::bits_per_word;
    return platform::pin_thread(0, mask, sizeof mask);
}

#endif

} // namespace regatta::detail
