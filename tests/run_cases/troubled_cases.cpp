// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
//
// Cases that end in every way in which a case can end, for run_cases_test.py; never run otherwise.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

TEST(troubled, passes) {
    SUCCEED();
}

TEST(troubled, fails) {
    EXPECT_EQ(1 + 1, 3);
}

TEST(troubled, crashes) {
    std::abort();
}

TEST(troubled, is_skipped) {
    GTEST_SKIP() << "for a reason";
}

TEST(troubled, ends_the_program) {
    std::_Exit(0);
}

TEST(troubled, hangs) {
    std::puts("begins to wait");
    std::fflush(stdout);
    for (;;) {
        ::pause();
    }
}

TEST(troubled, DISABLED_never_runs) {
    FAIL();
}

TEST(troubled, passes_after_all_that) {
    std::printf("a line without its end ");
}

} // namespace
