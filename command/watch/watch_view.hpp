// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The terminal as a screen.

#include "report/common/screen_line.hpp"

#include <cstddef>
#include <optional>
#include <vector>

struct screen;

namespace regatta::command {

/// Takes the terminal of standard input and output over for as long as it lives, and gives it back
/// as it was: its modes, its cursor and what was on it. Ctrl-C, Ctrl-Z and their like remain
/// signals; Ctrl-S does not stop the output, so that no draw blocks for ever.
///
/// Threads: one object at a time, one thread. Blocks: while the terminal takes nothing, a few
/// seconds at most; ask `can_draw` before a drawing. Uses SIGALRM.
/// Source: curses, the terminal library of every Unix, in Debian's ncurses. It knows each
/// terminal's sequences, sends only what has changed, and restores all of it.
class watch_view {
public:
    enum class key {
        other, ///< One that means nothing here.
        quit,
        up,
        down,
        page_up,
        page_down,
        first,
        last
    };

    /// To be asked before a program is started, which would be killed where there is no view.
    /// Failure: `std::runtime_error` for a terminal whose type (TERM) is not known.
    static void require_known_terminal();

    /// @param colour whether colours are wanted.
    /// Failure: `std::runtime_error`.
    explicit watch_view(bool colour);
    watch_view(const watch_view&) = delete;
    watch_view& operator=(const watch_view&) = delete;
    ~watch_view();

    /// The size at this moment.
    std::size_t rows() const noexcept;
    unsigned columns() const noexcept;
    /// To be called when the terminal has another size than before.
    void resize();
    /// Gives the terminal back until the next `draw`.
    void suspend();
    /// Whether the terminal takes text now.
    bool can_draw() const noexcept;
    /// Shows these lines and nothing else.
    void draw(const std::vector<race::screen_line>& lines);
    /// The next key that was pressed; nothing if there is none.
    std::optional<key> read_key();

private:
    ::screen* screen_;
    bool colour_;
};

} // namespace regatta::command
