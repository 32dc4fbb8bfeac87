// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the option `cpus` promises of process pools. The CPUs are one of this program's own.

#include "support/pool_functions.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace leased_calls {

struct where {
    unsigned first;
    unsigned count;
};
where am_i() {
    const auto cpus = regatta::affinity_of_this_thread();
    return {static_cast<unsigned>(*cpus.begin()), static_cast<unsigned>(cpus.count())};
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
