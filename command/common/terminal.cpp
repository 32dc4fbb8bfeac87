// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/terminal.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace regatta::command {
namespace {

constexpr unsigned narrowest = 20;
constexpr unsigned widest = 1000;

/// The variable; empty where it is not set.
std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

bool wants_colour(int descriptor) {
    if (!environment("NO_COLOR").empty()) {
        return false;
    }
    if (const auto force = environment("CLICOLOR_FORCE"); !force.empty() && force != "0") {
        return true;
    }
    return ::isatty(descriptor) != 0 && environment("CLICOLOR") != "0" &&
           environment("TERM") != "dumb" && !environment("TERM").empty();
}

} // namespace

unsigned width_of(int descriptor) {
    unsigned width = 0;
    const std::string_view columns = environment("COLUMNS");
    const char* const end = columns.data() + columns.size();
    if (std::from_chars(columns.data(), end, width).ptr != end) {
        width = 0; // As without it: not a number alone.
    }
    winsize size{};
    if (width == 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
        width = size.ws_col;
    }
    return width == 0 ? 100 : std::clamp(width, narrowest, widest);
}

bool is_live_terminal(int descriptor) {
    return ::isatty(descriptor) != 0 && environment("TERM") != "dumb" &&
           !environment("TERM").empty();
}

race::text_style style_of(int descriptor) {
    // main() took LC_CTYPE over from the environment.
    return {.width = width_of(descriptor),
            .colour = wants_colour(descriptor),
            .unicode = std::string_view(::nl_langinfo(CODESET)) == "UTF-8"};
}

void tell(std::string_view text) {
    std::fprintf(stderr, "regatta: %s\n", detail::printable_text(text).c_str());
}

} // namespace regatta::command
