// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Scenarios of threads that come late, or stall, and still look at a segment in an earlier life.

#include "segment_queue_arrivals.hpp"
#include "stalling_atomics.hpp"

/// A producer that comes late, without having synchronised with anybody: it still sees a segment as
/// the last one that was it before, and is it again in another life.
struct late_producer : rl::test_suite<late_producer, 2> {
    queue_type queue;
    arrivals out;
    model::atomic<unsigned> late{0};

    void thread(unsigned index) {
        if (index == 1) {
            while (late.load(relaxed) == 0) {
                model::model_atomics::yield();
            }
            queue.emplace(8u);
            return;
        }
        for (unsigned i = 0; i < 7; ++i) {
            queue.emplace(i);
            take_some(queue, out, 1, 1);
        }
        late.store(1, relaxed);
    }
    void after() {
        take_some(queue, out, 1, 1);
        RL_ASSERT(out.seen() == 0x17Fu);
    }
};

/// Loads are acquire at most: who does not sleep needs no more, and the checker lets a seq_cst load
/// read the newest seq_cst store only.
struct atomics_without_seq_cst_loads : model::model_atomics {
    template<class T>
    struct atomic : model::atomic<T> {
        using model::atomic<T>::atomic;
        T load(std::memory_order order,
               std::source_location at = std::source_location::current()) const {
            return model::atomic<T>::load(
                order == std::memory_order_seq_cst ? std::memory_order_acquire : order, at);
        }
    };
};
using queue_of_weak_loads =
    regatta::detail::basic_segment_queue<unsigned, atomics_without_seq_cst_loads, 2>;

/// A producer that took the segment for the last one in its earlier life claims the first cell of
/// its next: what was done with the cell's earlier element comes before. The consumer takes two at
/// once, so that the last claim of the earlier life does not cover that.
struct early_producer : rl::test_suite<early_producer, 2> {
    queue_of_weak_loads queue;
    arrivals out;
    model::atomic<unsigned> full{0};

    void thread(unsigned index) {
        if (index == 1) {
            while (full.load(relaxed) == 0) {
                model::model_atomics::yield();
            }
            for (int i = 0; i < 14; ++i) {
                full.load(
                    relaxed); // About as many steps as the other needs to begin the next life.
            }
            queue.emplace(8u);
            return;
        }
        for (unsigned i = 0; i < 6; i += 2) {
            queue.emplace(i);
            queue.emplace(i + 1);
            take_some(queue, out, 2, 2);
        }
        full.store(1, relaxed);
        queue.emplace(6u);
    }
    void after() {
        take_some(queue, out, 2, 1);
        RL_ASSERT(out.seen() == 0x17Fu);
    }
};

/// A consumer that comes late likewise, and may still see as the first a segment that is a later
/// one now: it gets the oldest element all the same.
struct late_consumer : rl::test_suite<late_consumer, 2> {
    queue_type queue;
    arrivals out;
    model::atomic<unsigned> late{0};

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 5; ++i) {
                queue.emplace(i);
                take_some(queue, out, 1, 1);
            }
            for (unsigned i = 5; i < 8; ++i) {
                queue.emplace(i);
            }
            late.store(1, relaxed);
            return;
        }
        while (late.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        for (;;) {
            const auto b = queue.take(1);
            if (b.size() != 0) {
                RL_ASSERT(b[0] == 5);
                b.destroy(0);
                queue_type::tally mine;
                mine.finish(b, 1);
                return;
            }
            model::model_atomics::yield();
        }
    }
};

/// Where a thread loses its CPU for as long as the others like.
using stalling_queue = regatta::detail::basic_segment_queue<unsigned, model::atomics_that_stall, 2>;

/// A consumer that has seen that another segment follows, and stalls before it takes the lock until
/// the segment is the first one again, has been emptied again, and nothing follows it: the chain
/// stays whole.
struct stalled_consumer : rl::test_suite<stalled_consumer, 2> {
    stalling_queue queue;
    arrivals out;
    model::atomic<unsigned> stalled{0};
    model::atomic<unsigned> again{0};

    void before() {
        for (unsigned i = 0; i < 3; ++i) {
            queue.emplace(i);
        }
        take_some(queue, out, 2, 2);
        model::atomics_that_stall::stalls[0] = {1, model::operation::load, "::leave(", &stalled,
                                                &again};
        model::atomics_that_stall::stalls[1] = {};
    }
    void thread(unsigned index) {
        if (index == 1) {
            take_some(queue, out, 1, 1);
            return;
        }
        while (stalled.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        take_some(queue, out, 1, 1);
        for (unsigned i = 3; i < 6; ++i) {
            queue.emplace(i);
            take_some(queue, out, 1, 1);
        }
        again.store(1, relaxed);
        queue.emplace(6u);
    }
    void after() { RL_ASSERT(out.seen() == 0x7Fu); }
};

/// A producer that stalls with the last segment in its hand until that is about to become the last
/// one again: what it appends then counts as soon as it has appended it.
struct stalled_producer : rl::test_suite<stalled_producer, 2> {
    stalling_queue queue;
    arrivals out;
    model::atomic<unsigned> stalled{0};
    model::atomic<unsigned> extending{0};
    model::atomic<unsigned> counted{0};

    void before() {
        queue.emplace(0u);
        model::atomics_that_stall::stalls[0] = {1, model::operation::load, "::last_segment(",
                                                &stalled, &extending};
        model::atomics_that_stall::stalls[1] = {};
    }
    void thread(unsigned index) {
        if (index == 1) {
            queue.emplace(8u);
            RL_ASSERT(queue.appended() >= 5); // Its own and those before it.
            counted.store(1, relaxed);
            return;
        }
        while (stalled.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        for (unsigned i = 1; i < 4; ++i) {
            queue.emplace(i);
            take_some(queue, out, i == 1 ? 2 : 1, 2);
        }
        // The other one waits for the lock, if it has to, longer than that.
        model::atomics_that_stall::stalls[1] = {
            0, model::operation::store, "::extend(", &extending, &counted, 300};
        queue.emplace(4u);
    }
    void after() {
        take_some(queue, out, 2, 1);
        RL_ASSERT(out.seen() == 0x11Fu);
    }
};

/// One that asks what is coming and stalls with the first segment in its hand, until that is a
/// later one: it does not take the elements in between for claimed.
struct stalled_look : rl::test_suite<stalled_look, 3> {
    stalling_queue queue;
    arrivals out;
    model::atomic<unsigned> stalled{0};
    model::atomic<unsigned> left{0};
    model::atomic<unsigned> later{0};
    model::atomic<unsigned> looked{0};

    static void await(const model::atomic<unsigned>& flag) {
        while (flag.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
    }
    void before() {
        for (unsigned i = 0; i < 3; ++i) {
            queue.emplace(i);
        }
        model::atomics_that_stall::stalls[0] = {1, model::operation::load, "::first_segment(",
                                                &stalled, &later};
        model::atomics_that_stall::stalls[1] = {};
    }
    void thread(unsigned index) {
        if (index == 1) {
            RL_ASSERT(queue.coming());
            looked.store(1, relaxed);
        } else if (index == 0) {
            await(stalled);
            take_some(queue, out, 2, 2);
            RL_ASSERT(queue.ready()); // Leaves the segment.
            left.store(1, relaxed);
            await(looked);
        } else {
            await(left);
            queue.emplace(3u);
            queue.emplace(4u);
            later.store(1, relaxed);
        }
    }
    void after() {
        take_some(queue, out, 3, 1);
        RL_ASSERT(out.seen() == 0x1Fu);
    }
};
