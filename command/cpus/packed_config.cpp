// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/packed_config.hpp"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <utility>

namespace regatta::command {

std::optional<kernel_config> read_packed_config(const std::string& root) {
    constexpr std::size_t longest = 16U << 20; // They have about 300 kB.
    const std::string path = "/proc/config.gz";
    const gzFile file = ::gzopen((root + path).c_str(), "rbe");
    if (file == nullptr) {
        return std::nullopt;
    }
    std::string text;
    std::array<char, 1U << 13> buffer{};
    int count = 0;
    while (text.size() < longest &&
           (count = ::gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    // A file that is cut short or damaged shows at its end.
    const bool sound = ::gzclose(file) == Z_OK && count == 0;
    return sound ? std::optional(kernel_config(std::move(text), path)) : std::nullopt;
}

} // namespace regatta::command
