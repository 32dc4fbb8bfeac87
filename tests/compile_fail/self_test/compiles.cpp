// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: error
int value = 0;
