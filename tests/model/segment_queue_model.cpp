// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `segment_queue` with segments of two cells: I1 (by the cells and by what comes out), I2
/// (by the cells of a segment's second life), I3 (by who still looks at the first), I4.

#include "segment_queue_delays.hpp"
#include "segment_queue_sleepers.hpp"

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
                const auto run = queue.append(false, 5 - done, 0,
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
            queue.append(true, 1, 0,
                         [](queue_type::cell& c, std::size_t, void*) { c.emplace(8u); });
        }
    }
    void after() {
        RL_ASSERT(queue.appended() == accepted.load(relaxed) + 1);
        RL_ASSERT(queue.size() == accepted.load(relaxed) + 1);
        take_some(queue, out, accepted.load(relaxed) + 1, 1);
    }
};

/// The room beside a cell comes whole, whichever producer brought it, and again in the segment's
/// next life, whose beginning writes to it.
struct room : rl::test_suite<room, 3> {
    struct element {
        unsigned producer;
        unsigned char* beside;
    };
    regatta::detail::basic_segment_queue<element, model::model_atomics, 2> queue;

    void thread(unsigned index) {
        if (index == 2) {
            decltype(queue)::tally mine;
            for (unsigned taken = 0; taken < 6;) {
                const auto b = queue.take(1);
                if (b.size() == 0) {
                    model::model_atomics::yield();
                    continue;
                }
                RL_ASSERT(*b[0].beside == b[0].producer + 1);
                b.destroy(0);
                mine.finish(b, 1);
                ++taken;
            }
            return;
        }
        for (int i = 0; i < 3; ++i) {
            queue.append(false, 1, 8, [&](auto& c, std::size_t, void* beside) {
                auto* const byte = static_cast<unsigned char*>(beside);
                *byte = static_cast<unsigned char>(index + 1);
                c.emplace(element{index, byte});
            });
        }
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
         {"load begin -> relaxed", memory},
         {"modify make_rooms -> relaxed", memory},
         {"modify make_rooms", memory}});
}
