// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A bus without subscriptions: the consumer has a loop of its own and one visitor for all types.
// The compiler refuses a visitor that forgets one. Messages may be moved out of, and may be types
// that can only be moved.

#include <regatta/bus/async_bus.hpp>
#include <regatta/sync/backoff.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct image {
    std::unique_ptr<std::vector<unsigned char>> pixels; // can only be moved
};
struct caption {
    std::string text;
};
struct end {};

template<class... Functions>
struct overloaded : Functions... {
    using Functions::operator()...;
};
template<class... Functions>
overloaded(Functions...) -> overloaded<Functions...>; // Clang before 17 needs it.

int main() {
    regatta::async_bus<image, caption, end> bus{{.capacity = 16, .producers = 1}};

    std::jthread camera([&] {
        auto lane = bus.make_producer();
        for (unsigned i = 0; i < 100; ++i) {
            auto pixels = std::make_unique<std::vector<unsigned char>>(64, i);
            lane.publish(image{std::move(pixels)});
            lane.publish(caption{"image " + std::to_string(i)});
        }
        lane.publish(end{});
    });

    std::vector<image> album;
    std::string last;
    bool open = true;
    const auto visitor =
        overloaded{[&](image& i) { album.push_back(std::move(i)); },
                   [&](caption& c) { last = std::move(c.text); }, [&](end) { open = false; }};
    for (regatta::backoff pace; open;) {
        if (bus.process_with(visitor) != 0) {
            pace.reset();
        } else if (!pace.pause()) {
            pace.reset(); // a program's other work goes here; `run` would sleep instead
        }
    }

    std::printf("%zu images, the last is called '%s'\n", album.size(), last.c_str());
    const bool right = album.size() == 100 && last == "image 99" &&
                       album.back().pixels->at(63) == 99 && bus.stats().processed == 201;
    return right ? 0 : 1;
}
