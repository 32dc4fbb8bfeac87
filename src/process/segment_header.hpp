// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The first bytes of a shared segment, by which its users recognise each other.

#include <regatta/base/error.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace regatta::detail {

/// Stands at the begin of every segment; the data follow it. Its own layout changes with `version`
/// only, and `magic`, `version` never move.
struct alignas(128) segment_header {
    static constexpr std::uint64_t expected_magic = 0x0141'5454'4147'4552u; ///< "REGATTA", 1
    static constexpr std::uint32_t expected_version = 1;

    /// Written last by the creator with release; an opener's acquire load of the right value pairs
    /// with it and publishes every other member.
    std::atomic<std::uint64_t> magic;
    std::uint32_t version;
    std::uint32_t header_size;
    std::uint64_t layout;     ///< What the creator says of the data; see `layout_hash`.
    std::uint64_t total_size; ///< Header and data, in bytes.

    /// Fills the header of a new segment, which is all zeros.
    void publish(std::uint64_t layout_of_data, std::uint64_t total) noexcept {
        version = expected_version;
        header_size = sizeof(segment_header);
        layout = layout_of_data;
        total_size = total;
        magic.store(expected_magic, std::memory_order_release); // Partner: `check`.
    }

    /// Compares with what the opener expects.
    /// Failure: `std::system_error` EPROTO that names the first field that differs.
    void check(const std::string& operation, std::uint64_t layout_of_data,
               std::uint64_t total) const {
        // Partner: `publish`.
        compare(operation, "magic (is it a segment of this library?)", expected_magic,
                magic.load(std::memory_order_acquire), true);
        compare(operation, "header version", expected_version, version, false);
        compare(operation, "header size", sizeof(segment_header), header_size, false);
        compare(operation, "layout hash", layout_of_data, layout, true);
        compare(operation, "total size (header: expected, file: found)", total_size, total, false);
    }

    /// Reports one field that is not what it should be, as `check` does.
    static void compare(const std::string& operation, const char* field, std::uint64_t expected,
                        std::uint64_t found, bool hexadecimal) {
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
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(segment_header) == 128);

} // namespace regatta::detail
