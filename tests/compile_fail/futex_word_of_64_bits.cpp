// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: invalid initialization of reference
#include <regatta/base/detail/platform.hpp>

#ifdef EXPECT_OK
using word_type = std::uint32_t;
#else
using word_type = std::uint64_t;
#endif

void sleep_on(std::atomic<word_type>& word) {
    regatta::detail::platform::futex_wait(word, 0);
}
