// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/function_registry.hpp"

#include <regatta/process/detail/process_function.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace regatta::detail {
namespace {

/// Constant-initialised, because functions are added before `main`.
constinit process_function* first_function = nullptr;
constinit std::mutex functions_lock;
constinit std::uint64_t noted_hash = 0; ///< Under the lock.
/// How many functions have left the registry. Relaxed: the thread that unloads a module orders it.
constinit std::atomic<unsigned> removals{0};

/// Under the lock: marks a function, and those in the registry that cannot be told from it.
void mark_others(process_function& one) noexcept {
    for (process_function* f = first_function; f != nullptr; f = f->next) {
        if (f->id == one.id && f->call != one.call) {
            f->ambiguous = one.ambiguous = true;
        }
    }
}

} // namespace

bool add_process_function(process_function& added) noexcept {
    const std::lock_guard lock(functions_lock);
    mark_others(added);
    added.next = first_function;
    first_function = &added;
    return true;
}

void remove_process_function(process_function& removed) noexcept {
    const std::lock_guard lock(functions_lock);
    process_function** place = &first_function;
    while (*place != nullptr && *place != &removed) {
        place = &(*place)->next;
    }
    if (*place != nullptr) {
        *place = removed.next;
        removals.fetch_add(1, std::memory_order_relaxed);
    }
    for (process_function* f = removed.ambiguous ? first_function : nullptr; f != nullptr;
         f = f->next) {
        if (f->id == removed.id) {
            f->ambiguous = false;
            mark_others(*f);
        }
    }
}

unsigned removed_process_functions() noexcept {
    return removals.load(std::memory_order_relaxed);
}

process_function* find_process_function(std::uint64_t id) noexcept {
    const std::lock_guard lock(functions_lock);
    process_function* found = first_function;
    while (found != nullptr && found->id != id) {
        found = found->next;
    }
    return found;
}

void note_process_functions() noexcept {
    const std::lock_guard lock(functions_lock);
    std::uint64_t hash = 0;
    for (const process_function* f = first_function; f != nullptr; f = f->next) {
        hash += (f->id | 1) * 0x9e3779b97f4a7c15u;
    }
    noted_hash = hash;
}

std::uint64_t hash_of_process_functions() noexcept {
    const std::lock_guard lock(functions_lock);
    return noted_hash;
}

} // namespace regatta::detail
