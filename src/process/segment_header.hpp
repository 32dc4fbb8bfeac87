// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The header of a shared segment, by which its users recognise each other.

#include <atomic>
#include <cstdint>
#include <string>

namespace regatta::detail {

/// Stands at the beginning of every segment, before the data. Its layout changes only with
/// `version`; `magic` and `version` never move.
struct alignas(128) segment_header {
    static constexpr std::uint64_t expected_magic = 0x0141'5454'4147'4552u; ///< "REGATTA", 1
    static constexpr std::uint32_t expected_version = 1;

    /// Written by the creator, last, with release; read by openers with acquire. An opener that
    /// reads the expected value sees every other member.
    std::atomic<std::uint64_t> magic;
    std::uint32_t version;
    std::uint32_t header_size;
    std::uint64_t layout;     ///< Names the layout of the data; see `layout_hash`.
    std::uint64_t total_size; ///< Header and data, in bytes.

    /// Fills the header of a new segment, which is all zeros.
    void publish(std::uint64_t layout_of_data, std::uint64_t total) noexcept;

    /// Compares the header with what the opener expects.
    /// Failure: `std::system_error` EPROTO, which names the first field that differs.
    void check(const std::string& operation, std::uint64_t layout_of_data,
               std::uint64_t total) const;

    /// Fails as `check` does if the two values of a field differ.
    static void compare(const std::string& operation, const char* field, std::uint64_t expected,
                        std::uint64_t found, bool hexadecimal);
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(segment_header) == 128);

} // namespace regatta::detail
