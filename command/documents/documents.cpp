// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "documents/documents.hpp"

#include "common/exclusivity_names.hpp"
#include "documents/completion.hpp"
#include "documents/manual_page.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace regatta::command {
namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        throw std::system_error(errno, std::generic_category(), "write " + file.string());
    }
}

constexpr const char* date_of_version = "2026-12-01";

/// The date of SOURCE_DATE_EPOCH, seconds since 1970, which packagers set. Else that of the
/// version.
std::string date_of_pages() {
    const char* const text = std::getenv("SOURCE_DATE_EPOCH");
    const std::string_view digits = text == nullptr ? "" : text;
    const char* const end = digits.data() + digits.size();
    std::time_t seconds = 0;
    const auto [stop, error] = std::from_chars(digits.data(), end, seconds);
    std::tm day{};
    char date[64];
    if (error == std::errc() && stop == end && ::gmtime_r(&seconds, &day) != nullptr &&
        std::strftime(date, sizeof date, "%Y-%m-%d", &day) != 0) {
        return date;
    }
    return date_of_version;
}

/// The names that only the command's own lists know.
std::vector<known_values> registered_names() {
    std::vector<std::string> schemes;
    for (const race::scheme_info& one : race::schemes()) {
        schemes.emplace_back(one.name);
    }
    std::vector<std::string> workloads;
    for (const race::workload_info& one : race::workloads()) {
        workloads.emplace_back(one.name);
    }
    return {{"workload", workloads, true}, {"what", workloads, true},
            {"--scheme", schemes},         {"--schemes", schemes},
            {"--baseline", schemes},       {"--at-least", exclusivity_names()}};
}

} // namespace

std::optional<int> write_documents(subcommand top, const std::vector<std::string>& words,
                                   const std::string& version) {
    if (words.size() != 3 || words[1] != "--write-documents") {
        return std::nullopt;
    }
    const std::filesystem::path folder = words[2];
    const command_entry entry = top.entry();
    const page_foot foot{version, date_of_pages()};
    const std::vector<known_values> known = registered_names();
    for_each_command(entry, entry.name, [&](const command_entry& command, const std::string& path) {
        write_file(folder / "man" / (manual_name(path) + ".1"), manual_page(command, path, foot));
    });
    write_file(folder / "bash" / "regatta", bash_completion(entry, known));
    write_file(folder / "zsh" / "_regatta", zsh_completion(entry, known));
    write_file(folder / "fish" / "regatta.fish", fish_completion(entry, known));
    return 0;
}

} // namespace regatta::command
