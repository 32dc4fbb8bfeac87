// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: constraints not satisfied|no matching function
#include <regatta/core/coroutine.hpp>

#include <string>

regatta::co_task<const std::string&> use(const std::string& kept) {
#ifdef EXPECT_OK
    co_return kept;
#else
    static_cast<void>(kept);
    co_return "a temporary string";
#endif
}
