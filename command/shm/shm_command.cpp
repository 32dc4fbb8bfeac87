// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "shm/shm_command.hpp"

#include "common/argument_checks.hpp"
#include "common/result_files.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "report/shm/shm_report.hpp"

#include <regatta/process/shared_memory.hpp>

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace regatta::command {
namespace {

/// As they were typed.
struct shm_arguments {
    std::string prefix;
    result_paths files;
};

/// The names of the stale segments, of this user or of others.
std::set<std::string> stale_in(const race::shm_view& view, bool mine) {
    std::set<std::string> names;
    for (const segment_record& one : view.segments) {
        if (one.stale && (one.user == ::geteuid()) == mine) {
            names.insert(one.name);
        }
    }
    return names;
}

/// Removes what is stale. @returns whether all of it could be removed.
bool clean_up(const std::string& prefix, race::shm_view& view) {
    std::set<std::string> left;
    bool done = true;
    // Twice, where something is left: it may have become stale in between.
    for (int pass = 0; pass == 0 || (pass == 1 && !left.empty()); ++pass) {
        const auto removed = remove_stale_segments(prefix);
        view.removed.insert(view.removed.end(), removed.begin(), removed.end());
        view.segments = list_segments(prefix);
        for (const std::string& name : std::exchange(left, stale_in(view, true))) {
            if (left.contains(name)) {
                tell(name + " is stale and could not be removed");
                done = false;
            }
        }
    }
    for (const std::string& name : stale_in(view, false)) {
        tell(name + " is stale and belongs to another user: it stays");
    }
    return done;
}

int run_command(const shm_arguments& arguments, bool clean) {
    result_files to(data_alone(arguments.files));
    race::shm_view view;
    view.cleaned = clean;
    bool done = true;
    if (clean) {
        done = clean_up(arguments.prefix, view);
    } else {
        view.segments = list_segments(arguments.prefix);
    }
    struct statvfs room {};
    if (::statvfs("/dev/shm", &room) == 0) {
        view.room_bytes = std::uint64_t{room.f_blocks} * room.f_frsize;
        view.free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize;
    }
    const bool written =
        to.write([&] { return race::shm_view_json(view); },
                 [&](const race::text_style& style) { return race::shm_view_text(view, style); });
    return written && done ? exit_code::success : exit_code::failure;
}

/// What `shm` and `shm clean` have in common: their options, and that the one named last runs.
void add_run(subcommand command, bool clean, action& chosen) {
    const auto arguments = std::make_shared<shm_arguments>();
    add_json_option(command, arguments->files, "all of it");
    command
        .add_option("--prefix", arguments->prefix,
                    "Only segments whose name begins with this; the '/' may be left out")
        .type_name("TEXT");
    command.runs(chosen, [arguments, clean] { return run_command(*arguments, clean); });
}

} // namespace

void add_shm_command(subcommand app, action& chosen) {
    const subcommand shm =
        app.add_subcommand("shm", "Show who uses shared memory, and what was left behind");
    add_run(shm, false, chosen);
    shm.footer("Examples:\n"
               "  regatta shm                      segments of this library, sizes, users\n"
               "  regatta shm --json -             the same for programs\n"
               "  regatta shm clean                remove what no process uses\n"
               "\nExit status: 0; 1 /dev/shm cannot be read, or the result not be written; "
               "2 wrong usage.");

    const subcommand clean =
        shm.add_subcommand("clean", "Remove your segments that no process uses any more");
    add_run(clean, true, chosen);
    clean.footer("It removes named segments of this library that belong to you and that no "
                 "process uses: a crash left them, or their maker kept the name. Other files, "
                 "segments in use and those of other users stay.\n"
                 "\nExit status: 0 nothing of yours is stale now, 1 something could not be "
                 "removed, 2 wrong usage.");
}

} // namespace regatta::command
