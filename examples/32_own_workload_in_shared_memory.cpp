// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A workload of one's own whose input lies in memory that threads and processes share: the
// brightness of a picture, one row an item. `--size` is the number of rows.

#include <regatta/race/item_workload.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace {

class brightness {
public:
    static constexpr regatta::workload_sizes sizes{.min = 1, .max = 100'000, .usual = 2000};

    static std::size_t shared_bytes(const regatta::workload_settings& s) { return s.size * width; }

    brightness(const regatta::workload_settings& s, std::span<std::byte> picture)
        : picture_(picture)
        , seed_(s.seed) {}

    void fill() {
        std::mt19937_64 random(seed_);
        for (std::byte& pixel : picture_) {
            pixel = static_cast<std::byte>(random());
        }
    }

    std::uint64_t run(std::size_t row) const {
        std::uint64_t sum = 0;
        for (const std::byte pixel : picture_.subspan(row * width, width)) {
            sum += std::to_integer<std::uint64_t>(pixel);
        }
        return sum;
    }

private:
    static constexpr std::size_t width = 4096;

    std::span<std::byte> picture_;
    std::uint64_t seed_;
};

} // namespace

extern "C" const regatta::workload_entry* regatta_workload() {
    return regatta::workload_entry_of<brightness>();
}
