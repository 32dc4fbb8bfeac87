// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The frame of a game as a graph: what depends on what is told once, and each frame runs as far in
// parallel as that allows.

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <cstdio>
#include <vector>

namespace {

struct world {
    int time = 0;
    std::vector<int> bodies = std::vector<int>(1000);
    std::vector<int> poses = std::vector<int>(200);
    int seen = 0;
    int drawn = 0;
};

} // namespace

int main() {
    regatta::steady_pool pool(2);
    world w;

    regatta::task_graph frame;
    const auto input = frame.add([&] { ++w.time; });
    const auto bodies = frame.add(
        [&] { regatta::parallel_for(w.bodies, [&](int& body) { body += w.time; }); }, input);
    const auto poses = frame.add(
        [&] { regatta::parallel_for(w.poses, [&](int& pose) { pose = w.time; }); }, input);
    const auto culling = frame.add([&] { w.seen = w.bodies[0]; }, bodies);
    frame.add([&] { w.drawn = w.seen + w.poses[0]; }, culling, poses);

    for (int i = 0; i < 100; ++i) {
        frame.run(pool); // this thread takes part
    }
    std::printf("%zu tasks a frame, drawn: %d\n", frame.size(), w.drawn);
    return w.drawn == 5050 + 100 ? 0 : 1;
}
