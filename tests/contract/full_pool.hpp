// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A bounded pool that has no room.

#include <gtest/gtest.h>

#include <atomic>

namespace library_test {

/// Fills a pool whose only worker is held.
template<class Pool>
void fill(Pool& pool, std::atomic<int>& runs) {
    while (pool.try_execute([&] { ++runs; })) {
    }
    EXPECT_EQ(pool.queued(), pool.capacity());
}

} // namespace library_test
