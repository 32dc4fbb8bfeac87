// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What a class may leave out, and what it may have: through the functions that the command calls.

#include <regatta/race/item_workload.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace regatta {
namespace {

/// One workload, driven as the command does it.
template<class Workload>
class driven {
public:
    using result = typename detail::workload_adapter<Workload>::result;

    explicit driven(std::size_t size, std::uint64_t seed = 1) : settings_{size, seed} {
        EXPECT_TRUE(entry_.make_plan(&settings_, &plan, &why_));
        shared_.resize(plan.shared_bytes);
        own_ = entry_.make(&settings_, shared_.data(), shared_.size(), &why_);
        results.resize(plan.items);
    }
    driven(const driven&) = delete;
    driven& operator=(const driven&) = delete;
    ~driven() {
        if (own_ != nullptr) {
            entry_.end(own_);
        }
    }

    bool made() const { return own_ != nullptr; }
    bool fill() { return entry_.fill(own_, &why_); }
    bool reset() { return entry_.reset(own_, &why_); }
    bool run(std::size_t item) { return entry_.run(own_, item, &results[item], &why_); }
    bool run_all() {
        bool all = true;
        for (std::size_t item = 0; item < plan.items; ++item) {
            all = run(item) && all;
        }
        return all;
    }
    bool verify() { return entry_.verify(own_, results.data(), plan.items, &why_); }
    std::string why() const { return why_.letters; }

    workload_entry::plan plan{};
    std::vector<std::conditional_t<std::is_void_v<result>, char, result>> results;

private:
    const workload_entry& entry_ = *workload_entry_of<Workload>();
    workload_settings settings_;
    std::vector<std::byte> shared_;
    workload_entry::text why_{};
    void* own_ = nullptr;
};

struct squares {
    std::uint64_t run(std::size_t item) const { return item * item; }
};

TEST(own_workload, needs_no_more_than_run) {
    driven<squares> one(5);
    ASSERT_TRUE(one.made());
    EXPECT_EQ(one.plan.items, 5u);
    EXPECT_EQ(one.plan.shared_bytes, 0u);
    EXPECT_EQ(one.plan.amount.value, 5.0);
    EXPECT_STREQ(one.plan.amount.unit, "items");
    EXPECT_FALSE(workload_entry_of<squares>()->takes_settings);
    EXPECT_EQ(workload_entry_of<squares>()->sizes.usual, workload_sizes{}.usual);
    EXPECT_TRUE(one.fill() && one.reset() && one.run_all());
    EXPECT_TRUE(one.verify()) << one.why();
    one.results[3] = 8;
    EXPECT_FALSE(one.verify());
    EXPECT_EQ(one.why(), "item 3 is 8 instead of 9");
}

/// Bits of numbers alone are compared: what else lies in it has no value.
struct padded_result {
    std::uint8_t small;
    std::uint64_t large;
    bool operator==(const padded_result&) const = default;
};
struct padded {
    padded_result run(std::size_t item) const { return {static_cast<std::uint8_t>(item), item}; }
};

TEST(own_workload, compares_a_struct_with_gaps_by_its_operator) {
    driven<padded> one(3);
    ASSERT_TRUE(one.run_all());
    std::byte* const gap = reinterpret_cast<std::byte*>(&one.results[1]) + 1;
    *gap = ~*gap;
    EXPECT_TRUE(one.verify()) << one.why();
    one.results[1].large = 7;
    EXPECT_FALSE(one.verify());
    EXPECT_EQ(one.why(), "item 1 has another result than when it runs alone");
}

/// A class says itself what is equal, also where all its bits count.
struct labelled_result {
    int value;
    int label;
    bool operator==(const labelled_result& other) const { return value == other.value; }
};
struct labelled {
    labelled_result run(std::size_t item) const { return {static_cast<int>(item), 0}; }
};
struct thirds {
    double run(std::size_t item) const { return static_cast<double>(item) / 3; }
};
/// An aggregate that begins with the settings, and checks itself.
struct seeded {
    workload_settings settings;
    std::uint64_t run(std::size_t) const { return settings.seed; }
    std::string verify() const { return "always wrong"; }
};

TEST(own_workload, compares_as_its_results_want) {
    driven<labelled> one(3);
    ASSERT_TRUE(one.run_all());
    one.results[2].label = 7;
    EXPECT_TRUE(one.verify()) << one.why();

    driven<thirds> numbers(2);
    ASSERT_TRUE(numbers.run_all());
    numbers.results[1] = 0.33333333333333337;
    EXPECT_FALSE(numbers.verify());
    EXPECT_EQ(numbers.why(), "item 1 is 0.33333333333333337 instead of 0.33333333333333331; same() "
                             "may allow a difference");

    driven<seeded> own(1, 9);
    ASSERT_TRUE(own.run_all());
    EXPECT_EQ(own.results[0], 9u);
    EXPECT_FALSE(own.verify());
    EXPECT_EQ(own.why(), "always wrong");
}

/// Two more ways to say what is right.
struct about {
    explicit about(const workload_settings& s) : seed(s.seed) {}
    double run(std::size_t item) const { return static_cast<double>(item + seed); }
    bool same(double found, double expected) const { return found < expected + 0.5; }
    std::uint64_t seed;
};
struct summed {
    static constexpr workload_sizes sizes{.min = 3, .max = 3, .usual = 3};
    static std::size_t items(const workload_settings& s) { return 2 * s.size; }
    static workload_amount amount(const workload_settings& s) {
        return {static_cast<double>(s.size), "triples"};
    }
    int run(std::size_t item) const { return static_cast<int>(item); }
    std::string verify(std::span<const int> all) const {
        int sum = 0;
        for (const int one : all) {
            sum += one;
        }
        return sum == 15 ? "" : "the sum is " + std::to_string(sum);
    }
};

TEST(own_workload, may_say_itself_what_is_right) {
    driven<about> one(4, 10);
    ASSERT_TRUE(one.run_all());
    EXPECT_EQ(one.results[2], 12.0);
    one.results[2] = 12.25;
    EXPECT_TRUE(one.verify()) << one.why();
    one.results[2] = 12.75;
    EXPECT_FALSE(one.verify());
    EXPECT_TRUE(workload_entry_of<about>()->takes_settings);

    driven<summed> six(3);
    EXPECT_EQ(workload_entry_of<summed>()->sizes.max, 3u);
    EXPECT_EQ(six.plan.items, 6u);
    EXPECT_EQ(six.plan.amount.value, 3.0);
    EXPECT_STREQ(six.plan.amount.unit, "triples");
    ASSERT_TRUE(six.run_all());
    EXPECT_TRUE(six.verify()) << six.why();
    six.results[0] = 1;
    EXPECT_FALSE(six.verify());
    EXPECT_EQ(six.why(), "the sum is 16");
}

/// Fails at its fifth call.
struct tired {
    int run(std::size_t) {
        if (++calls == 5) {
            throw std::runtime_error("enough");
        }
        return 0;
    }
    int calls = 0;
};

TEST(own_workload, says_which_item_threw_in_the_comparison) {
    driven<tired> one(3);
    ASSERT_TRUE(one.run_all());
    EXPECT_FALSE(one.verify());
    EXPECT_EQ(one.why(), "item 1, run again to compare with, threw: enough");
}

/// Each member fails where the seed says so.
struct fragile {
    explicit fragile(const workload_settings& s) : fails(s.seed) { fail(2, "made"); }
    static std::size_t items(const workload_settings& s) { return s.size; }
    void fill() const { fail(3, "filled"); }
    void run(std::size_t item) const {
        if (item == 1) {
            fail(4, "run");
        }
    }
    void reset() const { fail(5, std::string(1000, 'x')); }
    std::string verify() const {
        if (fails == 6) {
            throw 6;
        }
        return {};
    }
    void fail(std::uint64_t at, const std::string& what) const {
        if (fails == at) {
            throw std::runtime_error(what);
        }
    }
    std::uint64_t fails;
};

TEST(own_workload, tells_of_an_exception_of_any_member) {
    driven<fragile> sound(2);
    EXPECT_TRUE(sound.made() && sound.fill() && sound.reset() && sound.run_all() && sound.verify());

    driven<fragile> unmade(2, 2);
    EXPECT_FALSE(unmade.made());
    EXPECT_EQ(unmade.why(), "made");
    driven<fragile> unfilled(2, 3);
    EXPECT_FALSE(unfilled.fill());
    EXPECT_EQ(unfilled.why(), "filled");
    driven<fragile> unrun(2, 4);
    EXPECT_TRUE(unrun.run(0));
    EXPECT_FALSE(unrun.run(1));
    EXPECT_EQ(unrun.why(), "run");
    driven<fragile> unreset(2, 5);
    EXPECT_FALSE(unreset.reset());
    EXPECT_EQ(unreset.why(), std::string(sizeof(workload_entry::text) - 1, 'x'));
    driven<fragile> unverified(2, 6);
    EXPECT_FALSE(unverified.verify());
    EXPECT_EQ(unverified.why(), "an exception of unknown type");
}

} // namespace
} // namespace regatta
