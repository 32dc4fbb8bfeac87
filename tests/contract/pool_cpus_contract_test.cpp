// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the option `cpus` promises of every pool; each test quotes the sentence that it checks. The
// CPUs are made up: who enters them is noted.

#include "support/pool_cases.hpp"

#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace {

/// Three CPUs, who has entered them, and whether they were given back.
struct made_up_cpus {
    std::mutex mutex;
    std::set<std::thread::id> entered;
    std::atomic<bool> given_back{false};
    int error = 0;

    bool has(std::thread::id thread) {
        const std::scoped_lock lock(mutex);
        return entered.contains(thread);
    }
    regatta::shared_cpus lease() {
        class holder final : public regatta::cpu_holder {
        public:
            explicit holder(made_up_cpus& cpus) : cpus_(cpus) {}
            holder(const holder&) = delete;
            holder& operator=(const holder&) = delete;
            ~holder() override { cpus_.given_back = true; }
            int try_enter() noexcept override {
                const std::scoped_lock lock(cpus_.mutex);
                cpus_.entered.insert(std::this_thread::get_id());
                return cpus_.error;
            }
            unsigned count() const noexcept override { return 3; }

        private:
            made_up_cpus& cpus_;
        };
        return regatta::shared_cpus(std::make_shared<holder>(*this));
    }
};

class pool_cpus : public library_test::pool_test {
protected:
    made_up_cpus cpus;
};
INSTANTIATE_TEST_SUITE_P(, pool_cpus, library_test::every_pool(), library_test::pool_name);

struct number {
    int value = 0;
};

} // namespace

// "CPUs of their own, which every worker enters", "0: as many as `cpus` has"
TEST_P(pool_cpus, are_entered_by_every_worker) {
    auto [pool] = make_pool({.cpus = this->cpus.lease()});
    EXPECT_EQ(pool.threads(), 3u);
    EXPECT_EQ(this->cpus.entered.size(), 3u);
    EXPECT_TRUE(pool.submit([&] { return this->cpus.has(std::this_thread::get_id()); }).get());
    EXPECT_FALSE(this->cpus.has(std::this_thread::get_id()));
}

// "They are released with the last copy of these options, the pool's included."
TEST_P(pool_cpus, are_given_back_with_the_last_copy) {
    {
        regatta::pool_options options{.threads = 1, .cpus = this->cpus.lease()};
        {
            auto [first] = make_pool(options);
            auto [second] = make_pool(options);
            EXPECT_EQ(this->cpus.entered.size(), 2u);
        }
        EXPECT_FALSE(this->cpus.given_back);
        const auto [last] = make_pool(std::move(options));
        EXPECT_FALSE(this->cpus.given_back);
    }
    EXPECT_TRUE(this->cpus.given_back);
}

// "`std::system_error`: a thread could not be had, moved, pinned or scheduled, and none is left"
TEST_P(pool_cpus, that_cannot_be_entered_leave_nothing_behind) {
    this->cpus.error = EBUSY;
    try {
        auto [pool] = make_pool({.threads = 2, .name = "own", .cpus = this->cpus.lease()});
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), EBUSY);
        EXPECT_THAT(error.what(), testing::HasSubstr("move thread 'own/0' to its own CPUs"));
    }
    EXPECT_TRUE(this->cpus.given_back);
}

TEST(dynamic_pool_cpus, are_entered_by_threads_that_are_added) {
    made_up_cpus cpus;
    regatta::dynamic_pool pool({.threads = 1, .cpus = cpus.lease()});
    pool.add_threads(2);
    EXPECT_EQ(cpus.entered.size(), 3u);
}

TEST(worker_pool_cpus, are_entered_by_every_worker) {
    made_up_cpus cpus;
    {
        regatta::worker_pool<number> pool({.cpus = cpus.lease()});
        std::atomic<int> inside{0};
        pool.on<number>([&](const number&) { inside += cpus.has(std::this_thread::get_id()); });
        pool.start();
        EXPECT_EQ(cpus.entered.size(), 3u);
        pool.submit(number{1});
        pool.drain();
        EXPECT_EQ(inside, 1);
        EXPECT_FALSE(cpus.given_back);
    }
    EXPECT_TRUE(cpus.given_back);
}
