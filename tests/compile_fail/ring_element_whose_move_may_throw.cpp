// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: an element is moved out of its claimed cell
#include <regatta/sync/mpmc_ring.hpp>

struct fragile {
#ifdef EXPECT_OK
    fragile(fragile&&) noexcept;
#else
    fragile(fragile&&) noexcept(false);
#endif
};

void use(regatta::mpmc_ring<fragile>& ring) {
    static_cast<void>(ring.capacity());
}
