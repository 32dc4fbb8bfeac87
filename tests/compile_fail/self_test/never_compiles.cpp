// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: invalid conversion
int value = "text";
