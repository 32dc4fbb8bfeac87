// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The mapping of a workload: a header that describes it, and its data.

#include <regatta/base/cache_line.hpp>
#include <regatta/process/shared_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace regatta::race {

/// A header in shared memory with `bytes_behind(header)` bytes of data behind it.
///
/// `Header` is trivially copyable and aligned to `destructive_alignment`, so that the data are.
/// It says what it is by `static constexpr std::string_view workload` and
/// `static constexpr std::uint64_t layout`, whether it can be true by `bool valid() const`, and how
/// many bytes belong to it by `std::size_t bytes_behind() const`.
template<class Header>
class shared_state {
    static_assert(alignof(Header) >= destructive_alignment);

public:
    /// Makes the mapping. Failure: `std::system_error` where there is no room.
    static shared_state make(const Header& header) {
        const std::string name(Header::workload);
        const std::size_t bytes = sizeof(Header) + header.bytes_behind();
        try {
            shared_state made(shared_memory::anonymous("regatta-" + name, bytes, Header::layout));
            *reinterpret_cast<Header*>(made.memory_.data()) = header;
            return made;
        } catch (const std::system_error& error) {
            throw std::system_error(error.code(), name + ": no room for " +
                                                      std::to_string((bytes + 1023) >> 10) +
                                                      " KiB of shared memory");
        }
    }

    /// Attaches to the mapping of another process. Throws `std::runtime_error` or
    /// `std::system_error` if it holds something else.
    static shared_state attach(int descriptor) {
        shared_state found(shared_memory::attach(descriptor, Header::layout));
        if (found.memory_.size() < sizeof(Header) || !found.header().valid() ||
            found.memory_.size() - sizeof(Header) < found.header().bytes_behind()) {
            throw std::runtime_error(std::string(Header::workload) +
                                     ": the shared memory does not hold its state");
        }
        return found;
    }

    Header& header() noexcept { return *reinterpret_cast<Header*>(memory_.data()); }
    const Header& header() const noexcept {
        return *reinterpret_cast<const Header*>(memory_.data());
    }
    std::byte* data() noexcept { return memory_.data() + sizeof(Header); }
    int descriptor() const noexcept { return memory_.descriptor(); }
    /// Where an element of the data is, in bytes from the begin of the mapping.
    std::uint64_t offset_of(const void* element) const noexcept {
        const auto* at = static_cast<const std::byte*>(element);
        return shared_memory::header_size + static_cast<std::uint64_t>(at - memory_.data());
    }

private:
    explicit shared_state(shared_memory memory) : memory_(std::move(memory)) {}

    shared_memory memory_;
};

} // namespace regatta::race
