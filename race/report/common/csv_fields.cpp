// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/csv_fields.hpp"

#include <fmt/core.h>

namespace regatta::race {

std::string csv_quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return out + "\"";
}

std::string csv_fields(const estimate& e, int digits) {
    return e.count == 0 ? std::string(",,")
                        : fmt::format("{:.{}f},{:.{}f},{:.{}f}", e.median, digits, e.low, digits,
                                      e.high, digits);
}

} // namespace regatta::race
