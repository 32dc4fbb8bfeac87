// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: the visitor must take every type of the set
#include <regatta/bus/async_bus.hpp>

struct tick {};
struct text {};
struct other {};

struct visitor {
    void operator()(tick&) const {}
#ifdef EXPECT_OK
    void operator()(text&) const {}
#endif
};

void use(regatta::async_bus<tick, text>& bus) {
    bus.process_with(visitor{});
}
