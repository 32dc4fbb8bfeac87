// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/segment_header.hpp"

#include <regatta/base/error.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>

namespace regatta::detail {

void segment_header::publish(std::uint64_t layout_of_data, std::uint64_t total) noexcept {
    version = expected_version;
    header_size = sizeof(segment_header);
    layout = layout_of_data;
    total_size = total;
    magic.store(expected_magic, std::memory_order_release); // Partner: `check`.
}

void segment_header::check(const std::string& operation, std::uint64_t layout_of_data,
                           std::uint64_t total) const {
    // Partner: `publish`.
    compare(operation, "magic (is it a segment of this library?)", expected_magic,
            magic.load(std::memory_order_acquire), true);
    compare(operation, "header version", expected_version, version, false);
    compare(operation, "header size", sizeof(segment_header), header_size, false);
    compare(operation, "layout hash", layout_of_data, layout, true);
    compare(operation, "total size (header: expected, file: found)", total_size, total, false);
}

void segment_header::compare(const std::string& operation, const char* field,
                             std::uint64_t expected, std::uint64_t found, bool hexadecimal) {
    if (expected == found) {
        return;
    }
    char text[160];
    std::snprintf(text, sizeof text,
                  hexadecimal ? ": %s: expected 0x%016llx, found 0x%016llx"
                              : ": %s: expected %llu, found %llu",
                  field, static_cast<unsigned long long>(expected),
                  static_cast<unsigned long long>(found));
    fail_system(EPROTO, operation + text);
}

} // namespace regatta::detail
