// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The atomics policy of the model checker: the members of `regatta::std_atomics`, run by relacy
/// under every order of events and every stale value that the memory model allows.
///
/// Each operation knows the place in the source that made it, so that a mutant is made without
/// touching the source: "the release at spsc_ring.hpp:77 is relaxed", "the fence at … is gone".

#include "mutation.hpp"

#include <regatta/sync/atomics.hpp>

#include "relacy_without_macros.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <source_location>
#include <utility>

namespace model {

inline rl::memory_order to_relacy(std::memory_order order) {
    switch (order) {
    case std::memory_order_relaxed:
        return rl::mo_relaxed;
    case std::memory_order_consume:
    case std::memory_order_acquire:
        return rl::mo_acquire;
    case std::memory_order_release:
        return rl::mo_release;
    case std::memory_order_acq_rel:
        return rl::mo_acq_rel;
    case std::memory_order_seq_cst:
        break;
    }
    return rl::mo_seq_cst;
}

inline rl::debug_info info_of(const std::source_location& at) {
    return {at.function_name(), at.file_name(), at.line()};
}

/// An atomic of the model; its orders may be weakened by the mutation under test.
template<class T>
class atomic {
public:
    using location = std::source_location;

    atomic() = default;
    atomic(T value) { impl_.store(value, rl::mo_relaxed, $); }

    T load(std::memory_order order, location at = location::current()) const {
        return impl_.load(to_relacy(mutated(operation::load, order, at)), info_of(at));
    }
    void store(T value, std::memory_order order, location at = location::current()) {
        impl_.store(value, to_relacy(mutated(operation::store, order, at)), info_of(at));
    }
    T exchange(T value, std::memory_order order, location at = location::current()) {
        if (is_torn(at)) {
            return tear(at, [&](T) { return value; });
        }
        return impl_.exchange(value, to_relacy(mutated(operation::modify, order, at)), info_of(at));
    }
    T fetch_add(T value, std::memory_order order, location at = location::current()) {
        if (is_torn(at)) {
            return tear(at, [&](T old) { return static_cast<T>(old + value); });
        }
        return impl_.fetch_add(value, to_relacy(mutated(operation::modify, order, at)),
                               info_of(at));
    }
    T fetch_sub(T value, std::memory_order order, location at = location::current()) {
        if (is_torn(at)) {
            return tear(at, [&](T old) { return static_cast<T>(old - value); });
        }
        return impl_.fetch_sub(value, to_relacy(mutated(operation::modify, order, at)),
                               info_of(at));
    }
    T fetch_or(T value, std::memory_order order, location at = location::current()) {
        if (is_torn(at)) {
            return tear(at, [&](T old) { return static_cast<T>(old | value); });
        }
        return impl_.fetch_or(value, to_relacy(mutated(operation::modify, order, at)), info_of(at));
    }
    T fetch_and(T value, std::memory_order order, location at = location::current()) {
        if (is_torn(at)) {
            return tear(at, [&](T old) { return static_cast<T>(old & value); });
        }
        return impl_.fetch_and(value, to_relacy(mutated(operation::modify, order, at)),
                               info_of(at));
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                               std::memory_order failure, location at = location::current()) {
        if (is_torn(at)) {
            const T old = impl_.load(rl::mo_relaxed, info_of(at));
            if (old != expected) {
                expected = old;
                return false;
            }
            impl_.store(value, rl::mo_relaxed, info_of(at));
            return true;
        }
        // Only the success order mutates: hardly any primitive has a failure order but relaxed.
        return impl_.compare_exchange_weak(expected, value,
                                           to_relacy(mutated(operation::modify, success, at)),
                                           info_of(at), to_relacy(failure), info_of(at));
    }

    bool compare_exchange_strong(T& expected, T value, std::memory_order success,
                                 std::memory_order failure, location at = location::current()) {
        if (is_torn(at)) {
            return compare_exchange_weak(expected, value, success, failure, at);
        }
        return impl_.compare_exchange_strong(expected, value,
                                             to_relacy(mutated(operation::modify, success, at)),
                                             info_of(at), to_relacy(failure), info_of(at));
    }

    /// The word as the kernel sees it under its own lock: the newest value, never a stale one.
    bool wait(T expected, bool timed) {
        rl::context& c = rl::ctx();
        c.sched();
        {
            rl::preemption_disabler no_preemption(c);
            if (impl_.fetch_add(0, rl::mo_relaxed, $) != expected) {
                return true;
            }
        }
        return impl_.wait(c, timed, true, $) != rl::unpark_reason_timeout;
    }
    /// @returns whether it woke a thread.
    bool wake(std::uint32_t count) {
        return impl_.wake(rl::ctx(), static_cast<rl::thread_id_t>(count), $) != 0;
    }

private:
    /// A read-modify-write torn into a load and a store.
    template<class Change>
    T tear(const location& at, Change&& change) {
        const T old = impl_.load(rl::mo_relaxed, info_of(at));
        impl_.store(change(old), rl::mo_relaxed, info_of(at));
        return old;
    }

    mutable rl::atomic<T> impl_;
};

/// An atomic whose life the checker sees. It is a race to touch it before its construction is
/// visible, or without that being visible to the thread that destroys it.
template<class T>
class mortal_atomic : public atomic<T> {
    using base = atomic<T>;
    using location = std::source_location;
    using order = std::memory_order;

public:
    mortal_atomic() { life_($) = 1; }
    mortal_atomic(T value) : base(value) { life_($) = 1; }
    ~mortal_atomic() { life_($) = 0; }

    T load(order o, location at = location::current()) const {
        touch();
        return base::load(o, at);
    }
    void store(T value, order o, location at = location::current()) {
        touch();
        base::store(value, o, at);
    }
    T exchange(T value, order o, location at = location::current()) {
        touch();
        return base::exchange(value, o, at);
    }
    T fetch_add(T value, order o, location at = location::current()) {
        touch();
        return base::fetch_add(value, o, at);
    }
    T fetch_sub(T value, order o, location at = location::current()) {
        touch();
        return base::fetch_sub(value, o, at);
    }
    bool compare_exchange_strong(T& expected, T value, order success, order failure,
                                 location at = location::current()) {
        touch();
        return base::compare_exchange_strong(expected, value, success, failure, at);
    }

private:
    void touch() const { static_cast<void>(life_($).load()); }

    rl::var<int> life_;
};

/// A cell whose every access the checker sees, by a variable of its own that is written or read
/// with each: a race on it, a read of an absent element or a write over a present one ends the run.
///
/// It has lines of its own, so that `own_lines` is called of each one in every ring.
template<class T>
class alignas(64) cell {
public:
    cell() noexcept { present_($) = 0; }

    template<class... Args>
    void emplace(Args&&... args) {
        RL_ASSERT(present_($) == 0);
        present_($) = 1;
        value_.emplace(std::forward<Args>(args)...);
    }
    T& get() {
        RL_ASSERT(present_($) == 1);
        return *value_;
    }
    void destroy() {
        RL_ASSERT(present_($) == 1);
        present_($) = 0;
    }
    void own_lines() {
        RL_ASSERT(present_($) == 0);
        present_($) = 0; // A write, for which another access is a race.
    }

private:
    rl::var<int> present_;
    std::optional<T> value_;
};

/// Both sides are full fences here: the asymmetric fence promises no less and no more.
class fence {
public:
    using location = std::source_location;

    void light(location at = location::current()) const { fence_at(at); }
    void heavy(location at = location::current()) const { fence_at(at); }
    void full(location at = location::current()) const { fence_at(at); }

private:
    static void fence_at(const location& at) {
        if (!removed(operation::fence, at)) {
            rl::atomic_thread_fence(rl::mo_seq_cst, info_of(at));
        }
    }
};

/// The asymmetric fence as the kernel's membarrier provides it: the light side does nothing. The
/// heavy side interrupts every thread, and each interrupt is a full fence on that thread.
template<unsigned Threads>
class kernel_fence : public fence {
public:
    void light() const {}
    void heavy(location at = location::current()) const {
        if (!removed(operation::fence, at)) {
            using thread =
                rl::aligned<rl::thread_info<Threads>>; // The checker has an array of them.
            rl::context& c = rl::ctx();
            rl::atomic_thread_fence(rl::mo_seq_cst, info_of(at));
            auto* const own = static_cast<thread*>(c.threadx_);
            for (thread* t = own - own->index_; t != own - own->index_ + Threads; ++t) {
                t->atomic_thread_fence_seq_cst(c.seq_cst_fence_order_);
            }
            own->atomic_thread_fence_seq_cst(c.seq_cst_fence_order_);
        }
    }
};

/// The policy itself.
struct model_atomics {
    template<class T>
    using atomic = model::atomic<T>;
    template<class T>
    using cell = model::cell<T>;
    using fence = model::fence;
    class mutex {
    public:
        void lock() { own_.lock($); }
        void unlock() { own_.unlock($); }

    private:
        rl::mutex own_;
    };
    static constexpr std::uint32_t backoff_steps = 0; // Every wait goes to sleep.

    static bool wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                     const std::chrono::steady_clock::time_point* deadline,
                     std::uint32_t = regatta::detail::platform::any_wake) {
        return word.wait(expected, deadline != nullptr);
    }
    /// Deadlines pass while a thread sleeps, when the checker chooses.
    static bool is_past(std::chrono::steady_clock::time_point) { return false; }
    static bool wake(atomic<std::uint32_t>& word, std::uint32_t count,
                     std::source_location at = std::source_location::current()) {
        return !removed(operation::wake, at) && word.wake(count);
    }
    /// Whom it wakes is the checker's choice, whatever the bits.
    static bool wake_one(atomic<std::uint32_t>& word, std::uint32_t,
                         std::source_location at = std::source_location::current()) {
        return wake(word, 1, at);
    }
    /// Wakes all: which of them have these bits the kernel knows.
    static void wake_all_of(atomic<std::uint32_t>& word, std::uint32_t,
                            std::source_location at = std::source_location::current()) {
        wake(word, 1000, at);
    }
    static int this_cpu() { return 0; } // All threads run on it.
    static std::int32_t this_thread_number() { return 1; }
    struct kept_off_cpu {
        static void usual() {}
        static std::atomic<std::uint32_t>& due() {
            static std::atomic<std::uint32_t> wakes{0};
            return wakes;
        }
        kept_off_cpu(std::int32_t, int) {}
        ~kept_off_cpu() {}
    };
    static void relax() { rl::yield(1, $); }
    static void relax_for(std::chrono::nanoseconds) { rl::yield(1, $); }
    static void sleep_for(std::chrono::nanoseconds) { rl::yield(1, $); }
    static void yield() { rl::yield(1, $); } ///< For the scenarios.

    using thread_id = unsigned;
    static thread_id this_thread() { return rl::thread_index() + 1; }
};

/// The policy with the light fence as it is where the kernel does its work: no fence at all to the
/// memory model. What does not call the heavy one must not rest on it.
struct atomics_without_light_fence : model_atomics {
    struct fence : model::fence {
        void light() const {}
        void heavy() const { RL_ASSERT(!"the heavy fence, whose partner is missing"); }
    };
};

} // namespace model
