// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Schemes of the user's own, from shared libraries.

#include "schemes/scheme.hpp"

#include <string>

namespace regatta::race {

/// The scheme in a file that was made with regatta/race/item_scheme.hpp. Its name is that path. It
/// stays loaded.
///
/// Threads: any, at once. Failure: `std::runtime_error` where that is no such file, which says why.
const scheme_info& load_scheme(const std::string& path);

} // namespace regatta::race
