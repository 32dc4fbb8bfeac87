// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The workloads but matmul, and what is common to all.

#include "schemes/run_log.hpp"
#include "workloads/counted.hpp"
#include "workloads/transcend.hpp"
#include "workloads/uneven.hpp"
#include "workloads/workload.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;

namespace {

std::string what_of(const workload_info& info, std::size_t size) {
    try {
        info.make({.size = size});
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

/// Runs what an item spawns in the order of spawning, and keeps the numbers.
class noting final : public spawner {
public:
    void spawn(std::size_t item) override { items.push_back(item); }
    std::vector<std::size_t> items;
};

/// A second look at the memory of a workload.
class memory_words {
public:
    explicit memory_words(const workload& work) {
        const auto bytes = static_cast<std::size_t>(::lseek(work.descriptor(), 0, SEEK_END));
        void* const at =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, work.descriptor(), 0);
        if (at != MAP_FAILED) {
            words_ = {static_cast<std::uint64_t*>(at), bytes / sizeof(std::uint64_t)};
        }
    }
    memory_words(const memory_words&) = delete;
    memory_words& operator=(const memory_words&) = delete;
    ~memory_words() { ::munmap(words_.data(), words_.size_bytes()); }

    std::vector<std::uint64_t> copy() const { return {words_.begin(), words_.end()}; }
    /// The numbers of the words that are no longer what they were.
    std::vector<std::size_t> changed_since(const std::vector<std::uint64_t>& before) const {
        std::vector<std::size_t> changed;
        for (std::size_t word = 0; word < before.size(); ++word) {
            if (words_[word] != before[word]) {
                changed.push_back(word);
            }
        }
        return changed;
    }
    std::uint64_t& operator[](std::size_t word) const { return words_[word]; }

private:
    std::span<std::uint64_t> words_;
};

} // namespace

TEST(workloads, each_has_its_own_usual_size_and_attaches_to_its_memory_only) {
    for (const workload_info& info : workloads()) {
        SCOPED_TRACE(info.name);
        EXPECT_EQ(find_workload(info.name), &info);
        EXPECT_THAT(std::string(info.options), HasSubstr(std::to_string(info.usual_size)));
        // Those of stream are long: a short one tells as much.
        const auto size = info.name == "stream" ? std::optional<std::size_t>(4) : std::nullopt;
        const auto made = info.make({.size = size});
        EXPECT_EQ(made->name(), info.name);
        EXPECT_EQ(made->items(), info.make({.size = size.value_or(info.usual_size)})->items());
        if (info.small_size != 0) {
            EXPECT_NO_THROW(info.make({.size = info.small_size}));
        } else { // and tests of its own
            EXPECT_TRUE(info.name == "inverse" || info.name == "products" ||
                        info.name == "transcend")
                << "has long items?";
        }
        EXPECT_GE(made->items(), made->handed_out());
        for (const workload_info& other : workloads()) {
            if (&other == &info) {
                EXPECT_EQ(other.attach(made->descriptor())->items(), made->items());
            } else {
                EXPECT_ANY_THROW(other.attach(made->descriptor())) << other.name;
            }
        }
    }
}

TEST(workloads, sizes_out_of_range_are_refused_with_the_range) {
    EXPECT_THAT(what_of(*find_workload("empty"), 99),
                AllOf(HasSubstr("99"), HasSubstr("empty"), HasSubstr("100 to 100000000")));
    EXPECT_THAT(what_of(*find_workload("empty"), 100'000'001), HasSubstr("100 to 100000000"));
    EXPECT_THAT(what_of(*find_workload("transcend"), 3), HasSubstr("4 to 64"));
    EXPECT_THAT(what_of(*find_workload("transcend"), 65), HasSubstr("4 to 64"));
    EXPECT_THAT(what_of(*find_workload("allocate"), 10'000'001), HasSubstr("100 to 10000000"));
    EXPECT_THAT(what_of(*find_workload("uneven"), 0), HasSubstr("100 to 1000000"));
    EXPECT_THAT(what_of(*find_workload("within"), 1'000'001), HasSubstr("100 to 1000000"));
}

// "Spoils the output": nothing has been computed, so nothing may be right.
TEST(workloads, those_with_an_output_do_not_pass_unrun) {
    for (const char* name : {"transcend", "uneven"}) {
        const auto work = find_workload(name)->make({});
        EXPECT_FALSE(work->verify().ok) << name;
    }
}

// "A missing or wrong item fails the scheme": also where all but eight bytes are right.
TEST(workloads, each_word_of_the_output_is_verified) {
    for (const workload_info& info : workloads()) {
        SCOPED_TRACE(info.name);
        if (info.small_size == 0) {
            continue; // Tests of its own.
        }
        const auto work = info.make({.size = info.small_size, .seed = 3});
        const memory_words memory(*work);
        const std::vector<std::uint64_t> spoilt = memory.copy();
        for (std::size_t item = 0; item < work->items(); ++item) {
            work->run(item);
        }
        ASSERT_TRUE(work->verify().ok) << work->verify().message;
        const std::vector<std::size_t> written = memory.changed_since(spoilt);
        if (written.empty()) {
            EXPECT_TRUE(work->tiny_items()) << "leaves nothing behind";
            continue;
        }
        const std::size_t samples = std::min<std::size_t>(written.size(), 200);
        for (std::size_t sample = 0; sample < samples; ++sample) { // The first and the last, too.
            const std::size_t word =
                written[sample * (written.size() - 1) / std::max<std::size_t>(samples - 1, 1)];
            const std::uint64_t right = std::exchange(memory[word], spoilt[word]);
            EXPECT_FALSE(work->verify().ok) << "word " << word;
            memory[word] = right;
        }
        EXPECT_TRUE(work->verify().ok) << work->verify().message;
    }
}

TEST(within, the_first_item_spawns_all_others) {
    const auto work = make_within({.size = 250});
    EXPECT_EQ(work->items(), 251u);
    EXPECT_EQ(work->handed_out(), 1u);
    noting to;
    work->run_spawning(0, to);
    ASSERT_EQ(to.items.size(), 250u);
    for (std::size_t i = 0; i < to.items.size(); ++i) {
        EXPECT_EQ(to.items[i], i + 1);
        noting none;
        work->run_spawning(to.items[i], none);
        EXPECT_TRUE(none.items.empty());
    }
}

TEST(transcend, closed_forms_are_the_sums) {
    double sines = 0;
    double cosines = 0;
    for (int i = 1000; i < 1777; ++i) {
        sines += std::sin(i);
        cosines += std::cos(i);
    }
    EXPECT_NEAR(sum_of_sines(1000, 777), sines, 1e-10);
    EXPECT_NEAR(sum_of_cosines(1000, 777), cosines, 1e-10);
}

TEST(transcend, each_item_must_be_right) {
    const auto work = make_transcend({.size = 4});
    const auto shared = attach_transcend(work->descriptor()); // as in another process
    const memory_words memory(*work);
    const std::vector<std::uint64_t> spoilt = memory.copy();
    work->run(0);
    EXPECT_THAT(work->verify().message, AllOf(HasSubstr("item 1 is nan"), HasSubstr("expected")));
    for (std::size_t item = 1; item < 4; ++item) {
        shared->run(item);
    }
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
    const std::vector<std::size_t> sums = memory.changed_since(spoilt);
    EXPECT_EQ(sums.size(), 4u);
    for (const std::size_t sum : sums) {
        const std::uint64_t right = memory[sum];
        memory[sum] = std::bit_cast<std::uint64_t>(std::bit_cast<double>(right) + 3e-5);
        EXPECT_FALSE(work->verify().ok); // Hardly a term is as small as that.
        memory[sum] = right;
    }
    work->reset();
    EXPECT_FALSE(work->verify().ok);
}

TEST(uneven, jumping_leads_where_the_steps_lead) {
    for (const std::uint64_t steps : {0u, 1u, 2u, 3u, 500u, 12345u, 65536u}) {
        EXPECT_EQ(jump_steps(42, steps), take_steps(42, steps)) << steps;
    }
}

TEST(uneven, lengths_follow_from_the_seed_and_few_items_have_much_of_the_work) {
    std::vector<double> steps;
    for (std::size_t item = 0; item < 10'000; ++item) {
        EXPECT_EQ(uneven_steps(5, item), uneven_steps(5, item));
        steps.push_back(uneven_steps(5, item));
    }
    EXPECT_NE(uneven_steps(5, 0), uneven_steps(6, 0));
    std::ranges::sort(steps);
    EXPECT_GE(steps.front(), 500);
    EXPECT_LE(steps.back(), 2'000'000);
    EXPECT_NEAR(steps[5'000], 500 * std::pow(2, 1 / 1.2), 50); // the distribution's median
    EXPECT_GT(steps.back(), 100 * steps[5'000]);
}

TEST(uneven, each_item_must_be_right) {
    const auto work = make_uneven({.size = 100, .seed = 9});
    const auto shared = attach_uneven(work->descriptor());
    for (std::size_t item = 0; item < 99; ++item) {
        work->run(item);
    }
    EXPECT_THAT(work->verify().message, HasSubstr("item 99 of "));
    shared->run(99);
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
}

// "What an item adds to its worker's log".
TEST(item_marks, their_sum_has_a_closed_form) {
    std::uint64_t sum = 0;
    for (std::uint64_t count = 0; count < 1000; ++count) {
        EXPECT_EQ(sum_of_marks(count), sum);
        sum += item_mark(count);
    }
    static_assert(sum_of_marks(3'000'000'001) ==
                  sum_of_marks(3'000'000'000) + item_mark(3'000'000'000));
}

TEST(item_runner, tiny_items_are_counted_and_the_clock_is_read_now_and_then) {
    const auto work = make_empty({.size = 1000});
    const auto log = std::make_unique<run_log>();
    item_runner(*work, *log).run_from_counter();
    const worker_log& mine = log->workers[0];
    EXPECT_EQ(mine.items, 1000u);
    EXPECT_EQ(mine.marks, sum_of_marks(1000));
    EXPECT_EQ(mine.busy_ns, 0);
    EXPECT_GT(mine.first_ns, 0);
    EXPECT_GE(mine.last_ns, mine.first_ns);
    EXPECT_TRUE(check_items(*log, 1000).ok);
    EXPECT_FALSE(check_items(*log, 999).ok);
    log->clear();
    EXPECT_FALSE(check_items(*log, 1000).ok);
    EXPECT_EQ(mine.marks, 0u);
}

namespace {

/// Each item takes 10 µs and knows when it began.
class slow_items final : public workload {
public:
    std::string_view name() const noexcept override { return "slow_items"; }
    std::size_t items() const noexcept override { return 100; }
    void run(std::size_t) noexcept override {
        began_ns = regatta::detail::monotonic_ns();
        while (regatta::detail::monotonic_ns() < began_ns + 10'000) {
        }
    }
    void reset() noexcept override {}
    verification verify() const override { return {true, {}}; }
    int descriptor() const noexcept override { return -1; }
    std::int64_t began_ns = 0;
};

} // namespace

// "The clock is read ... after as many as take about 5 µs": after each of these.
TEST(item_runner, the_end_of_counted_items_is_known_whatever_their_number) {
    slow_items work;
    const auto log = std::make_unique<run_log>();
    log->counts_items = true;
    item_runner(work, *log).run_from_counter();
    EXPECT_GE(log->workers[0].last_ns, work.began_ns + 10'000);
}
