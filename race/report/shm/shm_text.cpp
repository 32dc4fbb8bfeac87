// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/grid.hpp"
#include "report/shm/shm_report.hpp"
#include "text/text.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace regatta::race {
namespace {

constexpr std::size_t most_users = 4; ///< That a line names.

std::string size_text(std::uint64_t bytes) {
    return bytes_text(static_cast<std::int64_t>(bytes));
}

std::string users_text(const segment_record& one) {
    if (one.users.empty()) {
        return one.stale ? "nobody: left behind" : "a process that cannot be seen from here";
    }
    std::string text = one.stale ? "nobody: left behind; open in " : "";
    for (std::size_t i = 0; i < std::min(one.users.size(), most_users); ++i) {
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", one.users[i].process,
                            detail::printable_text(one.users[i].command));
    }
    if (one.users.size() > most_users) {
        text += fmt::format(" and {} more", one.users.size() - most_users);
    }
    return text;
}

std::string head_text(const shm_view& view, const text_style& style) {
    std::string text;
    for (const std::string& name : view.removed) {
        text += "removed " + detail::printable_text(name) + "\n";
    }
    if (view.cleaned && view.removed.empty()) {
        text = wrapped("Nothing was stale.", 2, style);
    }
    if (!view.cleaned || !view.segments.empty()) {
        text += wrapped(fmt::format("/dev/shm: {}, {} of it free", size_text(view.room_bytes),
                                    size_text(view.free_bytes)),
                        2, style);
    }
    return text;
}

} // namespace

std::string shm_view_text(const shm_view& view, const text_style& style) {
    std::string text = head_text(view, style);
    if (view.segments.empty()) {
        return view.cleaned ? text : text + wrapped("No segments of this library.", 2, style);
    }
    grid_column name{.title = "segment", .to_the_left = true};
    grid_column user{.title = "user", .dropped = 1};
    grid_column bytes{.title = "size", .dropped = 2};
    grid_column allocated{.title = "memory"};
    grid_column state{.title = "used by", .to_the_left = true};
    bool stale = false;
    for (const segment_record& one : view.segments) {
        name.cells.push_back(detail::printable_text(one.name) +
                             (one.anonymous ? " (no name)" : ""));
        user.cells.push_back(std::to_string(one.user));
        bytes.cells.push_back(size_text(one.bytes));
        allocated.cells.push_back(size_text(one.allocated));
        state.cells.push_back(users_text(one));
        state.colours.emplace_back(one.stale ? "33" : "");
        stale = stale || one.stale;
    }
    text += "\n" + grid_text({std::move(name), std::move(user), std::move(bytes),
                              std::move(allocated), std::move(state)},
                             style);
    if (stale && !view.cleaned) {
        text += "\n" +
                wrapped("`regatta shm clean` removes those of yours that nobody uses.", 0, style);
    }
    return text;
}

} // namespace regatta::race
