// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Counts the calls of the heap: operator new is replaced in the whole program.

#include "pools_case.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

/// Written before and after a count, read by every allocation: the line stays shared, so that
/// samples that are timed pay a load.
std::atomic<bool> counting{false};
/// Written by every allocation while `counting`.
std::atomic<std::size_t> calls{0};

void* allocate(std::size_t size, std::size_t alignment) {
    if (counting.load(std::memory_order_relaxed)) [[unlikely]] {
        calls.fetch_add(1, std::memory_order_relaxed);
    }
    const std::size_t bytes = size == 0 ? 1 : size;
    void* got =
        alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
            ? std::malloc(bytes)
            : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (got == nullptr) {
        throw std::bad_alloc();
    }
    return got;
}

} // namespace

void* operator new(std::size_t size) {
    return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace regatta::bench {

std::size_t heap_calls_during(const std::function<void()>& f) {
    calls.store(0);
    counting.store(true);
    f();
    counting.store(false);
    return calls.load();
}

} // namespace regatta::bench
