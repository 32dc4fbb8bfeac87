// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `pool_room`: I1 and I2. No wait ends at its deadline, so that a wake-up that is lost is
/// a deadlock to the checker and not a wait of some milliseconds.

#include "model_check.hpp"

#include <regatta/pool/detail/pool_room.hpp>

constexpr auto relaxed = std::memory_order_relaxed;

struct atomics_without_deadlines : model::model_atomics {
    static bool wait(model::atomic<std::uint32_t>& word, std::uint32_t expected,
                     const std::chrono::steady_clock::time_point*,
                     std::uint32_t = regatta::detail::platform::any_wake) {
        return word.wait(expected, false);
    }
};

using room_type = regatta::detail::basic_pool_room<atomics_without_deadlines>;
constexpr std::size_t capacity = 2;

/// Three take and give back, one of them two at once: never more is taken than there is, and in the
/// end all of it is there.
struct never_overdrawn : rl::test_suite<never_overdrawn, 3> {
    room_type room{capacity};
    model::atomic<unsigned> held{0};

    void thread(unsigned index) {
        for (int i = 0; i < 2; ++i) {
            const auto got = static_cast<unsigned>(room.take(index == 0 ? 2 : 1));
            RL_ASSERT(held.fetch_add(got, relaxed) + got <= capacity); // I1
            held.fetch_sub(got, relaxed);
            room.give(got);
        }
    }
    void after() {
        RL_ASSERT(room.take(capacity + 1) == capacity); // I1
        RL_ASSERT(room.take(1) == 0);
    }
};

/// One takes its room again, which another may have by then: nobody else gets it before it is there
/// again.
struct taken_again : rl::test_suite<taken_again, 3> {
    room_type room{capacity};
    model::atomic<unsigned> held{0};

    void before() {
        RL_ASSERT(room.take(1) == 1);
        held.store(1, relaxed);
    }
    void thread(unsigned index) {
        if (index == 0) {
            held.fetch_sub(1, relaxed);
            room.give(1);
            RL_ASSERT(room.take_again(1));
            held.fetch_add(1, relaxed);
        } else {
            const auto got = static_cast<unsigned>(room.take(1));
            RL_ASSERT(held.fetch_add(got, relaxed) + got <= capacity + 1); // I1
            held.fetch_sub(got, relaxed);
            room.give(got);
        }
    }
    void after() {
        RL_ASSERT(room.take(capacity + 1) == capacity - 1); // I1
        RL_ASSERT(room.take(1) == 0);
        RL_ASSERT(room.take_again(1));
        RL_ASSERT(!room.take_again(1)); // I1
    }
};

/// Two wait for room while a worker gives back what was taken: both get it.
struct waiting : rl::test_suite<waiting, 3> {
    room_type room{capacity};

    void before() { RL_ASSERT(room.take(capacity) == capacity); }
    void thread(unsigned index) {
        if (index < 2) {
            RL_ASSERT(room.wait([] { return false; })); // I2
        } else {
            room.give(1);
            room.give(1);
        }
    }
    void after() { RL_ASSERT(room.take(1) == 0); }
};

/// One waits for room of which only half becomes free.
struct half_free : rl::test_suite<half_free, 2> {
    room_type room{capacity};

    void before() { RL_ASSERT(room.take(capacity) == capacity); }
    void thread(unsigned index) {
        if (index == 0) {
            RL_ASSERT(room.wait([] { return false; })); // I2
        } else {
            room.give(capacity / 2);
        }
    }
    void after() { RL_ASSERT(room.take(1) == 0); }
};

/// One waits in a full pool that is closed meanwhile.
struct closing : rl::test_suite<closing, 2> {
    room_type room{capacity};
    model::atomic<unsigned> closed{0};

    void before() { RL_ASSERT(room.take(capacity) == capacity); }
    void thread(unsigned index) {
        if (index == 0) {
            RL_ASSERT(!room.wait([&] { return closed.load(relaxed) != 0; })); // I2
        } else {
            closed.store(1, relaxed);
            room.tell_closed();
        }
    }
};

int main() {
    // Its orders are all relaxed: what is mutated is that they are one step each. The wake-ups are
    // those of the event count, whose own model mutates them.
    return model::check({model::make_scenario<never_overdrawn>("never overdrawn"),
                         model::make_scenario<taken_again>("room that is taken again"),
                         model::make_scenario<waiting>("two that wait for room"),
                         model::make_scenario<half_free>("half of the room becomes free"),
                         model::make_scenario<closing>("closed while one waits")},
                        {"pool_room.hpp"});
}
