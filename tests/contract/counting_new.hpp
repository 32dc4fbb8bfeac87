// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// An operator new that counts, and fails on request. For one file of a program.

#include "support/door.hpp"

#include <regatta/base/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace library_test {

/// How many times memory was asked for so far, by all threads.
inline std::atomic<long> allocations{0};
/// How many bytes that were.
inline std::atomic<long> allocated{0};
/// After how many more times there is none; negative: always.
inline std::atomic<long> allocations_left{-1};

/// Called where there is none, once; null: nothing.
inline std::atomic<void (*)()> before_failing{nullptr};

/// Where the next thread that asks for memory stops first; null: nowhere.
inline std::atomic<door*> next_stop{nullptr};

/// Whether there is memory for one more.
inline bool is_left() noexcept {
    long left = allocations_left.load();
    while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
    }
    return left != 0;
}

inline void* allocate(std::size_t size, std::size_t alignment) {
    if (next_stop.load() != nullptr) {
        if (door* const stop = next_stop.exchange(nullptr)) {
            stop->pass();
        }
    }
    [[maybe_unused]] const bool left = is_left();
    ++allocations; // Now: who waits for that may let all others have memory again.
    allocated += static_cast<long>(size);
#if REGATTA_EXCEPTIONS
    if (!left) {
        if (auto* const call = before_failing.exchange(nullptr)) {
            call();
        }
        throw std::bad_alloc();
    }
#endif
#if REGATTA_WINDOWS
    void* const memory = ::_aligned_malloc(size, alignment);
#else
    // aligned_alloc takes multiples of the alignment.
    void* const memory =
        std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
#endif
    if (memory == nullptr) {
#if REGATTA_EXCEPTIONS
        throw std::bad_alloc();
#else
        std::abort();
#endif
    }
    return memory;
}

/// Out of line: where it is not, compilers take the `free` in it for a mismatch.
[[gnu::noinline]] inline void release(void* memory) noexcept {
#if REGATTA_WINDOWS
    ::_aligned_free(memory);
#else
    std::free(memory);
#endif
}

/// How many allocations `f` makes, on all threads.
template<class F>
long count(F&& f) {
    const long before = allocations.load();
    f();
    return allocations.load() - before;
}

/// How many bytes `f` asks for, on all threads.
template<class F>
long count_bytes(F&& f) {
    const long before = allocated.load();
    f();
    return allocated.load() - before;
}

} // namespace library_test

void* operator new(std::size_t size) {
    return library_test::allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return library_test::allocate(size, static_cast<std::size_t>(alignment));
}
// None from a sanitizer: it would not count, or miss its own release.
void* operator new[](std::size_t size) {
    return ::operator new(size);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return ::operator new(size, alignment);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    REGATTA_TRY {
        return ::operator new(size);
    }
    REGATTA_CATCH_ALL {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept {
    library_test::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    library_test::release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    library_test::release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    library_test::release(memory);
}
void operator delete[](void* memory) noexcept {
    library_test::release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    library_test::release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    library_test::release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    library_test::release(memory);
}
