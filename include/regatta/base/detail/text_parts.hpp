// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Texts made of parts and numbers, for names and errors: one compiled function for all of them.

#include <regatta/base/config.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace regatta::detail {

/// The parts of a text, one after the other.
REGATTA_POOLS_EXPORT std::string text_of(std::initializer_list<std::string_view> parts);

/// A whole number as a part of a text.
class decimal {
public:
    REGATTA_APART explicit decimal(std::int64_t number) noexcept {
        auto rest = static_cast<std::uint64_t>(number);
        rest = number < 0 ? 0 - rest : rest;
        do {
            text_[--at_] = static_cast<char>('0' + rest % 10);
        } while ((rest /= 10) != 0);
        if (number < 0) {
            text_[--at_] = '-';
        }
    }

    operator std::string_view() const noexcept { // NOLINT: implicit by intent
        return {text_ + at_, sizeof text_ - at_};
    }

private:
    char text_[20]; // The digits of a 64-bit number, and its sign.
    std::size_t at_ = sizeof text_;
};

/// Takes the next part of `text` that is not empty off its front; "" if there is none.
REGATTA_RARE inline std::string_view next_part(std::string_view& text, char separator) noexcept {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end && *at == separator) {
        ++at;
    }
    const char* const begin = at;
    while (at != end && *at != separator) {
        ++at;
    }
    text = {at, static_cast<std::size_t>(end - at)};
    return {begin, static_cast<std::size_t>(at - begin)};
}

#if REGATTA_POOLS_DEFINITIONS

REGATTA_APART REGATTA_POOLS_API std::string text_of(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) {
        text.append(part.data(), part.size());
    }
    return text;
}

#endif

} // namespace regatta::detail
