// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `dependency_count`: I1, over two rounds.

#include "model_check.hpp"

#include <regatta/fork/detail/dependency_count.hpp>

using dependency_count = regatta::detail::basic_dependency_count<model::model_atomics>;

/// Threads write what is theirs and arrive. The last one reads what all have written, and begins
/// the next round, in which it arrives first.
template<unsigned Threads>
struct arrivals : rl::test_suite<arrivals<Threads>, Threads> {
    dependency_count count;
    rl::var<unsigned> written[Threads];
    model::atomic<unsigned> last{0};

    void before() {
        count.reset(Threads);
        for (auto& one : written) {
            one($) = 0;
        }
    }
    void thread(unsigned index) {
        written[index]($) = 1;
        if (!count.arrive()) {
            return;
        }
        RL_ASSERT(last.fetch_add(1, std::memory_order_relaxed) == 0);
        for (auto& one : written) {
            RL_ASSERT(one($) == 1);
        }
        count.reset(Threads);
        for (unsigned i = 1; i < Threads; ++i) {
            RL_ASSERT(!count.arrive());
        }
        RL_ASSERT(count.arrive());
    }
    void after() { RL_ASSERT(last.load(std::memory_order_relaxed) == 1); }
};

int main() {
    return model::check({model::make_scenario<arrivals<2>>("two arrivals"),
                         model::make_scenario<arrivals<3>>("three arrivals")},
                        {"dependency_count.hpp"});
}
