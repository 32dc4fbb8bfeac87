// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/poll_descriptors.hpp"

#include <poll.h>
#include <sys/select.h>
#include <time.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <span>
#include <vector>

namespace regatta::detail {

int poll_descriptors(std::span<pollfd> polled, const timespec* at_most) {
    const int found = ::ppoll(polled.data(), polled.size(), at_most, nullptr);
    if (found >= 0 || errno != EINVAL) {
        return found;
    }
    // The C library's set has room for 1024 numbers; the kernel takes one of any size.
    constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
    std::vector<unsigned long> readable;
    for (const pollfd& one : polled) {
        if (one.fd < 0) {
            continue; // As poll(2) does.
        }
        const auto number = static_cast<std::size_t>(one.fd);
        if (readable.size() <= number / bits) {
            readable.resize(number / bits + 1);
        }
        readable[number / bits] |= 1ul << number % bits;
    }
    const int ready =
        ::pselect(static_cast<int>(readable.size() * bits),
                  reinterpret_cast<fd_set*>(readable.data()), nullptr, nullptr, at_most, nullptr);
    for (pollfd& one : polled) {
        const auto number = static_cast<std::size_t>(one.fd);
        const bool is_ready =
            ready > 0 && one.fd >= 0 && (readable[number / bits] >> number % bits & 1) != 0;
        one.revents = is_ready ? POLLIN : 0;
    }
    return ready;
}

} // namespace regatta::detail
