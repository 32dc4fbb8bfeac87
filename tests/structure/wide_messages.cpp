// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Messages whose alignment is more than that of a cache line: GCC takes an `alignas` that asks for
// less than a member needs, clang refuses it.

#include <regatta/base/cache_line.hpp>
#include <regatta/bus.hpp>

namespace {

struct alignas(256) wide {
    int value = 0;
};

} // namespace

static_assert(alignof(regatta::padded<wide>) == 256);

int main() {
    regatta::async_bus<wide> bus;
    bus.subscribe<wide>([](const wide&) {});
    bus.publish(wide{1});
    bus.make_producer().publish(wide{2});
    bus.process_batch();
    regatta::worker_pool<wide> pool(1);
    pool.on<wide>([](const wide&) {});
    pool.submit(wide{3});
}
