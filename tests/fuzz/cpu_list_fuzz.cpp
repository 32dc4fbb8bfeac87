// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Any text as a list of CPUs: it is refused at a place in the text, or is a set that survives
/// being printed and read again.

#include "expect.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/detail/compact_list.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using fuzz::expect;
using regatta::cpu_list_error;
using regatta::cpu_set;

void check(std::string_view text, unsigned width) {
    cpu_list_error error;
    const auto set = cpu_set::try_parse(text, width, error);
    if (!set) {
        expect(error.position <= text.size(), "a mistake lies in the text");
        expect(!error.reason.empty(), "a mistake has a reason");
        return;
    }
    expect(cpu_set::first(width).contains(*set), "numbers are below the width");
    expect(cpu_set::parse(set->to_string(), width) == *set, "the list means the same set");
    expect(cpu_set::parse(regatta::detail::compact_list(*set), width) == *set,
           "the compact list means the same set");
    expect(cpu_set::parse_mask(set->to_mask(width)) == *set, "the mask means the same set");
    unsigned count = 0;
    for (const unsigned cpu : *set) {
        expect(set->contains(cpu), "the set contains its members");
        ++count;
    }
    expect(count == set->count(), "the members are counted");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const unsigned width : {1u, 16u, 64u, 1000u}) {
        check(text, width);
    }
    return 0;
}
