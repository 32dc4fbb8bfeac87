// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Unrelated programs share memory by its name; a crash before blocks nobody.

#include <regatta/process/shared_memory.hpp>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <system_error>

int main() {
    const std::string name = "/regatta_example_" + std::to_string(::getpid());
    constexpr auto layout = regatta::layout_hash("prices v2");

    for (const auto& left : regatta::remove_stale_segments("/regatta_example_")) {
        std::printf("removed %s, which a crash had left\n", left.c_str());
    }
    // Takes the place of a segment that nobody uses; throws EBUSY where somebody does.
    const auto writer = regatta::shared_memory::replace(name, 1 << 20, layout);
    writer.data()[0] = std::byte{42};

    // In another program:
    const auto reader = regatta::shared_memory::open(name, layout);
    std::printf("%zu bytes, the first is %d\n", reader.size(), static_cast<int>(reader.data()[0]));

    try {
        regatta::shared_memory::open(name, regatta::layout_hash("prices v1"));
    } catch (const std::system_error& error) {
        std::printf("%s\n", error.what()); // names the field, what was expected and what is there
        return 0;
    }
    return 1;
}
