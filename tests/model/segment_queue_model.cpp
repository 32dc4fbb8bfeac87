// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `segment_queue` with segments of two cells: I1 (by the cells and by what comes out), I2
/// (by the cells of a segment's second life), I3 (by who still looks at the first), I4.

#include "model_check.hpp"
#include "stalling_atomics.hpp"

#include <regatta/core/detail/segment_queue.hpp>
#include <regatta/sync/event_count.hpp>

using queue_type = regatta::detail::basic_segment_queue<unsigned, model::model_atomics, 2>;
constexpr auto relaxed = std::memory_order_relaxed;

/// What came out: each element once, those of one producer in order.
class arrivals {
public:
    /// @param each how many elements a producer has.
    void count(unsigned value) {
        const unsigned bit = 1u << value;
        RL_ASSERT((seen_.fetch_or(bit, relaxed) & bit) == 0);
    }
    unsigned seen() const { return seen_.load(relaxed); }

private:
    model::atomic<unsigned> seen_{0};
};

/// Takes until it has `count` elements and finishes each by itself.
template<class Queue>
void take_some(Queue& queue, arrivals& out, unsigned count, unsigned at_once) {
    typename Queue::tally mine;
    while (count != 0) {
        const auto b = queue.take(std::min(at_once, count));
        if (b.size() == 0) {
            mine.flush();
            model::model_atomics::yield();
            continue;
        }
        unsigned last = 0;
        for (std::uint32_t i = 0; i < b.size(); ++i) {
            RL_ASSERT(i == 0 || b[i] / 8 != last / 8 || b[i] > last);
            last = b[i];
            out.count(b[i]);
            b.destroy(i);
        }
        mine.finish(b, b.size());
        count -= b.size();
    }
}

/// One producer, one consumer, more elements than two segments hold, so that cells are used again.
struct second_life : rl::test_suite<second_life, 2> {
    queue_type queue;
    arrivals out;

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 7; ++i) {
                RL_ASSERT(queue.emplace(i));
            }
        } else {
            take_some(queue, out, 7, 2);
        }
    }
    void after() {
        RL_ASSERT(out.seen() == 0x7Fu);
        RL_ASSERT(!queue.ready() && queue.size() == 0);
        RL_ASSERT(queue.appended() == 7 && queue.taken() == 7);
    }
};

/// Two producers and one consumer.
struct two_producers : rl::test_suite<two_producers, 3> {
    queue_type queue;
    arrivals out;

    void thread(unsigned index) {
        if (index < 2) {
            for (unsigned i = 0; i < 3; ++i) {
                queue.emplace(index * 8 + i);
            }
        } else {
            take_some(queue, out, 6, 1);
        }
    }
    void after() { RL_ASSERT(out.seen() == 0x707u); }
};

/// One producer and two consumers, one of which may look at a segment of long ago.
struct two_consumers : rl::test_suite<two_consumers, 3> {
    queue_type queue;
    arrivals out;

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 6; ++i) {
                queue.emplace(i);
            }
        } else {
            take_some(queue, out, 3, index);
        }
    }
    void after() { RL_ASSERT(out.seen() == 0x3Fu); }
};

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

/// The figures, read by a third thread.
struct counters : rl::test_suite<counters, 3> {
    queue_type queue;
    arrivals out;

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 3; ++i) {
                queue.emplace(i);
            }
        } else if (index == 1) {
            take_some(queue, out, 3, 1);
        } else {
            RL_ASSERT(queue.size() <= 3);
        }
    }
};

/// Batches beside single elements.
struct batches : rl::test_suite<batches, 3> {
    queue_type queue;
    arrivals out;

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned done = 0; done < 5;) {
                const auto run = queue.append<0>(false, 5 - done,
                                                 [&](queue_type::cell& c, std::size_t i, void*) {
                                                     c.emplace(done + static_cast<unsigned>(i));
                                                 });
                RL_ASSERT(run.count >= 1 && run.count <= 2 && run.end <= 2);
                done += static_cast<unsigned>(run.count);
            }
        } else if (index == 1) {
            queue.emplace(8u);
        } else {
            take_some(queue, out, 6, 2);
        }
    }
    void after() { RL_ASSERT(out.seen() == 0x11Fu); }
};

/// Who closes knows how many were appended: nothing comes after it but by those who may.
struct closing : rl::test_suite<closing, 3> {
    queue_type queue;
    arrivals out;
    model::atomic<unsigned> accepted{0};

    void thread(unsigned index) {
        if (index == 0) {
            for (unsigned i = 0; i < 3; ++i) {
                if (queue.emplace(i)) {
                    accepted.fetch_add(1, relaxed);
                }
            }
        } else if (index == 1) {
            queue.close();
            const std::uint64_t last = queue.appended();
            RL_ASSERT(!queue.emplace(7u));
            RL_ASSERT(queue.appended() <= last + 1); // The one that may.
        } else {
            queue.append<0>(true, 1,
                            [](queue_type::cell& c, std::size_t, void*) { c.emplace(8u); });
        }
    }
    void after() {
        RL_ASSERT(queue.appended() == accepted.load(relaxed) + 1);
        RL_ASSERT(queue.size() == accepted.load(relaxed) + 1);
        take_some(queue, out, accepted.load(relaxed) + 1, 1);
    }
};

/// The room beside a cell comes whole, whichever producer brought it.
struct room : rl::test_suite<room, 3> {
    regatta::detail::basic_segment_queue<unsigned, model::model_atomics, 2> queue;

    void thread(unsigned index) {
        if (index == 2) {
            decltype(queue)::tally mine;
            for (unsigned taken = 0; taken < 2;) {
                const auto b = queue.take(1);
                if (b.size() == 0) {
                    model::model_atomics::yield();
                    continue;
                }
                b.destroy(0);
                mine.finish(b, 1);
                ++taken;
            }
            return;
        }
        queue.append<8>(false, 1, [&](auto& c, std::size_t, void* beside) {
            RL_ASSERT(beside != nullptr);
            c.emplace(index);
        });
    }
};

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

int main() {
    const char* const object =
        "the checker does not see that an atomic itself has to be made before "
        "another thread uses it";
    const char* const order =
        "the checker orders seq_cst stores as they run, so that one that was read comes before";
    const char* const memory = "the room is plain memory, which the checker does not see";
    return model::check(
        {model::make_scenario<second_life>("a segment's second life"),
         model::make_scenario<two_producers>("two producers"),
         model::make_scenario<two_consumers>("two consumers"),
         model::make_scenario<late_producer>("a late producer"),
         model::make_scenario<early_producer>("a producer from an earlier life"),
         model::make_scenario<late_consumer>("a late consumer"),
         model::make_scenario<stalled_consumer>("a consumer that stalls for a segment's life"),
         model::make_scenario<stalled_producer>("a producer that stalls for one"),
         model::make_scenario<stalled_look>("a look that stalls for one"),
         model::make_scenario<counters>("counters"), model::make_scenario<batches>("batches"),
         model::make_scenario<closing>("closing"), model::make_scenario<room>("room beside a cell"),
         model::make_scenario<sleepers>("two that sleep"),
         model::make_scenario<announced_sleeper>("one that announces its sleep"),
         model::make_scenario<announced_at_the_end>("one that announces it at a segment's end")},
        {"segment_queue.hpp", "queue_segment.hpp"},
        {{"load last_segment -> acquire", order},
         {"load last_segment -> relaxed", object},
         {"load provide_rooms -> relaxed", memory},
         {"modify provide_rooms -> relaxed", memory},
         {"modify provide_rooms", memory}});
}
