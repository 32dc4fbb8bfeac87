// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: a bus needs at least one type of message
#include <regatta/bus/message_set.hpp>

struct tick {};
struct text {};

#ifdef EXPECT_OK
template struct regatta::message_set<tick>;
#else
template struct regatta::message_set<>;
#endif
