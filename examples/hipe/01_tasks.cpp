// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// All kinds of callables as tasks of a steady pond, and a result.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

std::atomic<int> calls{0};

void plain_function() {
    ++calls;
}

struct functor {
    void operator()() const { ++calls; }
};

void add(int number) {
    calls += number;
}

int main() {
    SteadyThreadPond pond(4);

    pond.submit(plain_function);
    pond.submit(&plain_function);
    pond.submit([] { ++calls; });
    pond.submit(functor());
    pond.submit(std::bind(add, 10));
    pond.submit([owned = std::make_unique<int>(100)] { calls += *owned; }); // move-only

    std::future<std::string> answer = pond.submitForReturn([] { return std::string("done"); });
    util::print("a task says: ", answer.get());

    pond.waitForTasks();
    util::print(pond.getThreadNumb(), " threads, ", pond.getTasksRemain(), " tasks remain");
    const bool right = calls == 114 && pond.getThreadNumb() == 4 && pond.getTasksRemain() == 0;
    pond.close();
    return right ? 0 : 1;
}
