// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `handler_table`: I1, together with `quiescence` as `async_bus` joins them.

#include "model_check.hpp"

#include <regatta/bus/detail/handler_table.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/sync/quiescence.hpp>

using table_type = regatta::detail::basic_handler_table<model::model_atomics>;
using quiescence_type = regatta::basic_quiescence<model::model_atomics>;

/// A subscriber comes and goes while the consumer dispatches.
struct come_and_go : rl::test_suite<come_and_go, 2> {
    table_type table{2};
    quiescence_type batches;
    rl::var<int> state; ///< What the handler uses: 1 from before it is added until after it left.

    void before() { state($) = 0; }
    void thread(unsigned index) {
        if (index == 0) {
            for (int i = 0; i < 3; ++i) {
                batches.enter();
                int message = i;
                table.dispatch(&message);
                batches.leave();
            }
            return;
        }
        state($) = 1;
        table_type::handler handler = [this](void*) { RL_ASSERT(state($) == 1); };
        const auto place = table.claim();
        table.fill(place, std::move(handler));
        RL_ASSERT(table.retire(place, table.generation(place), false));
        for (const auto seen = batches.observe(); !batches.passed(seen);) {
            model::model_atomics::yield();
        }
        table.release(place);
        state($) = 0;
    }
};

/// Two subscribers, one after the other in one place, claimed under the registration lock of the
/// bus.
struct one_place : rl::test_suite<one_place, 3> {
    table_type table{1};
    quiescence_type batches;
    regatta::basic_adaptive_mutex<model::model_atomics> registration;
    rl::var<int> state[2];
    rl::var<int> place_memory;         ///< What moves of closures into and out of the place write.
    bool into_or_out[2]{false, false}; ///< Whether a thread moves its closure so.

    struct guest {
        guest(one_place& o, unsigned i) noexcept : of(&o), index(i) {}
        guest(guest&& other) noexcept : of(other.of), index(other.index) {
            if (of->into_or_out[index]) {
                of->place_memory($) = static_cast<int>(index);
            }
        }
        void operator()(void*) { RL_ASSERT(of->state[index]($) == 1); }
        one_place* of;
        unsigned index;
    };

    void before() {
        state[0]($) = state[1]($) = place_memory($) = 0;
        into_or_out[0] = into_or_out[1] = false;
    }
    void thread(unsigned index) {
        if (index == 2) {
            for (int i = 0; i < 2; ++i) {
                batches.enter();
                int message = i;
                table.dispatch(&message);
                batches.leave();
            }
            return;
        }
        state[index]($) = 1;
        table_type::handler handler = guest(*this, index);
        registration.lock();
        const auto place = table.claim();
        registration.unlock();
        if (place == table_type::npos) {
            return; // the other one has it
        }
        into_or_out[index] = true;
        table.fill(place, std::move(handler));
        into_or_out[index] = false;
        registration.lock();
        RL_ASSERT(table.retire(place, table.generation(place), false));
        registration.unlock();
        for (const auto seen = batches.observe(); !batches.passed(seen);) {
            model::model_atomics::yield();
        }
        into_or_out[index] = true;
        table.release(place);
        into_or_out[index] = false;
        state[index]($) = 0;
    }
};

int main() {
    return model::check({model::make_scenario<come_and_go>("a subscriber comes and goes"),
                         model::make_scenario<one_place>("two subscribers in one place")},
                        {"handler_table.hpp"});
}
