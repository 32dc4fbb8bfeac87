// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How code of one's own tells the command why it failed: across a border of plain functions.

#include <regatta/base/config.hpp>

#include <cstddef>
#include <exception>
#include <string_view>
#include <type_traits>

namespace regatta::detail {

/// Room for the reason of a failure; ends with a zero.
struct entry_text {
    char letters[240];
};

inline void tell(entry_text& where, std::string_view what) noexcept {
    const std::size_t length = what.copy(where.letters, sizeof where.letters - 1);
    where.letters[length] = 0;
}

/// Says what the exception is that is being handled.
inline void tell_exception(entry_text& where) noexcept {
#if REGATTA_EXCEPTIONS
    try {
        throw;
    } catch (const std::exception& e) {
        tell(where, e.what());
    } catch (...) {
        tell(where, "an exception of unknown type");
    }
#else
    tell(where, "");
#endif
}

/// Calls `f`, and says what it throws. @returns what `f` returns; in that case nothing.
template<class F>
std::invoke_result_t<F&> told(entry_text* why, F&& f) noexcept {
    REGATTA_TRY {
        return f();
    }
    REGATTA_CATCH_ALL {
        tell_exception(*why);
        return {};
    }
}

} // namespace regatta::detail
