// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_step.hpp"

#include "lease/exclusive_tasks.hpp"
#include "lease/step_rules.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// Escapes the characters that separate the fields and lines of a journal.
std::string escape_field(std::string_view text) {
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

std::string unescape_field(std::string_view text) {
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

/// "process:thread:start:CPUs" of each task, separated by ';'.
std::string masks_to_text(const std::vector<task_mask>& masks) {
    std::string text;
    for (const task_mask& task : masks) {
        text += (text.empty() ? "" : ";") + std::to_string(task.process) + ':' +
                std::to_string(task.thread) + ':' + std::to_string(task.start) + ':' +
                task.allowed.to_string();
    }
    return text;
}

std::optional<std::vector<task_mask>> masks_from_text(std::string_view text) {
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

} // namespace

bool exclusive_step::same_effect(const exclusive_step& other) const {
    return kind == other.kind && path == other.path && target == other.target;
}

std::vector<std::string> fields_of(std::string_view line) {
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

std::string join_fields(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        line += (line.empty() ? "" : "\t") + escape_field(field);
    }
    return line;
}

std::string step_to_line(const exclusive_step& step) {
    return join_fields({"step", std::string(rules_of(step.kind).name),
                        std::string(step.shared ? "s" : "-") + (step.optional ? "o" : "-"),
                        step.path, step.target, step.member, step.text, step.undo_text,
                        step.cpus.to_string(), step.rest.to_string(), step.before, step.after,
                        masks_to_text(step.masks)});
}

std::optional<exclusive_step> step_from_fields(const std::vector<std::string>& fields) {
    if (fields.size() != 13 || fields[0] != "step" || fields[2].size() != 2) {
        return std::nullopt;
    }
    exclusive_step step;
    const std::optional<step_kind> kind = kind_named(fields[1]);
    cpu_list_error error;
    auto cpus = cpu_set::try_parse(fields[8], cpu_set::max_width, error);
    auto rest = cpu_set::try_parse(fields[9], cpu_set::max_width, error);
    auto masks = masks_from_text(fields[12]);
    if (!kind || !cpus || !rest || !masks) {
        return std::nullopt;
    }
    step.kind = *kind;
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
