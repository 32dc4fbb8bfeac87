// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `task_queues` with segments of two cells: I1 to I3. The queues themselves have a model
/// of their own; here it is what stands around them: which one a task goes to and who looks where.

#include "model_check.hpp"

#include <regatta/pool/detail/task_queues.hpp>
#include <regatta/sync/event_count.hpp>

using regatta::priority;
using regatta::detail::queue_layout;

constexpr auto relaxed = std::memory_order_relaxed;

/// A task that is a number.
struct numbered {
    template<class F>
    static constexpr bool fits_cell = true;

    numbered() = default;
    numbered(unsigned number, void*) : number(number) {}
    unsigned number = 0;
};

using queues_type = regatta::detail::basic_task_queues<numbered, model::model_atomics, 2>;
using gate_type = regatta::basic_event_count<model::atomics_without_light_fence>;
constexpr unsigned outside = queues_type::outside;

inline bool append(queues_type& queues, priority level, unsigned worker, unsigned number) {
    return queues.append<unsigned>(level, worker, 1, [&](std::size_t) { return number; }) != 0;
}

/// A worker's own.
struct seat {
    explicit seat(unsigned worker, bool steal) : worker(worker), steal(steal) {}
    /// Takes a task. @returns its number, or -1.
    int take(queues_type& queues) {
        bool stolen = false;
        const auto b = queues.take(worker, turn++, steal, victim, stolen);
        if (b.size() == 0) {
            mine.flush();
            model::model_atomics::yield();
            return -1;
        }
        RL_ASSERT(!stolen || steal);
        const auto number = static_cast<int>(b[0].number);
        b.destroy(0);
        mine.finish(b, 1);
        return number;
    }
    const unsigned worker;
    const bool steal;
    std::uint32_t turn = 6; ///< So that the next takes are those that look elsewhere first.
    unsigned victim = 0;
    queues_type::tally mine;
};

/// Tasks of each priority, from outside and from a worker; two workers take all of them, once.
template<queue_layout Layout>
struct each_once : rl::test_suite<each_once<Layout>, 3> {
    queues_type queues{Layout, 2};
    model::atomic<unsigned> seen{0};
    model::atomic<unsigned> count{0};

    void work(unsigned worker) {
        seat own(worker, true);
        while (count.load(relaxed) != 5) {
            const int number = own.take(queues);
            if (number >= 0) {
                RL_ASSERT((seen.fetch_or(1u << number, relaxed) & 1u << number) == 0); // I1
                count.fetch_add(1, relaxed);
            }
        }
    }
    void thread(unsigned index) {
        if (index == 0) {
            append(queues, priority::low, outside, 0);
            append(queues, priority::high, outside, 1);
            append(queues, priority::medium, outside, 2);
            append(queues, priority::medium, outside, 3);
        } else {
            if (index == 1) {
                append(queues, priority::medium, 0, 4);
            }
            work(index - 1);
        }
    }
    void after() {
        RL_ASSERT(seen.load(relaxed) == 0x1Fu);
        RL_ASSERT(queues.appended() == 5 && queues.taken() == 5 && queues.size() == 0);
        RL_ASSERT(!queues.ready(0, true) && !queues.coming(0, true));
    }
};

/// One or two producers append a task and ask for sleepers. When one of them has seen none, a
/// worker that then announces its sleep sees the task. (The flag orders nothing.)
template<priority Level, unsigned Producers>
struct announced : rl::test_suite<announced<Level, Producers>, Producers + 1> {
    queues_type queues{queue_layout::per_worker, 2};
    gate_type gate;
    model::atomic<unsigned> asked{0};

    void thread(unsigned index) {
        if (index < Producers) {
            append(queues, Level, outside, index);
            if (!gate.has_sleepers()) {
                asked.store(1, relaxed);
            }
            return;
        }
        while (asked.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        static_cast<void>(gate.announce_wait());
        RL_ASSERT(queues.coming(1, true)); // I2
        gate.cancel_wait();
    }
};

/// Closed while one appends from outside: what was accepted is there, and a worker still appends.
struct closing : rl::test_suite<closing, 3> {
    queues_type queues{queue_layout::both, 1};
    model::atomic<unsigned> accepted{0};

    void thread(unsigned index) {
        if (index == 0) {
            for (const priority level : {priority::medium, priority::high, priority::low}) {
                if (append(queues, level, outside, 0)) {
                    accepted.fetch_add(1, relaxed);
                }
            }
        } else if (index == 1) {
            queues.close();
            const std::uint64_t last = queues.appended();
            RL_ASSERT(!append(queues, priority::high, outside, 0)); // I3
            RL_ASSERT(queues.appended() <= last + 2);
        } else {
            RL_ASSERT(append(queues, priority::medium, 0, 0)); // I3
            RL_ASSERT(append(queues, priority::high, 0, 0));
        }
    }
    void after() {
        RL_ASSERT(queues.appended() == accepted.load(relaxed) + 2u);
        RL_ASSERT(queues.size() == accepted.load(relaxed) + 2u); // I1
    }
};

int main() {
    const char* const order =
        "the checker orders seq_cst stores as they run, so that one that was read comes before";
    return model::check(
        {model::make_scenario<each_once<queue_layout::shared>>("each task once, shared"),
         model::make_scenario<each_once<queue_layout::per_worker>>("each task once, per worker"),
         model::make_scenario<each_once<queue_layout::both>>("each task once, both"),
         model::make_scenario<announced<priority::medium, 1>>("announced, medium"),
         model::make_scenario<announced<priority::high, 1>>("announced, high"),
         model::make_scenario<announced<priority::low, 2>>("announced, two producers, low"),
         model::make_scenario<closing>("closing")},
        {"task_queues.hpp"},
        {{"load append -> acquire", order}, {"load append -> relaxed", order}});
}
