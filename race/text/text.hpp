// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Text for people: how wide it is, how it is coloured, how numbers are written.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What a text is part of.
enum class text_medium {
    screen,   ///< Lines of a terminal.
    markdown, ///< Markdown as GitHub reads it.
    html      ///< The body of a page; its style sheet gives the classes of `coloured` a look.
};

/// What the reader's screen or page can show. The report itself looks at no terminal.
struct text_style {
    unsigned width = 100; ///< In columns; lines of prose and tables of a screen keep to it.
    bool colour = false;  ///< ANSI escape sequences, or classes of a page.
    bool unicode = true;  ///< UTF-8; otherwise plain ASCII.
    text_medium medium = text_medium::screen;
};

/// Columns that UTF-8 text takes on a terminal. A character of a report takes one; in names that a
/// user has chosen there may be wide ones and ones that combine.
std::size_t columns_of(std::string_view text) noexcept;
/// As much of the begin of the text as takes no more columns.
std::string_view first_columns(std::string_view text, std::size_t columns) noexcept;

/// Padded with spaces to `width` columns, or shortened to it.
std::string padded_left(std::string_view text, std::size_t width, const text_style& style);
std::string padded_right(std::string_view text, std::size_t width, const text_style& style);

/// So written that each character stands for itself: in Markdown and HTML some have a meaning.
std::string escaped(std::string_view text, const text_style& style);

/// `escaped`, and where colours are on, between the sequences of an ANSI colour ("32", "1;31") or
/// in an element of a page with its classes.
std::string coloured(std::string_view text, std::string_view colour, const text_style& style);

/// Broken at spaces, and within a word longer than a line after its commas, to lines that keep to
/// the width; lines after the first begin with `indent` spaces. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t indent, const text_style& style);

/// The same beside a head: further lines stand below the first one's text.
std::string beside(std::string_view head, std::string_view text, const text_style& style);

/// Prose that stands by itself, `wrapped`, escaped and coloured; nothing of an empty text.
std::string paragraph(std::string_view text, const text_style& style, std::string_view colour = {});
/// What the text after it is about; on a screen a paragraph.
std::string heading(std::string_view text, const text_style& style);
/// Lines that stay as they are, escaped already.
std::string verbatim(std::string_view lines, const text_style& style);

/// "A text." of "a text" and of "A text.".
std::string as_sentence(std::string text);

/// With ".." for each "…" where the reader has no UTF-8.
std::string with_dots(std::string text, const text_style& style);

/// Phrases with a separator between them; empty ones are left out.
std::string joined(const std::vector<std::string>& phrases, std::string_view separator);

/// "71.2 ms": three figures and the unit that suits.
std::string duration_text(double ns, const text_style& style);
/// "1 worker", "2 workers"; "3 dies" where the plural is given.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});
/// "12.3 MB": three figures and the unit that suits, in steps of 1000.
std::string bytes_text(std::int64_t bytes);
/// "97 %", "0.4 %".
std::string percent_text(double share);
/// The same of a share that was chosen, with all its figures: "0.25 %".
std::string margin_text(double share);
/// "0.987": three decimals below 10, fewer above.
std::string ratio_text(double ratio);
/// "2.19×": what is so many times another; two decimals below 100, fewer above.
std::string times_text(double ratio, const text_style& style);
/// "1.2", "8", "23", "250": two figures, for what is known about so well.
std::string about_text(double amount);
/// "0.612", "3377", "15172", "1.234 M": four figures, from 100000 on with k, M, G or T.
std::string amount_text(double amount);

} // namespace regatta::race
