// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: the handler must be callable with a reference to the message, or with that and the number
#include <regatta/message/worker_pool.hpp>

struct tick {};
struct other {};

void use(regatta::worker_pool<tick>& pool) {
#ifdef EXPECT_OK
    pool.on<tick>([](tick&, unsigned) {});
#else
    pool.on<tick>([](other&, unsigned) {});
#endif
}
