// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Any bytes as a segment of shared memory: an error that names what is wrong, or a header that
/// says what was asked for.

#include "expect.hpp"

#include "process/process_pool/arena.hpp"
#include "process/segment_header.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/shared_memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace {

constexpr std::uint64_t layout = 0x1234;

/// Whether the bytes are a header of that layout for a file of that size.
bool is_right(const std::uint8_t* data, std::size_t size, std::size_t total) {
    regatta::detail::segment_header right{};
    right.publish(layout, total);
    return size >= 32 && std::memcmp(data, static_cast<const void*>(&right), 32) == 0;
}

template<class Attach>
bool attaches(Attach&& attach) {
    try {
        attach();
        return true;
    } catch (const std::system_error& error) {
        fuzz::expect(error.code().value() == EPROTO, "the error is that of a foreign file");
        fuzz::expect(std::strstr(error.what(), ": expected ") != nullptr,
                     "it says what was expected");
        return false;
    }
}

} // namespace

/// The first byte says how long the file is beyond the others.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::size_t total = size - 1 + std::size_t{data[0]} * 64;
    const regatta::detail::unique_descriptor file(::memfd_create("regatta fuzz", MFD_CLOEXEC));
    fuzz::expect(file && ::ftruncate(file.get(), static_cast<off_t>(total)) == 0 &&
                     ::pwrite(file.get(), data + 1, size - 1, 0) == static_cast<ssize_t>(size - 1),
                 "the file can be made");
    const bool right = is_right(data + 1, size - 1, total);
    const bool attached = attaches([&] {
        const auto memory = regatta::shared_memory::attach(file.get(), layout);
        fuzz::expect(memory.size() == total - regatta::shared_memory::header_size, "its size");
        // Every byte of it can be read.
        fuzz::expect(std::count(memory.data(), memory.data() + memory.size(), std::byte{1}) >= 0,
                     "its bytes");
    });
    fuzz::expect(attached == (right && total >= regatta::shared_memory::header_size),
                 "a segment attaches if its header is right");
    const bool mapped = attaches([&] {
        const auto memory = regatta::detail::arena::attach(file.get(), layout, data[0] % 2 == 0);
        fuzz::expect(memory.size() == total - regatta::detail::arena::header_bytes, "its size");
    });
    fuzz::expect(mapped == (right && total >= regatta::detail::arena::header_bytes),
                 "an arena attaches if its header is right");
    return 0;
}
