// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A full pond without a callback, and a callback where there can be no overflow.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

void report(std::string& text, int number) {
    text = "task " + std::to_string(number) + " and what follows found no room";
}

int main() {
    std::atomic<bool> open{false};
    std::atomic<int> done{0};
    const auto work = [&] {
        while (!open) {
            std::this_thread::yield();
        }
        ++done;
    };

    BalancedThreadPond pond(1, 3);
    int accepted = 0;
    std::string complaint;
    try {
        for (;; ++accepted) {
            pond.submit(work);
        }
    } catch (const std::runtime_error& e) {
        complaint = e.what();
    }
    util::print("after ", accepted, " tasks: ", complaint);
    HipeTask refused = std::move(pond.pullOverFlowTasks().at(0));

    std::string text; // arguments of the callback: by reference, by value
    pond.setRefuseCallBack(report, std::ref(text), 4);
    pond.submit(work);
    util::print(text);
    const std::size_t kept = pond.pullOverFlowTasks().size(); // until the next overflow

    open = true;
    pond.waitForTasks();
    pond.submit(std::move(refused)); // now there is room
    pond.waitForTasks();

    bool told = false;
    try {
        SteadyThreadPond unlimited(1);
        unlimited.setRefuseCallBack([] {});
    } catch (const std::logic_error& e) {
        told = true;
        util::print(e.what());
    }
    return accepted == 3 && kept == 1 && !text.empty() && done == 4 && told ? 0 : 1;
}
