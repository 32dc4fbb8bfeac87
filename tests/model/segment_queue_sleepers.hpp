// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Scenarios of consumers that sleep while the queue is empty.

#include "segment_queue_arrivals.hpp"

#include <regatta/sync/event_count.hpp>

/// Two sleep when the queue is empty; every element brings one notification, and none is missed
/// even while the chain goes on to another segment.
struct sleepers : rl::test_suite<sleepers, 3> {
    queue_type queue;
    regatta::basic_event_count<model::model_atomics> gate;
    arrivals out;
    model::atomic<unsigned> left{4};

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 4; ++i) {
                queue.emplace(i);
                gate.notify_one();
            }
            return;
        }
        queue_type::tally mine;
        while (left.load(relaxed) != 0) {
            const auto b = queue.take(1);
            if (b.size() != 0) {
                out.count(b[0]);
                b.destroy(0);
                mine.finish(b, 1);
                if (left.fetch_sub(1, relaxed) == 1) {
                    gate.notify_all();
                }
                continue;
            }
            mine.flush();
            const auto ticket = gate.prepare_wait();
            if (queue.ready() || left.load(relaxed) == 0) {
                gate.cancel_wait();
            } else {
                gate.commit_wait(ticket);
            }
        }
    }
    void after() { RL_ASSERT(out.seen() == 0xFu); }
};

/// One that announces its sleep and then asks what is coming: no fence is needed.
struct announced_sleeper : rl::test_suite<announced_sleeper, 2> {
    queue_type queue;
    regatta::basic_event_count<model::atomics_without_light_fence> gate;

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 5; ++i) {
                queue.emplace(i);
                if (gate.has_sleepers()) {
                    gate.notify_one();
                }
            }
            return;
        }
        queue_type::tally mine;
        for (unsigned taken = 0; taken < 5;) {
            const auto b = queue.take(1);
            if (b.size() != 0) {
                b.destroy(0);
                mine.finish(b, 1);
                ++taken;
                continue;
            }
            mine.flush();
            const auto ticket = gate.announce_wait();
            if (queue.coming()) {
                gate.cancel_wait();
                model::model_atomics::yield();
            } else {
                gate.commit_wait(ticket);
            }
        }
    }
};

/// The same while the chain goes on to another segment: when the producer has asked and seen no
/// sleeper, who then announces its sleep sees that segment. (The flag orders nothing.)
struct announced_at_the_end : rl::test_suite<announced_at_the_end, 2> {
    queue_type queue;
    arrivals out;
    regatta::basic_event_count<model::atomics_without_light_fence> gate;
    model::atomic<unsigned> asked{0};

    void before() {
        queue.emplace(0u);
        queue.emplace(1u);
        take_some(queue, out, 2, 2);
    }
    void thread(unsigned index) {
        if (index == 0) {
            queue.emplace(2u);
            RL_ASSERT(!gate.has_sleepers());
            asked.store(1, relaxed);
            return;
        }
        while (asked.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        static_cast<void>(gate.announce_wait());
        RL_ASSERT(queue.coming());
        gate.cancel_wait();
    }
};
