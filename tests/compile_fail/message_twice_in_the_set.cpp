// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: a message type stands in the set twice
#include <regatta/bus/message_set.hpp>

struct tick {};
struct text {};

#ifdef EXPECT_OK
template struct regatta::message_set<tick, text>;
#else
template struct regatta::message_set<tick, text, tick>;
#endif
