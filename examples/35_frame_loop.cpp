// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The loop of a game or a simulation that is drawn: what the main thread alone may do, loads that
// hold up no frame, and a main thread that waits for a frame and does its own part meanwhile.

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

using load_executor = regatta::executor_with_options<regatta::balanced_pool>;

struct texture {
    int pixels;
    std::thread::id uploaded_by;
};

int decode(int number) {
    std::this_thread::sleep_for(1ms); // Stands for a file.
    return number * number;
}

/// Decodes where loads run, and uploads in the main thread.
regatta::co_task<void> load(int number, regatta::run_loop& window, std::vector<texture>& textures) {
    const int pixels = decode(number);
    co_await regatta::schedule_on(window);
    textures.push_back({pixels, std::this_thread::get_id()});
}

} // namespace

int main() {
    constexpr int all = 8;
    std::vector<texture> textures; // only touched in the main thread: no lock
    std::vector<float> heights(100'000);
    regatta::run_loop window; // made before the pool: its tasks end first
    regatta::balanced_pool pool(2);
    const load_executor loads(pool, regatta::priority::low);

    regatta::future_group<void> loading;
    for (int i = 0; i < all; ++i) {
        loading.push(regatta::co_spawn(loads, load(i, window, textures)));
    }
    int frames = 0;
    while (!loading.ready()) {
        // A frame. Its tasks begin before the loads, and its loops have help before them.
        int drawn = 0;
        auto frame = pool.submit([&] {
                             regatta::parallel_for(heights, [](float& h) { h += 1; });
                             return int(heights[0]);
                         })
                         .then(window, [&](int image) { drawn = image; });
        // The main thread does what is for it alone until the frame is there.
        while (!frame.ready()) {
            window.run_one_for(1ms);
        }
        frame.get();
        if (drawn != ++frames) {
            std::puts("a frame is wrong");
            return 1;
        }
    }
    loading.get();

    int sum = 0;
    bool by_main = true;
    for (const texture& t : textures) {
        sum += t.pixels;
        by_main = by_main && t.uploaded_by == std::this_thread::get_id();
    }
    std::printf("%zu textures of %d pixels, uploaded by the main thread%s\n", textures.size(), sum,
                by_main ? "" : "? no");
    return textures.size() == all && sum == 140 && by_main ? 0 : 1;
}
