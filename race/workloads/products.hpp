// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `products`: whole products of matrices, one an item.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <memory>

namespace regatta::race {

/// Rows and columns of each matrix.
inline constexpr size_range product_sizes{64, 2048, 512};
/// Items a run: as many products.
inline constexpr size_range product_items{1, 256, 8};

/// Makes N pairs of matrices in a shared mapping; an item computes C = A·B of its own pair with
/// OpenBLAS on one thread, as each task of `Pool.map` does with numpy.
///
/// Failure: `std::invalid_argument` for an option out of range, `std::system_error` where there is
/// no room, `std::runtime_error` where OpenBLAS is absent.
std::unique_ptr<workload> make_products(const workload_options& options);
std::unique_ptr<workload> attach_products(int descriptor);

} // namespace regatta::race
