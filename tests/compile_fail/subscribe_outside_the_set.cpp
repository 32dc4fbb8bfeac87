// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: constraints not satisfied
#include <regatta/bus/async_bus.hpp>

struct tick {};
struct text {};
struct other {};

void use(regatta::async_bus<tick, text>& bus) {
#ifdef EXPECT_OK
    bus.subscribe<text>([](auto&) {});
#else
    bus.subscribe<other>([](auto&) {});
#endif
}
