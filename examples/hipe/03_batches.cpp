// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Batches out of everything that has [].

#include <regatta/compat/hipe.hpp>

#include <array>
#include <deque>

using namespace hipe;

std::atomic<int> calls{0};

void count() {
    ++calls;
}

int main() {
    SteadyThreadPond steady(2, 5000);
    DynamicThreadPond dynamic(2);
    BalancedThreadPond balanced(2);

    std::vector<HipeTask> tasks;
    for (int i = 0; i < 1000; ++i) {
        tasks.emplace_back(count);
    }
    steady.submitInBatch(tasks, tasks.size()); // moves the tasks out
    tasks.clear();

    std::vector<std::function<void()>> functions(1000, count);
    balanced.submitInBatch(functions, 500); // the first 500

    std::deque<std::function<void()>> line(300, count);
    dynamic.submitInBatch(line, line.size());

    std::array<void (*)(), 3> pointers{count, count, count};
    dynamic.submitInBatch(pointers, pointers.size());

    HipeTask array[2];
    array[0].reset(count);
    array[1].reset([] { calls += 10; });
    steady.submitInBatch(array, 2);

    util::repeat([&] { steady.submit(count); }, 7);

    steady.waitForTasks();
    balanced.waitForTasks();
    dynamic.waitForTasks();
    util::print(calls.load(), " calls");
    return calls == 1000 + 500 + 300 + 3 + 11 + 7 ? 0 : 1;
}
