// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A dynamic pond whose threads are added, all deleted and added again while tasks wait.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

int main() {
    util::SyncStream out;
    DynamicThreadPond pond(4);
    pond.addThreads(2);
    pond.waitForThreads();
    const int running = pond.getRunningThreadNumb();
    out.print(running, " threads run");

    pond.adjustThreads(0);
    const int expected = pond.getExpectThreadNumb(); // at once; the threads follow
    pond.waitForThreads();
    pond.joinDeadThreads();
    const int left = pond.getRunningThreadNumb();
    out.print(expected, " are expected, ", left, " run");

    std::atomic<int> done{0};
    for (int i = 0; i < 3; ++i) {
        pond.submit([&] { ++done; });
    }
    const int waiting = pond.getTasksRemain(); // no thread takes them
    const int early = done;

    pond.addThreads();
    pond.waitForTasks();
    pond.delThreads();
    pond.waitForThreads();
    out.print(waiting, " tasks waited for a thread, ", done.load(), " are done");

    pond.adjustThreads(3);
    pond.waitForThreads();
    const bool right = running == 6 && expected == 0 && left == 0 && waiting == 3 && early == 0 &&
                       done == 3 && pond.getRunningThreadNumb() == 3;
    pond.close();
    return right ? 0 : 1;
}
