// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: a message must be movable without throwing
#include <regatta/bus/message_set.hpp>

struct tick {};
struct text {};

struct fragile {
    fragile(fragile&&) noexcept(false);
};

#ifdef EXPECT_OK
template struct regatta::message_set<tick>;
#else
template struct regatta::message_set<tick, fragile>;
#endif
