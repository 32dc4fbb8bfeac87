// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: the handler must be callable with a reference to the message
#include <regatta/bus/async_bus.hpp>

struct tick {};
struct text {};
struct other {};

void use(regatta::async_bus<tick, text>& bus) {
#ifdef EXPECT_OK
    bus.subscribe<text>([](text&) {});
#else
    bus.subscribe<text>([](tick&) {});
#endif
}
