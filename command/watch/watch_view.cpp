// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "watch/watch_view.hpp"

#include <curses.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace regatta::command {
namespace {

using race::tone;

/// Numbers of pairs of colours, which begin at 1.
short pair_of(tone as) noexcept {
    return static_cast<short>(static_cast<int>(as) + 1);
}

short colour_of(tone as) noexcept {
    switch (as) {
    case tone::plain:
    case tone::bold:
    case tone::faint:
        break;
    case tone::user:
        return COLOR_GREEN;
    case tone::system:
        return COLOR_CYAN;
    case tone::interrupt:
        return COLOR_YELLOW;
    case tone::steal:
    case tone::alarm:
        return COLOR_RED;
    case tone::iowait:
        return COLOR_BLUE;
    }
    return -1;
}

attr_t attributes_of(tone as) noexcept {
    return as == tone::bold || as == tone::alarm ? A_BOLD : as == tone::faint ? A_DIM : A_NORMAL;
}

constexpr tone tones[] = {tone::user,  tone::system, tone::interrupt,
                          tone::steal, tone::iowait, tone::alarm};

/// Whether text was thrown away. Written by the handler, read by the thread that it interrupts:
/// relaxed, since they need no order.
std::atomic<bool> thrown_away{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// In its scope, what the terminal has not taken after a second is thrown away, again and again:
/// curses would wait for ever where nobody reads the other end, as when ssh hangs.
class write_limit {
public:
    write_limit() {
        struct sigaction action {};
        action.sa_handler = throw_away;
        action.sa_flags = SA_RESTART;
        ::sigemptyset(&action.sa_mask);
        ::sigaction(SIGALRM, &action, nullptr);
        ::alarm(1);
    }
    write_limit(const write_limit&) = delete;
    write_limit& operator=(const write_limit&) = delete;
    ~write_limit() { ::alarm(0); }

private:
    static void throw_away(int) {
        const int saved = errno;
        ::tcflush(STDOUT_FILENO, TCOFLUSH);
        thrown_away.store(true, std::memory_order_relaxed);
        ::alarm(1);
        errno = saved;
    }
};

/// Lets Ctrl-S be a key.
void keep_flowing() {
    termios modes{};
    if (::tcgetattr(STDOUT_FILENO, &modes) == 0) {
        modes.c_iflag &= ~static_cast<tcflag_t>(IXON);
        ::tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
    }
}

} // namespace

void watch_view::require_known_terminal() {
    std::FILE* const nowhere = std::fopen("/dev/null", "r+");
    ::screen* const known = nowhere == nullptr ? nullptr : ::newterm(nullptr, nowhere, nowhere);
    if (known != nullptr) {
        ::delscreen(known);
    }
    if (nowhere != nullptr) {
        std::fclose(nowhere);
    }
    if (known == nullptr) {
        const char* const type = std::getenv("TERM");
        throw std::runtime_error("this machine does not know terminals of the type \"" +
                                 std::string(type == nullptr ? "" : type) +
                                 "\" (TERM); --once and --count with a pipe need none");
    }
}

watch_view::watch_view(bool colour) : screen_(::newterm(nullptr, stdout, stdin)) {
    if (screen_ == nullptr) {
        throw std::runtime_error("the terminal cannot be taken over");
    }
    ::cbreak();
    ::noecho();
    keep_flowing();
    ::def_prog_mode(); // These modes come back after `suspend`, too.
    ::nonl();
    ::intrflush(::stdscr, FALSE);
    ::keypad(::stdscr, TRUE);
    ::nodelay(::stdscr, TRUE);
    ::set_escdelay(25);
    ::curs_set(0);
    colour_ = colour && ::has_colors() && ::start_color() == OK;
    if (colour_) {
        const short background = ::use_default_colors() == OK ? short{-1} : short{COLOR_BLACK};
        for (const tone as : tones) {
            ::init_pair(pair_of(as), colour_of(as), background);
        }
    }
    resize(); // The terminal knows better than LINES and COLUMNS.
}

watch_view::~watch_view() {
    const write_limit limit;
    ::endwin();
    ::delscreen(screen_);
}

std::size_t watch_view::rows() const noexcept {
    return static_cast<std::size_t>(getmaxy(::stdscr));
}

unsigned watch_view::columns() const noexcept {
    return static_cast<unsigned>(getmaxx(::stdscr));
}

void watch_view::resize() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        ::resizeterm(size.ws_row, size.ws_col);
        ::clearok(::curscr, TRUE); // The terminal may have moved what was on it.
    }
}

void watch_view::suspend() {
    const write_limit limit;
    ::endwin();
}

bool watch_view::can_draw() const noexcept {
    pollfd terminal{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&terminal, 1, 0) > 0 && (terminal.revents & POLLOUT) != 0;
}

void watch_view::draw(const std::vector<race::screen_line>& lines) {
    ::werase(::stdscr);
    for (std::size_t row = 0; row < lines.size() && row < rows(); ++row) {
        ::wmove(::stdscr, static_cast<int>(row), 0);
        for (const race::screen_span& span : lines[row]) {
            const bool coloured = colour_ && colour_of(span.as) >= 0;
            ::wattr_set(::stdscr, attributes_of(span.as), coloured ? pair_of(span.as) : short{0},
                        nullptr);
            ::waddstr(::stdscr, span.text.c_str());
        }
    }
    ::wattr_set(::stdscr, A_NORMAL, 0, nullptr);
    if (thrown_away.exchange(false, std::memory_order_relaxed)) {
        ::clearok(::curscr, TRUE); // Nobody knows what is on the screen.
    }
    const write_limit limit;
    ::wrefresh(::stdscr);
}

std::optional<watch_view::key> watch_view::read_key() {
    switch (::wgetch(::stdscr)) {
    case ERR:
        return std::nullopt;
    case 'q':
    case 'Q':
        return key::quit;
    case 'k':
    case KEY_UP:
        return key::up;
    case 'j':
    case KEY_DOWN:
        return key::down;
    case KEY_PPAGE:
        return key::page_up;
    case KEY_NPAGE:
        return key::page_down;
    case KEY_HOME:
        return key::first;
    case KEY_END:
        return key::last;
    default:
        return key::other;
    }
}

} // namespace regatta::command
