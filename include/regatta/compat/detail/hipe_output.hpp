// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Hipe's helpers for output: whole lines from many threads, and a few ornaments.

#include <regatta/base/sync_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>

namespace hipe::util {

/// Writes whole lines to a stream, from any number of threads: regatta::sync_stream.
///
/// Threads: any; lines of all objects that write to one stream stay whole.
/// Blocks: while another line is written.
/// Failure: an exception of an `operator<<` propagates, and nothing of that line is written.
class SyncStream {
public:
    /// @param stream must outlive this object.
    explicit SyncStream(std::ostream& stream = std::cout) noexcept : stream_(stream) {}

    /// Writes the items in order, ends the line and flushes.
    template<class... Items>
    void print(const Items&... items) {
        stream_.print(items..., '\n', static_cast<std::ostream& (*)(std::ostream&)>(std::flush));
    }

private:
    regatta::sync_stream stream_;
};

/// Writes the items to std::cout as one whole line, and flushes.
template<class... Items>
void print(const Items&... items) {
    SyncStream().print(items...);
}

/// Writes `[Hipe Error] ` and the items to std::cout as one line, and ends the program by
/// `std::abort`.
template<class... Items>
[[noreturn]] void error(const Items&... items) {
    print("[Hipe Error] ", items...);
    std::abort();
}

/// A text of `length` times the same character; empty if `length` is not positive.
inline std::string boundary(char element, int length = 10) {
    return std::string(static_cast<std::size_t>(std::max(length, 0)), element);
}

/// The text in a box of three lines. `edge` columns on either side include the frame's, at least
/// one.
inline std::string title(const std::string& text, int edge = 4) {
    const std::string space = boundary(' ', edge - 1);
    const std::string line(text.size() + 2 * (space.size() + 1), '=');
    return line + "\n*" + space + text + space + "*\n" + line;
}

/// The text between `<[` and `]>`. Bracket and space are `edge` columns wide on either side, at
/// least two.
inline std::string strong(const std::string& text, int edge = 2) {
    const std::string space = boundary(' ', edge - 2);
    return "<[" + space + text + space + "]>";
}

} // namespace hipe::util
