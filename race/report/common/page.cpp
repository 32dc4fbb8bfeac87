// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/page.hpp"

#include "report/info/info_text.hpp"
#include "text/command_line.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <limits>
#include <string_view>

namespace regatta::race {
namespace {

/// Whatever the reader prefers, light or dark. A class cN is the ANSI colour N.
constexpr std::string_view head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.15rem; }}
p {{ max-width: 50rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2rem 0.8rem 0.2rem 0; text-align: right; white-space: nowrap; }}
tbody tr {{ border-top: 1px solid #8886; }}
.left {{ text-align: left; }}
pre, td.drawn {{ font-family: ui-monospace, monospace; line-height: 1.25; white-space: pre; overflow-x: auto; }}
.c1 {{ font-weight: 600; }} .c31 {{ color: #c0392b; }} .c32 {{ color: #2a8a4a; }} .c33 {{ color: #a8700c; }}
.c34 {{ color: #2b6cb0; }} .c35 {{ color: #9b59b6; }} .c36 {{ color: #15878c; }} .c94 {{ color: #5a8fd6; }}
.c37, .c90 {{ color: #767676; }}
</style>
</head>
<body>
)";

} // namespace

text_style page_style(text_medium medium) noexcept {
    return {.width = std::numeric_limits<unsigned>::max() / 4,
            .colour = medium == text_medium::html,
            .medium = medium};
}

std::string page_of(std::string report, const provenance& from, const text_style& style) {
    if (style.medium == text_medium::screen) {
        return report;
    }
    const std::string command = detail::printable_text(command_line(from.command));
    const std::string origin =
        fmt::format("{}\n{}\n\n{}", command, from.machine.time, info_text(from.machine, {}));
    report += "<details><summary>Where these figures come from</summary>\n\n";
    if (style.medium == text_medium::markdown) {
        return report + verbatim(origin, style) + "</details>\n";
    }
    const std::string title = escaped("regatta: " + command, style);
    return fmt::format(head, title) + report + verbatim(escaped(origin, style), style) +
           "</details>\n</body>\n</html>\n";
}

} // namespace regatta::race
