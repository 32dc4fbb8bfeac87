// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a plug-in offers to programs in any language: a computation in worker processes.

#include <cstddef>

extern "C" {

/// out[i] = the square root of in[i], in workers that the program `worker` becomes; `self` is the
/// file of this plug-in. @returns 0, or -1 with the reason in `error`.
int rows_roots(const double* in, double* out, std::size_t count, const char* worker,
               const char* self, char* error, std::size_t room);

/// How many workers died in the last `rows_roots` of this thread.
unsigned long rows_deaths();

/// For the worker program: does the work of a worker and never returns, if it was started as one.
void rows_serve(int argc, const char* const* argv);
}
