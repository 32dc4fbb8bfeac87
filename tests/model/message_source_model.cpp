// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of the ring of a worker pool under the real worker loop, as its producers and workers use
/// them: I1 and I2 of `basic_message_source`, I1 of `basic_worker_loop`. No wait ends at its
/// deadline, so that a wake-up that is lost is a deadlock to the checker and not a wait of some
/// milliseconds.

#include "model_check.hpp"

#include <regatta/core/detail/worker_loop.hpp>
#include <regatta/message/detail/message_source.hpp>

#include <chrono>
#include <cstdint>
#include <string>

constexpr auto relaxed = std::memory_order_relaxed;

/// A policy whose clock stands still and whose waits have no deadline.
struct source_atomics : model::model_atomics {
    static bool wait(model::atomic<std::uint32_t>& word, std::uint32_t expected,
                     const std::chrono::steady_clock::time_point*,
                     std::uint32_t = regatta::detail::platform::any_wake) {
        return word.wait(expected, false);
    }
    static std::int64_t now_ns() { return 1; }
};

struct number {
    unsigned value;
};

using source_type = regatta::detail::basic_message_source<source_atomics, number>;
using worker_type = regatta::detail::basic_worker<source_type::seat, source_atomics>;
using loop_type = regatta::detail::basic_worker_loop<source_type, worker_type, source_atomics>;

/// A pool with room for two messages. Each message is handled once.
struct small_pool {
    static constexpr std::size_t capacity = 2;
    const std::string name = "small";
    regatta::detail::error_tally errors{regatta::error_sink(), name};
    source_type source{capacity, errors};
    loop_type loop{source, true, std::chrono::nanoseconds(0)};
    worker_type* workers[2];
    rl::var<int> handled[4];
    model::atomic<unsigned> begun{0};
    unsigned meet = 0; ///< A handler ends once so many have begun.

    explicit small_pool(unsigned worker_count) {
        for (auto& h : handled) {
            h($) = 0;
        }
        for (unsigned i = 0; i < worker_count; ++i) {
            workers[i] = &loop.members().add(i);
        }
        source.set_handler<number>([this](number& m) {
            handled[m.value]($) = handled[m.value]($) + 1;
            begun.fetch_add(1, relaxed);
            while (begun.load(relaxed) < meet) {
                source_atomics::yield();
            }
        });
    }

    struct no_hooks {
        void on_start(worker_type&) {}
        void on_stop(worker_type&) {}
        void gone(worker_type&) {}
    };
    void work(unsigned worker) { loop.work(*workers[worker], no_hooks{}); }

    bool try_submit(unsigned value) {
        const bool accepted = source.try_append(capacity, number{value});
        if (accepted) {
            loop.wake();
        }
        return accepted;
    }
    /// As `worker_pool::submit`, from outside.
    bool submit(unsigned value) {
        bool accepted = false;
        source.wait_for_room([&] {
            accepted = accepted || source.try_append(capacity, number{value});
            return accepted || source.closed();
        });
        if (accepted) {
            loop.wake();
        }
        return accepted;
    }
    void close(bool discard = false) {
        loop.close(discard);
        loop.wake_all();
        source.tell_closed();
    }
    int times(unsigned value) { return handled[value]($); }
};

/// Two producers bring a message each. The handlers wait for each other, so that neither message
/// may be stranded beside a sleeping worker, in whatever order their cells are filled.
struct two_that_meet : rl::test_suite<two_that_meet, 4> {
    small_pool pool{2};
    model::atomic<unsigned> submitted{0};

    void before() { pool.meet = 2; }
    void thread(unsigned index) {
        if (index < 2) {
            return pool.work(index);
        }
        RL_ASSERT(pool.try_submit(index - 2));
        if (submitted.fetch_add(1, relaxed) == 1) {
            pool.close();
        }
    }
    void after() { RL_ASSERT(pool.times(0) == 1 && pool.times(1) == 1); } // I1
};

/// Two producers wait for room while one worker makes it.
struct waiting_for_room : rl::test_suite<waiting_for_room, 3> {
    small_pool pool{1};
    model::atomic<unsigned> submitted{0};

    void before() {
        RL_ASSERT(pool.try_submit(0));
        RL_ASSERT(pool.try_submit(1));
    }
    void thread(unsigned index) {
        if (index == 0) {
            return pool.work(0);
        }
        RL_ASSERT(pool.submit(index + 1)); // I2
        if (submitted.fetch_add(1, relaxed) == 1) {
            pool.close();
        }
    }
    void after() {
        for (unsigned i = 0; i < 4; ++i) {
            RL_ASSERT(pool.times(i) == 1); // I1
        }
    }
};

/// A drain sees what the handlers did that came before it.
struct draining : rl::test_suite<draining, 2> {
    small_pool pool{1};

    void thread(unsigned index) {
        if (index == 0) {
            return pool.work(0);
        }
        RL_ASSERT(pool.try_submit(0));
        pool.loop.drain();
        RL_ASSERT(pool.times(0) == 1);
        pool.close();
    }
};

/// A producer waits for room in a pool without workers that is closed meanwhile.
struct closed_while_waiting : rl::test_suite<closed_while_waiting, 2> {
    small_pool pool{0};

    void before() {
        RL_ASSERT(pool.try_submit(0));
        RL_ASSERT(pool.try_submit(1));
    }
    void thread(unsigned index) {
        if (index == 0) {
            RL_ASSERT(!pool.submit(2)); // I2
        } else {
            pool.close();
        }
    }
};

/// One submits while another closes and drops what is there: the message is accepted and dropped,
/// or refused; none is left.
struct discarding : rl::test_suite<discarding, 2> {
    small_pool pool{0};
    bool accepted = false;
    unsigned dropped = 0;

    void thread(unsigned index) {
        if (index == 0) {
            accepted = pool.try_submit(0);
        } else {
            pool.close(true);
            pool.source.drop_all(
                [&] {
                    ++dropped;
                    pool.loop.count_dropped();
                },
                [&] { return !pool.loop.idle(false); });
        }
    }
    void after() {
        RL_ASSERT(dropped == (accepted ? 1u : 0u)); // I1
        RL_ASSERT(pool.times(0) == 0 && pool.source.size() == 0);
    }
};

int main() {
    // The orders are those of the ring, the gate and the event count, whose own models mutate them.
    return model::check(
        {model::make_scenario<two_that_meet>("two messages that need each other"),
         model::make_scenario<waiting_for_room>("two producers wait for room"),
         model::make_scenario<draining>("drained"),
         model::make_scenario<closed_while_waiting>("closed while a producer waits"),
         model::make_scenario<discarding>("closed and discarded while a producer submits")},
        {"message_source.hpp"});
}
