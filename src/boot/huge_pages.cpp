// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/boot/boot_line.hpp>

#include "boot/option_in_force.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/detail/topology_reader.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace regatta {
namespace {

/// "hugepages-2048kB" is 2 MiB; nothing for another name.
std::optional<std::uint64_t> size_in(std::string_view folder) {
    constexpr std::string_view head = "hugepages-";
    constexpr std::string_view tail = "kB";
    if (!folder.starts_with(head) || !folder.ends_with(tail)) {
        return std::nullopt;
    }
    folder.remove_prefix(head.size());
    folder.remove_suffix(tail.size());
    const auto kib = detail::to_number(folder);
    return kib && *kib > 0 ? std::optional(static_cast<std::uint64_t>(*kib) * 1024) : std::nullopt;
}

/// "MemTotal:  16315432 kB" of /proc/meminfo, in bytes; 0 if it has no such line.
std::uint64_t bytes_of(std::string_view meminfo, std::string_view name) {
    for (const auto line : detail::split(meminfo, '\n')) {
        if (line.starts_with(name)) {
            const std::string_view rest = detail::trimmed(line.substr(name.size()));
            return static_cast<std::uint64_t>(
                detail::to_number(rest.substr(0, rest.find(' '))).value_or(0) * 1024);
        }
    }
    return 0;
}

/// The size that a text like "2M" or "2m" denotes; nothing for any other text.
std::optional<std::uint64_t> size_of_text(std::string text) {
    if (!text.empty() && text.back() >= 'a') {
        text.back() = static_cast<char>(text.back() - 'a' + 'A');
    }
    return detail::to_bytes(text);
}

/// The options that the running kernel has for pages of one size. A count belongs to the size
/// before it, the first ones to the usual size.
struct reserved_pages {
    std::optional<std::string> size{};
    std::optional<std::string> count{};

    reserved_pages(const running_kernel& kernel, std::uint64_t wanted, std::uint64_t usual) {
        std::optional<std::uint64_t> now = usual;
        for (auto& [name, value] : detail::options_of(kernel.command_line)) {
            if (name == "hugepagesz") {
                now = size_of_text(value);
                if (now == wanted) {
                    size = huge_page_size_text(wanted);
                }
            } else if (name == "hugepages" && now == wanted) {
                count = std::move(value);
            }
        }
    }
};

} // namespace

huge_page_memory huge_page_memory::read(const std::string& root) {
    huge_page_memory machine;
    std::error_code error;
    std::filesystem::directory_iterator entry(root + "/sys/kernel/mm/hugepages", error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        if (const auto size = size_in(entry->path().filename().string())) {
            machine.sizes.push_back(*size);
        }
    }
    std::sort(machine.sizes.begin(), machine.sizes.end());
    const std::string meminfo = detail::read_small_file(root + "/proc/meminfo").value_or("");
    machine.usual_size = bytes_of(meminfo, "Hugepagesize:");
    machine.memory = bytes_of(meminfo, "MemTotal:");
    return machine;
}

std::string huge_page_size_text(std::uint64_t bytes) {
    constexpr std::uint64_t kib = 1024;
    const char* unit = "K";
    std::uint64_t in = kib;
    for (const char* larger : {"M", "G"}) {
        if (bytes % (in * kib) == 0) {
            in *= kib;
            unit = larger;
        }
    }
    return std::to_string(bytes / in) + unit;
}

void add_huge_pages(boot_line& line, const huge_pages& pages, const huge_page_memory& machine,
                    const running_kernel& kernel) {
    std::string sizes;
    for (const std::uint64_t size : machine.sizes) {
        sizes += (sizes.empty() ? "" : ", ") + huge_page_size_text(size);
    }
    if (sizes.empty()) {
        fail_argument("this kernel has no huge pages");
    }
    if (pages.size == 0) {
        fail_argument("the usual size of this kernel's huge pages is unknown: say which of " +
                      sizes);
    }
    if (std::find(machine.sizes.begin(), machine.sizes.end(), pages.size) == machine.sizes.end()) {
        fail_argument("this kernel has no huge pages of " + huge_page_size_text(pages.size) +
                      ", only of " + sizes);
    }
    const std::uint64_t most = machine.memory / pages.size;
    if (pages.count == 0 || (machine.memory != 0 && pages.count > most)) {
        fail_argument(std::to_string(pages.count) + " huge pages of " +
                      huge_page_size_text(pages.size) + " cannot be reserved; allowed are 1 to " +
                      (machine.memory != 0 ? std::to_string(most) + ", all of the memory"
                                           : std::string("what the memory has room for")));
    }
    if (line.options.empty()) {
        return;
    }
    const std::size_t first = line.options.size();
    const bool in_force = line.in_force();
    const reserved_pages reserved(kernel, pages.size, machine.usual_size);
    line.options.push_back({"hugepagesz", huge_page_size_text(pages.size),
                            "the size of the pages that the next option reserves", reserved.size});
    line.options.push_back({"hugepages", std::to_string(pages.count),
                            "so many pages are reserved at boot, and lost to other uses",
                            reserved.count});
    if (!line.in_force()) {
        if (in_force) { // The others alone were said to be all.
            std::erase_if(line.warnings, [](const boot_warning& warning) {
                return warning.concern == boot_concern::already_set;
            });
        }
        for (std::size_t i = in_force ? 0 : first; i < line.options.size(); ++i) {
            if (line.options[i].current) {
                line.warnings.push_back(
                    {boot_concern::already_set, detail::advice_on_current(line.options[i])});
            }
        }
    }
    if (machine.memory != 0 && pages.count > most / 2) {
        line.warnings.push_back({boot_concern::too_much_memory,
                                 "The huge pages take more than half of the memory, and the system "
                                 "and all programs that do not ask for them live in the rest. The "
                                 "kernel reserves fewer where it has no room."});
    }
}

} // namespace regatta
