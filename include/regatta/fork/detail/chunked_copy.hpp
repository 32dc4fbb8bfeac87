// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Copies what fulfils a condition, in parallel.

#include <regatta/fork/parallel_for.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

namespace regatta::detail {

/// Copies those of `count` elements for which `pred` holds to `out`, in their order, and tests each
/// once: it marks the elements of each chunk and counts them; then each chunk knows its place.
template<class In, class Out, class Predicate>
Out copy_matching(In in, std::ptrdiff_t count, Out out, Predicate& pred) {
    constexpr std::ptrdiff_t largest_chunk = 4096;
    const std::ptrdiff_t length = std::clamp<std::ptrdiff_t>(count / 64, 1, largest_chunk);
    const std::ptrdiff_t chunks = (count + length - 1) / length;
    const auto kept = std::make_unique_for_overwrite<bool[]>(static_cast<std::size_t>(count));
    const auto places =
        std::make_unique_for_overwrite<std::ptrdiff_t[]>(static_cast<std::size_t>(chunks));
    for_every_index(chunks, [&](std::ptrdiff_t chunk) {
        const std::ptrdiff_t end = std::min(count, (chunk + 1) * length);
        std::ptrdiff_t matches = 0;
        for (std::ptrdiff_t i = chunk * length; i < end; ++i) {
            const bool match = static_cast<bool>(std::invoke(pred, in[i]));
            kept[static_cast<std::size_t>(i)] = match;
            matches += match;
        }
        places[static_cast<std::size_t>(chunk)] = matches;
    });
    std::ptrdiff_t total = 0;
    for (std::ptrdiff_t chunk = 0; chunk < chunks; ++chunk) {
        std::ptrdiff_t& place = places[static_cast<std::size_t>(chunk)];
        const std::ptrdiff_t matches = place;
        place = total;
        total += matches;
    }
    for_every_index(chunks, [&](std::ptrdiff_t chunk) {
        const std::ptrdiff_t end = std::min(count, (chunk + 1) * length);
        std::ptrdiff_t to = places[static_cast<std::size_t>(chunk)];
        for (std::ptrdiff_t i = chunk * length; i < end; ++i) {
            if (kept[static_cast<std::size_t>(i)]) {
                out[to++] = in[i];
            }
        }
    });
    return out + total;
}

} // namespace regatta::detail
