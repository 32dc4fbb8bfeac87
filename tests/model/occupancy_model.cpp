// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `occupancy` with words of two places: I1 and I2.

#include "model_check.hpp"

#include <regatta/pool/detail/occupancy.hpp>
#include <regatta/sync/event_count.hpp>

using occupancy = regatta::detail::basic_occupancy<model::model_atomics, 2>;
using gate_type = regatta::basic_event_count<model::atomics_without_light_fence>;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto seq_cst = std::memory_order_seq_cst;

/// Four places in two words, a word above them; a place holds a number of things.
struct shelf {
    static constexpr unsigned places = 4;
    occupancy map{places};
    model::atomic<unsigned> things[places]{0, 0, 0, 0};

    void fill(unsigned place) {
        things[place].fetch_add(1, seq_cst);
        map.set(place);
    }
    bool filled(unsigned place) { return things[place].load(seq_cst) != 0; }
    void clear(unsigned place) {
        map.clear_unless(place, [&] { return filled(place); });
    }
    bool shows(unsigned place) { return map.next(place) == place; }
    /// Whether a place that may be filled is. Clears those that are not.
    bool look() {
        for (unsigned at = map.next(0); at < places; at = map.next(at + 1)) {
            if (filled(at)) {
                return true;
            }
            clear(at);
        }
        return false;
    }
};

/// Producers fill places 3, 2 … and ask for sleepers. When one of them has seen none, a thread that
/// then announces its sleep sees its place, whatever others clear meanwhile. (The flag orders
/// nothing.)
/// @tparam Stale how many places, from 3 down, have their bits set at first and are empty.
template<unsigned Producers, unsigned Clearers, unsigned Stale>
struct announced : rl::test_suite<announced<Producers, Clearers, Stale>, Producers + Clearers + 1> {
    static constexpr unsigned none = ~0u;
    shelf s;
    gate_type gate;
    model::atomic<unsigned> asked{none};

    void before() {
        for (unsigned i = 0; i < Stale; ++i) {
            s.map.set(3 - i);
        }
    }
    void thread(unsigned index) {
        if (index < Producers) {
            s.fill(3 - index);
            if (!gate.has_sleepers()) {
                asked.store(3 - index, relaxed);
            }
        } else if (index < Producers + Clearers) {
            static_cast<void>(s.look());
        } else {
            while (asked.load(relaxed) == none) {
                model::model_atomics::yield();
            }
            const unsigned place = asked.load(relaxed);
            static_cast<void>(gate.announce_wait());
            RL_ASSERT(s.shows(place)); // I1
            RL_ASSERT(s.look());
            gate.cancel_wait();
        }
    }
    void after() {
        for (unsigned i = 0; i < Producers; ++i) {
            RL_ASSERT(s.shows(3 - i)); // I1, I2
        }
    }
};

/// A thing is taken, and its place cleared, while another one is put there.
struct refilled : rl::test_suite<refilled, 3> {
    shelf s;
    gate_type gate;
    model::atomic<unsigned> asked{0};

    void before() { s.fill(1); }
    void thread(unsigned index) {
        if (index == 0) {
            s.fill(1);
            if (!gate.has_sleepers()) {
                asked.store(1, relaxed);
            }
        } else if (index == 1) {
            s.things[1].fetch_sub(1, seq_cst);
            s.clear(1);
        } else {
            while (asked.load(relaxed) == 0) {
                model::model_atomics::yield();
            }
            static_cast<void>(gate.announce_wait());
            RL_ASSERT(s.shows(1)); // I1
            gate.cancel_wait();
        }
    }
    void after() { RL_ASSERT(s.look()); }
};

/// Places that are empty do not show once they were looked at.
struct emptied : rl::test_suite<emptied, 2> {
    shelf s;

    void before() {
        for (unsigned i = 0; i < shelf::places; ++i) {
            s.map.set(i);
        }
    }
    void thread(unsigned) { static_cast<void>(s.look()); }
    void after() {
        RL_ASSERT(!s.look());
        RL_ASSERT(s.map.next(0) == shelf::places); // I2
    }
};

int main() {
    return model::check({model::make_scenario<announced<1, 0, 0>>("announced"),
                         model::make_scenario<announced<1, 1, 1>>("announced, cleared meanwhile"),
                         model::make_scenario<announced<1, 1, 2>>("announced, two cleared"),
                         model::make_scenario<announced<1, 2, 1>>("announced, cleared by two"),
                         model::make_scenario<announced<2, 0, 0>>("two announced"),
                         model::make_scenario<announced<2, 1, 2>>("two announced and cleared"),
                         model::make_scenario<refilled>("refilled"),
                         model::make_scenario<emptied>("emptied")},
                        {"occupancy.hpp"});
}
