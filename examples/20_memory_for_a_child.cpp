// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A parent and its child share memory that has no name: nothing is left behind, whatever happens.

#include <regatta/process/shared_memory.hpp>
#include <regatta/process/subprocess.hpp>

#include <atomic>
#include <cstdio>
#include <new>

struct counters {
    std::atomic<int> visits{0};
};
constexpr auto layout = regatta::layout_hash<counters>("counters v1");

int main(int argc, char**) {
    if (argc > 1) { // The child: it finds the memory at the number that its parent chose.
        const auto memory = regatta::shared_memory::attach(3, layout);
        reinterpret_cast<counters*>(memory.data())->visits.fetch_add(1);
        return 0;
    }
    const auto memory = regatta::shared_memory::anonymous("counters", sizeof(counters), layout);
    auto* shared = ::new (memory.data()) counters;

    auto child = regatta::spawn({.program = "/proc/self/exe",
                                 .arguments = {"child"},
                                 .descriptors = {{memory.descriptor(), 3}}});
    const regatta::exit_status status = child.wait();
    std::printf("the child %s, visits: %d\n", status.describe().c_str(), shared->visits.load());
    return shared->visits.load() == 1 ? 0 : 1;
}
