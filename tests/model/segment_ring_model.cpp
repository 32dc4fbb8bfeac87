// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `segment_ring`: I1, I2 (by the cells, which see every access), I3 and I4, with segments
/// of one and of two cells, so that they are left and reused all the time.

#include "model_check.hpp"

#include <regatta/bus/detail/segment_ring.hpp>

using ring = regatta::detail::basic_segment_ring<unsigned, unsigned char, model::model_atomics>;

/// What the tag of an element is; neighbours and rounds differ, and some are equal.
constexpr unsigned char tag_of(unsigned value) {
    return static_cast<unsigned char>(value * 5 / 3 % 3);
}

/// Appends `count` elements; calls `before` before each attempt.
template<class Before>
void produce_all(ring& queue, unsigned count, Before&& before) {
    for (unsigned i = 0; i < count;) {
        before();
        if (queue.try_emplace(tag_of(i), i)) {
            ++i;
        } else {
            model::model_atomics::yield();
        }
    }
}

/// Consumes `count` elements, up to `most` at a time.
void consume_all(ring& queue, unsigned count, std::size_t most) {
    for (unsigned expected = 0; expected < count;) {
        const auto taken = queue.consume(most, [&](unsigned value, unsigned char tag) {
            RL_ASSERT(value == expected);    // I3
            RL_ASSERT(tag == tag_of(value)); // I2
            ++expected;
        });
        if (taken == 0) {
            queue.expect_next();
            model::model_atomics::yield();
        }
    }
}

/// One by one through two cells, or four of them in segments of two.
template<std::size_t Capacity, std::size_t Segment>
struct one_by_one : rl::test_suite<one_by_one<Capacity, Segment>, 2> {
    ring queue{Capacity, Segment};

    void thread(unsigned index) {
        constexpr unsigned count = 3 * Capacity;
        if (index == 0) {
            produce_all(queue, count, [] {});
            RL_ASSERT(queue.segments_used() <= Capacity / Segment + 1); // I4
        } else {
            consume_all(queue, count, 1);
        }
    }
};

/// The producer goes on in cells that the consumer has emptied and not told of.
struct room_within_a_batch : rl::test_suite<room_within_a_batch, 2> {
    ring queue{2, 2};

    void thread(unsigned index) {
        constexpr unsigned count = 7;
        if (index == 0) {
            produce_all(queue, count, [&] {
                RL_ASSERT(queue.size() <= 2); // I1
                queue.look_closely();
            });
        } else {
            consume_all(queue, count, 2);
        }
    }
};

/// In batches that go past the ends of segments, and a third thread that reads the counters.
struct batches_and_observer : rl::test_suite<batches_and_observer, 3> {
    ring queue{4, 2};

    void thread(unsigned index) {
        constexpr unsigned count = 9;
        if (index == 0) {
            for (unsigned i = 0; i < count;) {
                if (queue.free_slots(3) < 3) {
                    model::model_atomics::yield();
                    continue;
                }
                const auto filled =
                    queue.try_fill(3, tag_of(i / 3), [&](auto& cell, std::size_t at) {
                        cell.emplace(i + unsigned(at));
                    });
                RL_ASSERT(filled == 3);
                i += unsigned(filled);
            }
        } else if (index == 1) {
            for (unsigned expected = 0; expected < count;) {
                const auto taken = queue.consume(5, [&](unsigned value, unsigned char tag) {
                    RL_ASSERT(value == expected);
                    RL_ASSERT(tag == tag_of(value / 3));
                    ++expected;
                });
                RL_ASSERT(taken <= 4); // I1
                if (taken == 0) {
                    model::model_atomics::yield();
                }
            }
        } else {
            const auto consumed = queue.consumed();
            RL_ASSERT(queue.published() >= consumed); // I1
            RL_ASSERT(queue.size() <= count);         // never below zero
        }
    }
};

/// `size`, or a caller, reads the two positions so that their difference cannot wrap below zero.
template<bool Size>
struct never_below_zero : rl::test_suite<never_below_zero<Size>, 3> {
    ring queue{1, 1};

    void thread(unsigned index) {
        if (index == 0) {
            while (!queue.try_emplace(0, 1u)) {
            }
        } else if (index == 1) {
            while (queue.consume(1, [](unsigned, unsigned char) {}) == 0) {
                model::model_atomics::yield();
            }
        } else if (Size) {
            RL_ASSERT(queue.size() <= 1);
        } else {
            const auto consumed = queue.consumed();
            RL_ASSERT(queue.published() >= consumed); // I1
        }
    }
};

/// The producer is told to stop between its attempts or during one. Once the consumer sees none
/// under way it takes all that was accepted.
template<bool Batch>
struct stopped : rl::test_suite<stopped<Batch>, 2> {
    ring queue{2, 1};
    model::fence fence;
    model::atomic<unsigned> closed{0};
    unsigned accepted = 0;

    void thread(unsigned index) {
        if (index == 0) {
            const auto open = [&]() noexcept {
                fence.light();
                return closed.load(std::memory_order_relaxed) == 0;
            };
            for (unsigned i = 0; i < 2; ++i) {
                if constexpr (Batch) {
                    accepted += unsigned(queue.try_fill_if(
                        open, 1 + i, 0, [&](auto& cell, std::size_t) { cell.emplace(i); }));
                } else {
                    accepted += queue.try_emplace_if(open, 0, i) ? 1 : 0;
                }
            }
        } else {
            closed.store(1, std::memory_order_relaxed);
            fence.heavy();
            while (queue.publishing()) {
                model::model_atomics::yield();
            }
            taken = unsigned(queue.consume(5, [](unsigned, unsigned char) {}));
        }
    }
    void after() { RL_ASSERT(taken == accepted); }

    unsigned taken = 0;
};

int main() {
    return model::check({model::make_scenario<one_by_one<2, 1>>("one by one, segments of one"),
                         model::make_scenario<one_by_one<2, 2>>("one by one, segments of two"),
                         model::make_scenario<batches_and_observer>("batches and an observer"),
                         model::make_scenario<room_within_a_batch>("room within a batch"),
                         model::make_scenario<stopped<false>>("stopped one by one"),
                         model::make_scenario<stopped<true>>("stopped in batches"),
                         model::make_scenario<never_below_zero<true>>("size never wraps"),
                         model::make_scenario<never_below_zero<false>>("consumed, published")},
                        {"segment_ring.hpp"});
}
