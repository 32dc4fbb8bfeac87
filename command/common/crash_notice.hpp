// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The last words of a command that crashes, in code of the user's for example.

namespace regatta::command {

/// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT are told on standard error:
/// which one, in which scheme, and which part of a workload of the user's the thread was in. Files
/// without content are removed. The process still ends by the signal, with its core.
///
/// An overflow of the main thread's stack is told, too; one of another thread ends without a word.
/// Where a sanitizer has a handler, that stays.
void tell_of_crashes() noexcept;

} // namespace regatta::command
