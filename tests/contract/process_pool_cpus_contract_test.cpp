// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the option `cpus` promises of process pools. The CPUs are one of this program's own.

#include "process/process_pool/pool_options.hpp"
#include "support/pool_functions.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace leased_calls {

struct where {
    unsigned first;
    unsigned count;
};
where am_i() {
    const auto cpus = regatta::affinity_of_this_thread();
    return {static_cast<unsigned>(*cpus.begin()), static_cast<unsigned>(cpus.count())};
}

/// Comes to a meeting of all workers, so that each has one of the tasks.
struct arrival {
    unsigned came;
    where at;
};
void meet(const regatta::process_task& task, std::span<const int>, std::span<arrival> all) {
    all[task.index].at = am_i();
    std::atomic_ref(all[task.index].came).store(1);
    for (arrival& each : all) {
        while (std::atomic_ref(each.came).load() == 0) {
            std::this_thread::yield();
        }
    }
}

} // namespace leased_calls

using pool_test::process_pool;

namespace {

/// CPUs that are entered by an affinity mask.
class masked_cpus final : public regatta::cpu_holder {
public:
    masked_cpus(regatta::cpu_set cpus, bool& given_back, int error = 0)
        : cpus_(std::move(cpus))
        , given_back_(given_back)
        , error_(error) {}
    masked_cpus(const masked_cpus&) = delete;
    masked_cpus& operator=(const masked_cpus&) = delete;
    ~masked_cpus() override { given_back_ = true; }
    int try_enter() noexcept override {
        return error_ != 0 ? error_ : regatta::try_pin_this_thread(cpus_);
    }
    unsigned count() const noexcept override { return static_cast<unsigned>(cpus_.count()); }

private:
    const regatta::cpu_set cpus_;
    bool& given_back_;
    const int error_;
};

/// CPUs of which each thread that enters gets one, in turn: the load is not balanced among them.
class single_cpus final : public regatta::cpu_holder {
public:
    explicit single_cpus(const regatta::cpu_set& cpus) : cpus_(cpus.begin(), cpus.end()) {}
    int try_enter() noexcept override { return try_enter_worker(0); }
    int try_enter_worker(std::int32_t thread) noexcept override {
        return regatta::try_pin_thread(thread, {cpus_[next_++ % cpus_.size()]});
    }
    unsigned count() const noexcept override { return static_cast<unsigned>(cpus_.size()); }

private:
    const std::vector<unsigned> cpus_;
    std::size_t next_ = 0; ///< The pool's own thread alone enters.
};

} // namespace

TEST_F(process_pool, workers_enter_cpus_of_their_own) { // "which every worker enters"
    const auto mine = regatta::affinity_of_this_thread();
    const regatta::cpu_set one{*mine.begin()};
    bool given_back = false;
    {
        regatta::process_pool pool(
            {.cpus = regatta::shared_cpus(std::make_shared<masked_cpus>(one, given_back))});
        EXPECT_EQ(pool.size(), 1u); // "0: as many as `cpus` has"
        const auto found = pool.submit<leased_calls::am_i>().get();
        EXPECT_EQ(found.first, static_cast<unsigned>(*one.begin()));
        EXPECT_EQ(found.count, 1u);
        EXPECT_EQ(regatta::affinity_of_this_thread(), mine);
        EXPECT_FALSE(given_back);
    }
    EXPECT_TRUE(given_back);
}

// "Each gets one in turn": no worker stays on the CPU of the pool's own thread for being its child.
TEST_F(process_pool, workers_share_cpus_evenly_where_the_load_is_not_balanced) {
    const auto mine = regatta::affinity_of_this_thread();
    if (mine.count() < 2) {
        GTEST_SKIP() << "one CPU";
    }
    const regatta::cpu_set two{*mine.begin(), *std::next(mine.begin())};
    for (const bool zygote : {false, true}) {
        regatta::process_pool pool(
            {.cpus = regatta::shared_cpus(std::make_shared<single_cpus>(two)), .zygote = zygote});
        const auto all = pool.allocate<leased_calls::arrival>(2);
        pool.map<leased_calls::meet>({}, all).get();
        EXPECT_EQ(all[0].at.count, 1u);
        EXPECT_EQ(all[1].at.count, 1u);
        EXPECT_NE(all[0].at.first, all[1].at.first);
    }
}

// "At most 256": a machine may have more CPUs.
TEST_F(process_pool, has_no_more_workers_by_default_than_are_possible) {
    const regatta::shared_cpus many(std::make_shared<single_cpus>(regatta::cpu_set::first(1000)));
    EXPECT_EQ(regatta::detail::checked_options({.cpus = many}).workers, 256u);
}

TEST_F(process_pool, cpus_that_cannot_be_entered_are_an_error) { // "where the system refuses"
    bool given_back = false;
    const regatta::cpu_set one{*regatta::affinity_of_this_thread().begin()};
    try {
        regatta::process_pool pool(
            {.name = "own",
             .cpus = regatta::shared_cpus(std::make_shared<masked_cpus>(one, given_back, EBUSY))});
        FAIL() << "nothing was thrown";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::device_or_resource_busy);
        EXPECT_NE(std::string(error.what()).find("'own'"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(given_back);
}
