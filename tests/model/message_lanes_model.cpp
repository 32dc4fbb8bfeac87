// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `message_lanes` and `message_rings` with their producers, of lanes of two messages: I1
/// to I5, and R2, the second of the rings. A wake-up that is lost, of the consumer or of a
/// publisher that waits for room, is a deadlock to the checker.

#include "model_check.hpp"

#include <regatta/bus/bus_producer.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <span>

constexpr auto relaxed = std::memory_order_relaxed;

/// What `async_bus` makes of the lanes, without handlers: a consumer that counts what arrives.
/// Message n of producer p is 10 p + n.
template<class Atomics>
struct basic_small_bus : regatta::detail::basic_message_lanes<Atomics, unsigned> {
    using lanes = regatta::detail::basic_message_lanes<Atomics, unsigned>;
    using producer = regatta::basic_bus_producer<Atomics, unsigned>;
    using lanes::await_message;
    using lanes::sleep;
    using lanes::transport_stats;
    using typename lanes::consumer_role;

    rl::var<unsigned> next[3]; ///< The message that is next of each producer; the consumer's own.

    explicit basic_small_bus(regatta::when_full on_full = regatta::when_full::block)
        : lanes({.capacity = 2, .producers = 2, .on_full = on_full}) {
        for (auto& n : next) {
            n($) = 0;
        }
    }
    bool is_consumer() const { return this->in_consumer(); }
    void arrives(unsigned value) {
        RL_ASSERT(is_consumer());                     // I4
        RL_ASSERT(value % 10 == next[value / 10]($)); // I1
        next[value / 10]($) = value % 10 + 1;
    }
    std::size_t consume(std::size_t max) {
        if (this->nothing_new()) {
            return 0;
        }
        const consumer_role role(*this);
        return this->take(max, [this](unsigned m) { arrives(m); });
    }
    void consume_backlog() {
        if (this->closed()) {
            this->await_publications([this] { return consume(2) != 0; });
        }
        const consumer_role role(*this);
        this->take_backlog([this](unsigned m) { arrives(m); }, [](auto&& take) { return take(); });
    }
    void consume_all(std::size_t count) {
        while (count != 0) {
            const std::size_t now = consume(count);
            count -= now;
            if (now == 0) {
                sleep({});
            }
        }
    }
};
using small_bus = basic_small_bus<model::model_atomics>;
/// Where the kernel does the work of the light fence, that orders no hand-over.
using bus_without_light_fence = basic_small_bus<model::atomics_without_light_fence>;

/// One publishes in a lane of its own, one on the bus, both more than there is room for.
struct delivery : rl::test_suite<delivery, 3> {
    small_bus bus;

    void thread(unsigned index) {
        if (index == 2) {
            bus.consume_all(6); // I2
            return;
        }
        RL_ASSERT(!bus.is_consumer());
        if (index == 0) {
            auto mine = bus.make_producer();
            for (unsigned i = 0; i < 3; ++i) {
                RL_ASSERT(mine.publish(i)); // I3
            }
        } else {
            for (unsigned i = 10; i < 13; ++i) {
                RL_ASSERT(bus.publish(i)); // I3
            }
        }
    }
    void after() {
        RL_ASSERT(bus.next[0]($) == 3 && bus.next[1]($) == 3); // I1
        const auto s = bus.transport_stats();
        RL_ASSERT(s.published == 6 && s.processed == 6 && s.refused == 0);
    }
};

/// The consumer has a loop of its own, that waits with a deadline every other time. When a deadline
/// passes is the checker's choice.
struct own_loop : rl::test_suite<own_loop, 2> {
    small_bus bus;

    void thread(unsigned index) {
        if (index == 0) {
            auto mine = bus.make_producer();
            RL_ASSERT(mine.publish(0u) && bus.publish(10u));
            bus.close();
            return;
        }
        const std::chrono::steady_clock::time_point deadline{};
        for (bool limited = true; !bus.closed(); limited = !limited) {
            if (bus.await_message(limited ? &deadline : nullptr)) { // I2
                RL_ASSERT(bus.consume(1) == 1 || bus.closed());
            } else {
                RL_ASSERT(limited);
            }
        }
        bus.consume_backlog();
    }
    void after() {
        RL_ASSERT(bus.next[0]($) == 1 && bus.next[1]($) == 1); // I1, R2
        RL_ASSERT(bus.await_message(nullptr));                 // It is closed.
    }
};

/// Batches, which make several messages known at once.
struct batches : rl::test_suite<batches, 2> {
    small_bus bus;

    void thread(unsigned index) {
        if (index == 1) {
            bus.consume_all(4); // I2
            return;
        }
        auto mine = bus.make_producer();
        const std::array<unsigned, 4> all{0, 1, 2, 3};
        const std::size_t done = mine.try_publish_batch(std::span<const unsigned>(all.data(), 1));
        RL_ASSERT(done == 1);
        RL_ASSERT(mine.publish_batch(std::span<const unsigned>(all).subspan(done)) == 3); // I3
    }
    void after() { RL_ASSERT(bus.next[0]($) == 4); }
};

/// A lane goes from one producer to another. (The flag orders nothing.)
struct lane_handed_on : rl::test_suite<lane_handed_on, 2> {
    bus_without_light_fence bus;
    std::optional<bus_without_light_fence::producer> other;
    model::atomic<unsigned> free{0};

    void before() { other.emplace(bus.make_producer()); }
    void thread(unsigned index) {
        if (index == 1) {
            while (free.load(relaxed) == 0) {
                model::model_atomics::yield();
            }
        }
        {
            auto mine = bus.make_producer();
            RL_ASSERT(mine.try_publish(unsigned{index}));
        }
        free.store(1, relaxed);
    }
    void after() {
        RL_ASSERT(bus.consume(4) == 2 && bus.next[0]($) == 2); // I1
    }
};

/// One consumes the first message, another the second. (The flag orders nothing.)
struct consumer_handed_on : rl::test_suite<consumer_handed_on, 2> {
    bus_without_light_fence bus;
    model::atomic<unsigned> ended{0};

    void before() {
        auto mine = bus.make_producer();
        RL_ASSERT(mine.try_publish(0u) && mine.try_publish(1u));
    }
    void thread(unsigned index) {
        while (ended.load(relaxed) != index) {
            model::model_atomics::yield();
        }
        RL_ASSERT(bus.consume(1) == 1); // I4
        ended.store(index + 1, relaxed);
    }
    void after() { RL_ASSERT(bus.next[0]($) == 2); }
};

/// What was published before is consumed, whatever others publish meanwhile.
struct backlog : rl::test_suite<backlog, 2> {
    small_bus bus;
    model::atomic<unsigned> published{0};

    void thread(unsigned index) {
        if (index == 0) {
            auto mine = bus.make_producer();
            RL_ASSERT(mine.try_publish(0u) && bus.try_publish(10u));
            published.store(1, std::memory_order_release);
            RL_ASSERT(mine.try_publish(1u) && bus.try_publish(11u));
        } else {
            while (published.load(std::memory_order_acquire) == 0) {
                model::model_atomics::yield();
            }
            bus.consume_backlog();
            RL_ASSERT(bus.next[0]($) >= 1 && bus.next[1]($) >= 1); // I1
        }
    }
};

/// The bus is closed while a publisher waits for room and the consumer sleeps.
struct closing : rl::test_suite<closing, 2> {
    small_bus bus;
    small_bus idle;

    void before() { RL_ASSERT(bus.publish(10u) && bus.publish(11u)); }
    void thread(unsigned index) {
        if (index == 0) {
            RL_ASSERT(!bus.publish(12u)); // I3
            while (!idle.closed()) {
                idle.sleep({}); // I2
            }
        } else {
            bus.close();
            idle.close();
        }
    }
    void after() { RL_ASSERT(bus.transport_stats().refused == 1); }
};

/// The bus is closed while a producer publishes in its lane, one message or several, and the
/// consumer sleeps. What was accepted is consumed, what was not is not.
template<bool Batch>
struct closing_lane : rl::test_suite<closing_lane<Batch>, 3> {
    small_bus bus;
    std::optional<small_bus::producer> mine;
    unsigned accepted = 0;

    void before() { mine.emplace(bus.make_producer()); }
    void thread(unsigned index) {
        if (index == 0) {
            if constexpr (Batch) {
                const std::array<unsigned, 2> two{0, 1};
                accepted =
                    static_cast<unsigned>(mine->publish_batch(std::span<const unsigned>(two)));
            } else {
                accepted = mine->publish(0u) ? 1 : 0;
                accepted += accepted != 0 && mine->try_publish(1u) ? 1 : 0;
            }
        } else if (index == 1) {
            bus.close();
        } else {
            while (!bus.closed()) {
                bus.sleep({});
            }
            bus.consume_backlog();
            RL_ASSERT(!bus.try_publish(10u));
        }
    }
    void after() {
        RL_ASSERT(bus.next[0]($) == accepted); // R2
        const auto s = bus.transport_stats();
        RL_ASSERT(s.published == accepted && s.processed == accepted);
    }
};

/// Deadlines pass at any moment, not only while a thread sleeps.
struct hasty_atomics : model::model_atomics {
    static bool is_past(std::chrono::steady_clock::time_point) { return rl::rand(2) != 0; }
};

/// A publisher that finds no room gives up when its deadline passes, while the consumer makes room.
/// What was accepted is consumed, what was not is counted.
template<bool InLane>
struct giving_up : rl::test_suite<giving_up<InLane>, 2> {
    using bus_type = basic_small_bus<hasty_atomics>;
    bus_type bus;
    std::optional<bus_type::producer> mine;
    unsigned refused = 0;

    void before() {
        mine.emplace(bus.make_producer());
        for (unsigned n = 0; n < 2; ++n) {
            RL_ASSERT(InLane ? mine->try_publish(unsigned{n}) : bus.try_publish(unsigned{n}));
        }
    }
    void thread(unsigned index) {
        if (index == 0) {
            const auto later = std::chrono::steady_clock::time_point::max();
            unsigned last = 2;
            refused =
                (InLane ? mine->try_publish_until(last, later) : bus.try_publish_until(last, later))
                    ? 0
                    : 1;
        } else {
            RL_ASSERT(bus.consume(2) != 0);
        }
    }
    void after() {
        while (bus.consume(2) != 0) {
        }
        RL_ASSERT(bus.next[0]($) == 3 - refused); // I1
        const auto s = bus.transport_stats();
        RL_ASSERT(s.refused == refused && s.queued == 0);
    }
};

/// Three are refused at once, and each is counted.
struct refusing : rl::test_suite<refusing, 3> {
    small_bus bus{regatta::when_full::discard};
    std::optional<small_bus::producer> producers[2];

    void before() {
        for (unsigned p = 0; p < 2; ++p) {
            producers[p].emplace(bus.make_producer());
            RL_ASSERT(producers[p]->publish(0u) && producers[p]->publish(0u));
        }
        RL_ASSERT(bus.publish(0u) && bus.publish(0u));
    }
    void thread(unsigned index) {
        const std::array<unsigned, 2> two{0, 0};
        if (index == 0) {
            RL_ASSERT(producers[0]->try_publish_batch(std::span<const unsigned>(two)) == 0);
        } else if (index == 1) {
            RL_ASSERT(producers[1]->publish_batch(std::span<const unsigned>(two)) == 0);
        } else {
            RL_ASSERT(!bus.publish(0u));
        }
    }
    void after() { RL_ASSERT(bus.transport_stats().refused == 5); }
};

/// The figures, read by a third thread.
struct statistics : rl::test_suite<statistics, 3> {
    small_bus bus;

    void thread(unsigned index) {
        if (index == 0) {
            auto mine = bus.make_producer();
            RL_ASSERT(mine.try_publish(0u) && bus.try_publish(10u));
        } else if (index == 1) {
            bus.consume_all(2);
        } else {
            const auto s = bus.transport_stats();
            RL_ASSERT(s.processed <= s.published && s.queued <= 2); // I5
        }
    }
};

int main() {
    return model::check(
        {model::make_scenario<delivery>("two publish more than there is room for"),
         model::make_scenario<own_loop>("a consumer with a loop of its own"),
         model::make_scenario<batches>("batches"),
         model::make_scenario<lane_handed_on>("a lane that is handed on"),
         model::make_scenario<consumer_handed_on>("a consumer that is handed on"),
         model::make_scenario<backlog>("the backlog"),
         model::make_scenario<closing>("closed while both sides sleep"),
         model::make_scenario<closing_lane<false>>("closed while a producer publishes"),
         model::make_scenario<closing_lane<true>>("closed while a producer publishes a batch"),
         model::make_scenario<giving_up<false>>("a publisher that gives up"),
         model::make_scenario<giving_up<true>>("one that gives up in its lane"),
         model::make_scenario<refusing>("three are refused"),
         model::make_scenario<statistics>("statistics")},
        {"message_lanes.hpp", "message_rings.hpp", "bus_producer.hpp"});
}
