// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/progress_bar.hpp"

#include "common/interrupt.hpp"
#include "common/terminal.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace regatta::command {

std::string progress_line(const race::progress& now, const race::text_style& style) {
    std::string head = now.warm_up       ? std::string("warm-up")
                       : now.rounds != 0 ? fmt::format("round {} of {}", now.round + 1, now.rounds)
                                         : fmt::format("round {}", now.round + 1);
    std::string tail;
    if (now.left.count() > 0) {
        const auto seconds =
            static_cast<long>(std::ceil(std::chrono::duration<double>(now.left).count()));
        tail = seconds >= 60 ? fmt::format(" {} min {:02} s left", seconds / 60, seconds % 60)
                             : fmt::format(" {} s left", seconds);
    }
    tail += fmt::format("  {}", now.contender);
    constexpr std::size_t bar = 20;
    // One column stays free: a full line makes some terminals scroll.
    const std::size_t room = style.width - 1;
    if (!now.warm_up && head.size() + bar + 1 + race::columns_of(tail) <= room) {
        const auto full = std::min(
            bar, static_cast<std::size_t>(std::lround(now.done * static_cast<double>(bar))));
        head += ' ';
        for (std::size_t i = 0; i < bar; ++i) {
            head += i < full ? (style.unicode ? "█" : "#") : (style.unicode ? "░" : "-");
        }
    }
    std::string line = head + tail;
    return race::columns_of(line) <= room ? line : race::padded_right(line, room, style);
}

progress_bar::progress_bar(bool quiet) : live_(!quiet && is_live_terminal(STDERR_FILENO)) {}

progress_bar::~progress_bar() {
    if (drawn_) {
        write("\r\x1b[K");
        interrupt_guard::line_drawn(false);
    }
}

void progress_bar::show(const race::progress& now) {
    const auto time = std::chrono::steady_clock::now();
    if (!live_ || (drawn_ && time - last_ < std::chrono::milliseconds(100))) {
        return;
    }
    last_ = time;
    if (!drawn_) {
        drawn_ = true;
        interrupt_guard::line_drawn(true);
    }
    write(fmt::format("\r{}\x1b[K", progress_line(now, style_of(STDERR_FILENO))));
}

void progress_bar::write(const std::string& text) const {
    // A terminal that went away is noticed by what matters, the report.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

} // namespace regatta::command
