// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: a message must be movable implicitly
#include <regatta/bus/message_set.hpp>

struct tick {};
struct text {};

struct held {
    explicit held(held&&) noexcept;
};

#ifdef EXPECT_OK
template struct regatta::message_set<tick>;
#else
template struct regatta::message_set<tick, held>;
#endif
