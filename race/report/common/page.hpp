// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A report as a page of its own: a file that is sent, kept or cited.

#include "report/common/provenance.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// How a report is written that becomes part of a page.
text_style page_style(text_medium medium) noexcept;

/// The report with where its figures come from: the command line, the time and the machine. In HTML
/// a whole document, which needs nothing from elsewhere. @param report in that style, as it is for
/// a screen.
std::string page_of(std::string report, const provenance& from, const text_style& style);

} // namespace regatta::race
