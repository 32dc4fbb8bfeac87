// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A dynamic pond takes what overflows a steady one.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

int main() {
    constexpr int capacity = 20;
    constexpr int batch = 50;
    std::atomic<bool> open{false};
    std::atomic<int> done{0};
    const auto work = [&] {
        while (!open) {
            std::this_thread::yield();
        }
        ++done;
    };

    std::size_t moved = 0;
    DynamicThreadPond cache(1); // before the pond that uses it
    SteadyThreadPond core(2, capacity);
    core.setRefuseCallBack([&] {
        std::vector<HipeTask> tasks = std::move(core.pullOverFlowTasks());
        moved += tasks.size();
        cache.submitInBatch(tasks, tasks.size());
    });

    std::vector<HipeTask> tasks;
    for (int i = 0; i < batch; ++i) {
        tasks.emplace_back(work);
    }
    core.submitInBatch(tasks, tasks.size()); // 20 find room, 30 are handed over together
    core.submit(work);                       // and one more
    const int held = core.getTasksRemain();
    open = true;

    core.waitForTasks();
    cache.waitForTasks();
    util::print(held, " tasks in the core, ", moved, " in the cache, ", done.load(), " done");
    return held == capacity && moved == 31 && done == batch + 1 ? 0 : 1;
}
