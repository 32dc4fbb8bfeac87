// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Numbers to be given out again, the lowest first.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace regatta::detail {

/// The numbers 0, 1 … below a count. `take` gives out the lowest that nobody has, so that those
/// in use stay together.
///
/// Threads: one at a time. Blocks: never. Cost: a look at a word for each 64 numbers below the one
/// given out.
class lowest_free {
public:
    explicit lowest_free(std::size_t count)
        : words_(std::make_unique<std::uint64_t[]>(count / 64 + 1)) {}

    /// @pre fewer than `count` numbers are given out.
    std::size_t take() noexcept {
        for (std::size_t i = 0; i * 64 < used_; ++i) {
            if (words_[i] != 0) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(words_[i]));
                words_[i] &= words_[i] - 1;
                return i * 64 + bit;
            }
        }
        return used_++;
    }
    /// Takes back a number that `take` gave out.
    void give(std::size_t number) noexcept {
        words_[number / 64] |= std::uint64_t{1} << number % 64;
    }

    /// How many different numbers were ever given out.
    std::size_t used() const noexcept { return used_; }

private:
    const std::unique_ptr<std::uint64_t[]> words_; ///< A bit is set if its number came back.
    std::size_t used_ = 0;
};

} // namespace regatta::detail
