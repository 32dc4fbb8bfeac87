// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

#include "common/subcommand.hpp"

#include <optional>
#include <string>
#include <vector>

namespace regatta::command {

/// Where the words of the command line are "--write-documents FOLDER", writes the man pages and the
/// completions below that folder: man/NAME.1, bash/regatta, zsh/_regatta, fish/regatta.fish. The
/// build calls it; for users it is no option.
/// @returns the exit status, if it did.
/// Failure: `std::system_error` where a file cannot be written.
std::optional<int> write_documents(subcommand top, const std::vector<std::string>& words,
                                   const std::string& version);

} // namespace regatta::command
