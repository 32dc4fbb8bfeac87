// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/detail/doorbell.hpp>
#include <regatta/process/detail/task_words.hpp>

#include <gtest/gtest.h>

using regatta::detail::task_recovery;
using regatta::detail::task_status;
using regatta::detail::task_word;

namespace {

/// One task of a job.
struct one_task {
    one_task() { words.reset(); }
    using task_words = regatta::detail::basic_task_words<regatta::detail::shared_atomics>;
    task_words::word word{0};
    task_words words{&word, 1, 7};
};

} // namespace

// "Each attempt has a number of its own": also one whose worker was killed for an earlier task.
TEST(process_words, an_attempt_after_one_that_does_not_count_has_another_number) {
    one_task task;
    EXPECT_EQ(task.words.claim(0, 255), 1u);
    EXPECT_EQ(task.words.recover(0, 255, 2, false), task_recovery::requeued);
    EXPECT_EQ(task.words.claim(0, 255), 2u);
    EXPECT_EQ(task.words.recover(0, 255, 2, true),
              task_recovery::requeued); // The first that counts.
    EXPECT_EQ(task.words.claim(0, 3), 3u);
    EXPECT_EQ(task.words.recover(0, 3, 2, true), task_recovery::failed);
    EXPECT_EQ(task.words.look(0).attempts, 3u);
    EXPECT_EQ(task.words.look(0).slot, 3u);
    EXPECT_EQ(task.words.look(0).generation, 7u);
}

TEST(process_words, attempts_that_do_not_count_come_to_an_end) {
    one_task task;
    unsigned attempts = 0;
    do {
        ++attempts;
        ASSERT_EQ(task.words.claim(0, 1), attempts);
    } while (task.words.recover(0, 1, task_word::max_attempts, attempts > 100) ==
             task_recovery::requeued);
    EXPECT_EQ(attempts, task_word::max_attempts);
    EXPECT_EQ(task.words.look(0).state, task_status::failed);
}
