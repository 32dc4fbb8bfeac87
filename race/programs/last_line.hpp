// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The last thing that a program said.

#include <regatta/base/detail/printable_text.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::race {

/// Keeps of a stream the last line that is not blank, and of that one the begin. What moves the
/// cursor or beeps becomes a space, or a '?' where it takes two bytes to say so or is no UTF-8.
class last_line {
public:
    /// Longer lines are cut.
    static constexpr std::size_t most = 380;

    void add(std::string_view bytes) {
        for (const char c : bytes) {
            if (c == '\n' || c == '\r') {
                end_line();
            } else if (current_.size() < most) {
                const auto code = static_cast<unsigned char>(c);
                current_ += code < 0x20 || code == 0x7F ? ' ' : c;
            }
        }
    }
    /// Empty: there was none.
    std::string text() {
        end_line();
        return detail::printable_text(last_);
    }

private:
    void end_line() {
        if (const auto end = current_.find_last_not_of(' '); end != current_.npos) {
            current_.erase(end + 1);
            last_ = std::exchange(current_, {});
        }
        current_.clear();
    }

    std::string current_;
    std::string last_;
};

} // namespace regatta::race
