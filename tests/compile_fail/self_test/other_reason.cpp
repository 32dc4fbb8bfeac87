// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: a message that no compiler prints
#ifndef EXPECT_OK
int value = "text";
#endif
