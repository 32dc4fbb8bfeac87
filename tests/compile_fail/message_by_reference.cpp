// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: a message is a value: no references
#include <regatta/bus/message_set.hpp>

struct tick {};
struct text {};

#ifdef EXPECT_OK
template struct regatta::message_set<tick, text>;
#else
template struct regatta::message_set<tick, text&>;
#endif
