// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What holds for every bounded queue of sync/, whoever may fill and empty it.

#include "support/counted.hpp"
#include "support/eventually.hpp"

#include <regatta/base/config.hpp>
#include <regatta/sync/mpmc_ring.hpp>
#include <regatta/sync/mpsc_ring.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace {

using library_test::counted;

struct spsc {
    template<class T>
    using ring = regatta::spsc_ring<T>;
    static constexpr std::size_t least = 1;
};
struct mpsc {
    template<class T>
    using ring = regatta::mpsc_ring<T>;
    static constexpr std::size_t least = 2;
};
struct mpmc {
    template<class T>
    using ring = regatta::mpmc_ring<T>;
    static constexpr std::size_t least = 2;
};

/// Takes one element, in whatever way the ring offers.
template<class Ring>
auto take(Ring& ring) {
    if constexpr (requires { ring.try_take(); }) {
        return ring.try_take();
    } else {
        std::optional<typename Ring::element> taken;
        ring.consume(1, [&](auto& e) { taken.emplace(std::move(e)); });
        return taken;
    }
}

/// A ring that knows the type of its elements.
template<class Family, class T>
struct ring_of : Family::template ring<T> {
    using element = T;
    using Family::template ring<T>::ring;
};

template<class Family>
class rings : public testing::Test {};

struct family_names {
    template<class Family>
    static std::string GetName(int) {
        return std::is_same_v<Family, spsc>   ? "spsc_ring"
               : std::is_same_v<Family, mpsc> ? "mpsc_ring"
                                              : "mpmc_ring";
    }
};
using families = testing::Types<spsc, mpsc, mpmc>;
TYPED_TEST_SUITE(rings, families, family_names);

} // namespace

TYPED_TEST(rings, capacity_is_rounded_up_to_a_power_of_two) {
    using ring = ring_of<TypeParam, int>;
    EXPECT_EQ(ring(0).capacity(), TypeParam::least);
    EXPECT_EQ(ring(1).capacity(), TypeParam::least);
    EXPECT_EQ(ring(2).capacity(), 2u);
    EXPECT_EQ(ring(3).capacity(), 4u);
    EXPECT_EQ(ring(64).capacity(), 64u);
    EXPECT_EQ(ring(65).capacity(), 128u);
}

#if REGATTA_EXCEPTIONS
// "Throws `std::invalid_argument` for one that no memory can hold": it is not rounded to a smaller
// one.
TYPED_TEST(rings, a_capacity_that_no_memory_can_hold_is_refused) {
    using ring = ring_of<TypeParam, int>;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t capacity : {most, most / 2 + 2, most / 2 + 1, most / 4}) {
        EXPECT_THROW(static_cast<void>(ring(capacity).capacity()), std::invalid_argument);
    }
}
#endif

TYPED_TEST(rings, an_empty_one_gives_nothing_and_a_full_one_refuses) {
    ring_of<TypeParam, int> ring(4);
    EXPECT_FALSE(take(ring));
    EXPECT_FALSE(ring.ready());
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(ring.size(), static_cast<std::size_t>(i));
        EXPECT_TRUE(ring.try_emplace(i));
        EXPECT_TRUE(ring.ready());
    }
    EXPECT_FALSE(ring.try_emplace(4));
    EXPECT_EQ(ring.size(), 4u);
    EXPECT_EQ(take(ring), 0);
    EXPECT_TRUE(ring.try_emplace(4));
    EXPECT_FALSE(ring.try_emplace(5));
    for (int i = 1; i < 5; ++i) {
        EXPECT_EQ(take(ring), i);
    }
    EXPECT_FALSE(take(ring));
    EXPECT_EQ(ring.size(), 0u);
}

TYPED_TEST(rings, keeps_order_over_many_rounds) {
    ring_of<TypeParam, int> ring(8);
    int in = 0;
    int out = 0;
    for (int fill = 1; fill <= 8; ++fill) {
        for (int round = 0; round < 50; ++round) {
            for (int i = 0; i < fill; ++i) {
                ASSERT_TRUE(ring.try_emplace(in++));
            }
            for (int i = 0; i < fill; ++i) {
                ASSERT_EQ(take(ring), out++);
            }
        }
    }
    EXPECT_EQ(ring.consumed(), static_cast<std::size_t>(out));
}

TYPED_TEST(rings, takes_what_cannot_be_copied) {
    ring_of<TypeParam, std::unique_ptr<int>> ring(2);
    ASSERT_TRUE(ring.try_emplace(std::make_unique<int>(1)));
    ASSERT_TRUE(ring.try_emplace(std::make_unique<int>(2)));
    EXPECT_EQ(**take(ring), 1);
    EXPECT_EQ(**take(ring), 2);
}

TYPED_TEST(rings, a_full_one_leaves_the_element_untouched) {
    ring_of<TypeParam, std::unique_ptr<int>> ring(2);
    while (ring.try_emplace(std::make_unique<int>(0))) {
    }
    auto kept = std::make_unique<int>(7);
    EXPECT_FALSE(ring.try_emplace(std::move(kept)));
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(*kept, 7);
}

TYPED_TEST(rings, destroys_each_element_once_the_left_overs_too) {
    std::atomic<int> alive{0};
    {
        ring_of<TypeParam, counted> ring(8);
        for (int i = 0; i < 8; ++i) {
            ASSERT_TRUE(ring.try_emplace(alive, i));
        }
        EXPECT_EQ(alive.load(), 8);
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(take(ring)->value(), i);
        }
        EXPECT_EQ(alive.load(), 3);
        ASSERT_TRUE(ring.try_emplace(alive, 8)); // The left-overs wrap around the end.
        EXPECT_EQ(alive.load(), 4);
    }
    EXPECT_EQ(alive.load(), 0);
}

TYPED_TEST(rings, two_threads_pass_everything_whole_and_in_order) {
    constexpr int count = 20000;
    ring_of<TypeParam, std::string> ring(16);
    std::thread producer([&] {
        for (int i = 0; i < count; ++i) {
            library_test::await([&] { return ring.try_emplace(std::to_string(i)); });
        }
    });
    const library_test::time_limit limit("all elements to come out");
    for (int i = 0; i < count;) {
        if (const auto text = take(ring)) {
            EXPECT_EQ(*text, std::to_string(i));
            ++i;
        } else {
            std::this_thread::yield();
        }
    }
    producer.join();
    EXPECT_FALSE(take(ring));
}
