// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A number that two processes compare before they trust the bytes of a shared segment.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace regatta {

/// Hash of a text that names a layout: a type and its version ("matrices v2").
///
/// Source: FNV-1a, 64 bits (Fowler, Noll, Vo).
constexpr std::uint64_t layout_hash(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return hash;
}

/// Hash of a text and of the size and alignment of `T`. It detects a member that was added without
/// a new text, but not one that was replaced by another of the same size.
template<class T>
constexpr std::uint64_t layout_hash(std::string_view text) noexcept {
    std::uint64_t hash = layout_hash(text);
    for (std::size_t number : {sizeof(T), alignof(T)}) {
        for (int byte = 0; byte < 8; ++byte, number >>= 8) {
            hash = (hash ^ (number & 0xff)) * 0x100000001b3u;
        }
    }
    return hash;
}

} // namespace regatta
