// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A workload of one's own, for `regatta race`, `scale` and `advise`: the length of the Collatz
// sequence of each number, whose items differ much in length.
//
// g++ -std=c++20 -O2 -shared -fPIC 31_own_workload.cpp -o collatz.so && regatta race ./collatz.so

#include <regatta/race/item_workload.hpp>

#include <cstddef>
#include <cstdint>

namespace {

/// An item looks for the longest sequence among a thousand numbers.
struct collatz {
    static constexpr regatta::workload_sizes sizes{.min = 1, .max = 1'000'000, .usual = 500};

    std::uint32_t run(std::size_t item) const {
        std::uint32_t longest = 0;
        for (std::uint64_t from = item * 1000 + 1; from <= (item + 1) * 1000; ++from) {
            std::uint32_t steps = 0;
            for (std::uint64_t n = from; n != 1; ++steps) {
                n = n % 2 == 0 ? n / 2 : 3 * n + 1;
            }
            longest = steps > longest ? steps : longest;
        }
        return longest;
    }
};

} // namespace

extern "C" const regatta::workload_entry* regatta_workload() {
    return regatta::workload_entry_of<collatz>();
}
