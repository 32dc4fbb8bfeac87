// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread of a pool or of timers, which works only if it is what the options ask for.

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
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace regatta::detail {

/// What a thread is to be before it works.
struct thread_place {
    std::string name;              ///< As `name_this_thread` takes it.
    std::optional<unsigned> cpu{}; ///< The one to be pinned to.
    shared_cpus cpus{};            ///< Those that it enters first.
    scheduling schedule{};

    /// Whether more is asked for than a name.
    bool can_fail() const noexcept {
        return cpu || cpus || schedule.policy != scheduling_policy::inherit;
    }
};

/// The CPU of thread `index` of several that are pinned to the CPUs of a set in turn; none of an
/// empty set.
REGATTA_POOLS_EXPORT std::optional<unsigned> cpu_in_turn(const cpu_set& pin,
                                                         unsigned index) noexcept;

/// A thread that is named, pinned and scheduled before it works.
///
/// Several of them get into place at once if all are launched before the first is awaited.
///
/// Threads: one at a time.
/// Blocks: `start` and `await_start` until a thread whose start can fail is in place, `join` until
/// it has ended.
class placed_thread {
public:
    placed_thread() = default;
    placed_thread(const placed_thread&) = delete;
    placed_thread& operator=(const placed_thread&) = delete;
    ~placed_thread() { join(); }

    /// Starts the thread. It takes its name, enters `cpus`, is pinned and is put under `schedule`,
    /// in this order. Once in place it calls `body()`. `await_start` comes next.
    ///
    /// Failure: `std::system_error` if the thread cannot be started, `std::invalid_argument` for a
    /// `schedule` that does not exist, and `std::bad_alloc`. Then `body` has not run and will not.
    /// @param body must not throw.
    template<class Body>
    void launch(thread_place place, const Body& body) {
        body_ = body;
        launch_at(std::move(place));
    }
    /// Waits until the thread is in place, unless nothing but its name is asked for: that cannot
    /// fail, and to be awaited would cost the thread that starts it a sleep and a wake-up.
    ///
    /// Failure: `std::system_error` if it could not be moved, pinned or scheduled. Then `body` has
    /// not run and will not.
    REGATTA_APART REGATTA_POOLS_API void await_start();
    /// Both.
    template<class Body>
    void start(thread_place place, const Body& body) {
        launch(std::move(place), body);
        await_start();
    }

    /// Waits until the body has returned. A second call does nothing. In a fork of the process that
    /// started it there is no such thread: what belongs to it is left alone for good.
    REGATTA_APART REGATTA_POOLS_API void join() noexcept;

private:
    static constexpr std::uint32_t starting = 0xFFFF'FFFF;
    static constexpr unsigned widest = 1u << 13; ///< Above the most CPUs of any kernel.

    /// The first steps of the thread, in order.
    enum class stage { moving, pinning, scheduling };

    struct launched {
        thread_place wanted; ///< Read by the thread until it is in place.
        std::thread thread{};
    };

    REGATTA_APART REGATTA_POOLS_API void launch_at(thread_place wanted);
    [[noreturn]] REGATTA_RARE REGATTA_POOLS_API void fail_start(int error) const;
    /// The first steps of the thread. @returns 0, or the error number.
    REGATTA_APART REGATTA_POOLS_API int begin(const thread_place& wanted) noexcept;
    /// Pins the calling thread to one CPU. @returns 0, or the error number.
    REGATTA_RARE REGATTA_POOLS_API static int pin_to(unsigned cpu) noexcept;

    inline_task<void()> body_{};         ///< Written by `launch`, called by the thread.
    std::unique_ptr<launched> launched_; ///< Its thread is for the one that starts and joins.
    /// The outcome of the start: an error number, 0, or `starting`. Written before the thread
    /// begins, and once by a thread whose start can fail; read by `await_start`.
    std::atomic<std::uint32_t> outcome_{starting};
    stage reached_ = stage::moving; ///< The step of that outcome; published by it.
    process_stamp stamp_;           ///< Of the process that started it.
};

#if REGATTA_POOLS_DEFINITIONS

REGATTA_RARE REGATTA_POOLS_API std::optional<unsigned> cpu_in_turn(const cpu_set& pin,
                                                                   unsigned index) noexcept {
    if (pin.empty()) {
        return std::nullopt;
    }
    auto at = pin.begin();
    for (unsigned skip = index % pin.count(); skip != 0; --skip) {
        ++at;
    }
    return *at;
}

void placed_thread::join() noexcept {
    if (stamp_.elsewhere()) {
        static_cast<void>(launched_.release());
    } else if (launched_ != nullptr && launched_->thread.joinable()) {
        launched_->thread.join();
    }
}
void placed_thread::launch_at(thread_place wanted) {
    check_scheduling(wanted.schedule);
    stamp_.renew();
    const bool awaited = wanted.can_fail();
    // relaxed: its thread does not exist yet.
    outcome_.store(awaited ? starting : 0, std::memory_order_relaxed);
    reached_ = stage::moving;
    launched_ = std::make_unique<launched>(launched{std::move(wanted)});
    launched_->thread = start_thread({launched_->wanted.name}, [this, awaited] {
        const int error = begin(launched_->wanted);
        if (awaited) {
            // release: partner is the acquire in await_start(); publishes `reached_`, and that
            // `wanted` is not read any more.
            outcome_.store(static_cast<std::uint32_t>(error), std::memory_order_release);
            platform::futex_wake(outcome_);
        }
        if (error == 0) {
            body_();
        }
    });
}
void placed_thread::await_start() {
    std::uint32_t error;
    // acquire: partner is the release in the thread.
    while ((error = outcome_.load(std::memory_order_acquire)) == starting) {
        platform::futex_wait(outcome_, starting);
    }
    if (error != 0) {
        join();
        fail_start(static_cast<int>(error));
    }
}
void placed_thread::fail_start(int error) const {
    const thread_place& wanted = launched_->wanted;
    switch (reached_) {
    case stage::moving:
        fail_system(error, text_of({"move thread '", wanted.name, "' to its own CPUs"}));
    case stage::pinning:
        fail_system(error,
                    text_of({"pin thread '", wanted.name, "' to CPU ", decimal(*wanted.cpu),
                             error == EINVAL ? ", which does not exist, is offline or is withheld "
                                               "from this process"
                                             : ""}));
    default:
        fail_system(error, text_of({"schedule thread '", wanted.name, "' as ",
                                    to_string(wanted.schedule)}));
    }
}
int placed_thread::begin(const thread_place& wanted) noexcept {
    platform::name_this_thread(wanted.name.c_str());
    int error = wanted.cpus.try_enter();
    if (error == 0 && wanted.cpu) {
        reached_ = stage::pinning;
        error = pin_to(*wanted.cpu);
    }
    if (error == 0) {
        reached_ = stage::scheduling;
        error = try_schedule_this_thread(wanted.schedule);
    }
    return error;
}
int placed_thread::pin_to(unsigned cpu) noexcept {
    cpu_set::word mask[widest / cpu_set::bits_per_word] = {};
    if (cpu >= widest) {
        return EINVAL; // As the kernel says of a CPU that it cannot have.
    }
    mask[cpu / cpu_set::bits_per_word] = cpu_set::word{1} << cpu % cpu_set::bits_per_word;
    return platform::pin_thread(0, mask, sizeof mask);
}

#endif

} // namespace regatta::detail
