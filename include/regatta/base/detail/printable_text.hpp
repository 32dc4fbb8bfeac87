// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Makes names that others have chosen fit for printing.

#include <cstddef>
#include <string>
#include <string_view>

namespace regatta::detail {

/// The bytes of the UTF-8 character at the start of `text`; 0 if there is none.
inline std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80                     ? 1
                               : first >= 0xC2 && first <= 0xDF ? 2
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    // An overlong encoding, a surrogate, or more than U+10FFFF.
    const bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
                       (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90);
    return wrong ? 0 : length;
}

/// Whether a character ends the line or sets the direction of the text behind it, which would then
/// be read in another order: U+2028 to U+202E and U+2066 to U+2069.
inline bool is_layout_control(std::string_view character) noexcept {
    return (character >= "\xE2\x80\xA8" && character <= "\xE2\x80\xAE") ||
           (character >= "\xE2\x81\xA6" && character <= "\xE2\x81\xA9");
}

/// `text` with '?' for each control character, U+0080 to U+009F and those of layout included, and
/// for each byte that is not UTF-8. A terminal would take them for commands, or show the text
/// behind them in another order.
inline std::string printable_text(std::string_view text) {
    std::string printable;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const auto last = static_cast<unsigned char>(text[length > 0 ? length - 1 : 0]);
        const bool control = length == 1   ? last < 0x20 || last == 0x7F
                             : length == 2 ? text[0] == '\xC2' && last < 0xA0
                                           : length == 3 && is_layout_control(text.substr(0, 3));
        printable += length == 0 || control ? std::string_view("?") : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return printable;
}

} // namespace regatta::detail
