// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The conversion of a `regatta::future` to a `std::future`. A header of its own: `<future>` costs
/// more to compile than the futures of this library.

#include <regatta/core/future.hpp>

#include <future>

namespace regatta::detail {

template<class R>
class promise_of<std::future<R>> : public std::promise<R> {};

} // namespace regatta::detail
