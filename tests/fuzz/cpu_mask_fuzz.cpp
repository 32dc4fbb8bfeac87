// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Any text as a mask of CPUs: it is refused at a place in the text, or is a set that survives
/// being printed and read again.

#include "expect.hpp"

#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using fuzz::expect;
    using regatta::cpu_set;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    regatta::cpu_list_error error;
    const auto set = cpu_set::try_parse_mask(text, error);
    if (!set) {
        expect(error.position < text.size(), "a mistake lies in the text");
        expect(!error.reason.empty(), "a mistake has a reason");
        return 0;
    }
    expect(set->count() <= 4 * size, "a digit is at most four CPUs");
    const std::string mask = set->to_mask();
    expect(cpu_set::parse_mask(mask) == *set, "the mask means the same set");
    expect(cpu_set::parse_mask("0,00000000," + mask) == *set, "zeros before it change nothing");
    expect(cpu_set::parse(set->to_string()) == *set, "the list means the same set");
    return 0;
}
