// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One step on the way to CPUs of one's own, with what undoes it, as a line of text.

#include "lease/exclusive_tasks.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// What a step does.
enum class step_kind {
    make_group,    ///< Creates the group `path`; undone, its tasks go to the group `target`.
    set_file,      ///< Writes `text` into `path`; undone, it writes `undo_text` unless empty.
    enable_cpuset, ///< Gives the groups below `path` the cpuset controller.
    take_cpus,     ///< Takes `cpus` from the list or mask in the file `path`.
    add_cpus,      ///< Adds `cpus` to the list in the file `path`.
    move_tasks,    ///< Moves every task of the group `path` that can be moved to `target`.
    save_masks,    ///< Notes which tasks are pinned, since older kernels forget it.
    narrow_masks,  ///< Takes `cpus` from every task of the machine.
    move_process   ///< Moves the process of the folder `path` to the group `target`, which was made
                   ///< for it: undoing that moves it back.
};

/// One step. The first group of members is the plan; the second is filled when the step is done,
/// and is what its inverse needs.
struct exclusive_step {
    step_kind kind = step_kind::set_file;
    std::string path{};      ///< A file or the directory of a group.
    std::string target{};    ///< The group that takes the tasks.
    std::string member{};    ///< The file of a group that lists its tasks and takes new ones.
    std::string text{};      ///< What is written.
    std::string undo_text{}; ///< What the inverse writes.
    cpu_set cpus{};          ///< The CPUs that are taken or added; for masks, those of the lease.
    cpu_set rest{};          ///< Where everything else may go: all CPUs without those of the lease.
    bool shared = false;     ///< Other leases may need its effect, too: the last one undoes it.
    bool optional = false;   ///< Failing is told and changes nothing else.

    std::string before{}; ///< What the file held.
    std::string after{};  ///< What it was given.
    std::vector<task_mask> masks{};

    /// Whether another lease's step is the same, so that only the last of both is undone.
    bool same_effect(const exclusive_step& other) const {
        return kind == other.kind && path == other.path && target == other.target;
    }
};

/// What a step does, in words: for a plan that people read.
inline std::string describe(const exclusive_step& step) {
    switch (step.kind) {
    case step_kind::make_group:
        return "create the group " + step.path;
    case step_kind::set_file:
        return "write '" + step.text + "' to " + step.path;
    case step_kind::enable_cpuset:
        return "enable the cpuset controller below " + step.path;
    case step_kind::take_cpus:
        return "take CPUs " + step.cpus.to_string() + " from " + step.path;
    case step_kind::add_cpus:
        return "add CPUs " + step.cpus.to_string() + " to " + step.path;
    case step_kind::move_tasks:
        return "move every task of " + step.path + " to " + step.target;
    case step_kind::save_masks:
        return "note the affinity of every task that is pinned";
    case step_kind::narrow_masks:
        return "take CPUs " + step.cpus.to_string() + " from the affinity of every task";
    case step_kind::move_process:
        return "move the process " + step.path + " to " + step.target;
    }
    return {};
}

/// `text` with everything escaped that separates the fields and lines of a journal.
inline std::string escape_field(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
        case '\\':
            escaped += "\\\\";
            break;
        case '\t':
            escaped += "\\t";
            break;
        case '\n':
            escaped += "\\n";
            break;
        default:
            escaped += c;
        }
    }
    return escaped;
}

inline std::string unescape_field(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            plain += text[i];
            continue;
        }
        ++i;
        plain += text[i] == 't' ? '\t' : text[i] == 'n' ? '\n' : text[i];
    }
    return plain;
}

/// The fields of a journal's line, empty ones included.
inline std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields;
    for (;;) {
        const auto end = line.find('\t');
        fields.push_back(unescape_field(line.substr(0, end)));
        if (end == std::string_view::npos) {
            return fields;
        }
        line.remove_prefix(end + 1);
    }
}

inline std::string join_fields(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        line += (line.empty() ? "" : "\t") + escape_field(field);
    }
    return line;
}

constexpr std::array<std::string_view, 9> step_names{"make_group", "set_file",     "enable_cpuset",
                                                     "take_cpus",  "add_cpus",     "move",
                                                     "save_masks", "narrow_masks", "move_process"};

/// "process:thread:start:CPUs" of each, apart by ';'.
inline std::string masks_to_text(const std::vector<task_mask>& masks) {
    std::string text;
    for (const task_mask& task : masks) {
        text += (text.empty() ? "" : ";") + std::to_string(task.process) + ':' +
                std::to_string(task.thread) + ':' + std::to_string(task.start) + ':' +
                task.allowed.to_string();
    }
    return text;
}

inline std::optional<std::vector<task_mask>> masks_from_text(std::string_view text) {
    std::vector<task_mask> masks;
    for (const auto part : split(text, ';')) {
        const auto fields = split(part, ':');
        cpu_list_error error;
        const auto process = fields.size() == 4 ? to_number(fields[0]) : std::nullopt;
        const auto thread = process ? to_number(fields[1]) : std::nullopt;
        const auto start = thread ? to_number(fields[2]) : std::nullopt;
        auto allowed =
            start ? cpu_set::try_parse(fields[3], cpu_set::max_width, error) : std::nullopt;
        if (!allowed) {
            return std::nullopt;
        }
        masks.push_back({static_cast<int>(*process), static_cast<int>(*thread),
                         static_cast<std::uint64_t>(*start), std::move(*allowed)});
    }
    return masks;
}

/// A step as a line of a journal, without the line's end.
inline std::string step_to_line(const exclusive_step& step) {
    return join_fields({"step", std::string(step_names[static_cast<std::size_t>(step.kind)]),
                        std::string(step.shared ? "s" : "-") + (step.optional ? "o" : "-"),
                        step.path, step.target, step.member, step.text, step.undo_text,
                        step.cpus.to_string(), step.rest.to_string(), step.before, step.after,
                        masks_to_text(step.masks)});
}

/// The inverse of `step_to_line`; nothing for a line that it did not make.
inline std::optional<exclusive_step> step_from_fields(const std::vector<std::string>& fields) {
    if (fields.size() != 13 || fields[0] != "step" || fields[2].size() != 2) {
        return std::nullopt;
    }
    exclusive_step step;
    std::size_t kind = 0;
    while (kind < step_names.size() && step_names[kind] != fields[1]) {
        ++kind;
    }
    cpu_list_error error;
    auto cpus = cpu_set::try_parse(fields[8], cpu_set::max_width, error);
    auto rest = cpu_set::try_parse(fields[9], cpu_set::max_width, error);
    auto masks = masks_from_text(fields[12]);
    if (kind == step_names.size() || !cpus || !rest || !masks) {
        return std::nullopt;
    }
    step.kind = static_cast<step_kind>(kind);
    step.shared = fields[2][0] == 's';
    step.optional = fields[2][1] == 'o';
    step.path = fields[3];
    step.target = fields[4];
    step.member = fields[5];
    step.text = fields[6];
    step.undo_text = fields[7];
    step.cpus = std::move(*cpus);
    step.rest = std::move(*rest);
    step.before = fields[10];
    step.after = fields[11];
    step.masks = std::move(*masks);
    return step;
}

} // namespace regatta::detail
