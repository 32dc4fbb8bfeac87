// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// regatta::pools: what the headers below compile once. base/config.hpp says how.

#include <regatta/core/detail/loop_part.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

namespace regatta::detail {

template<>
const bool this_pools_library::fits_headers = true;

} // namespace regatta::detail
