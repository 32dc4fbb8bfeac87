// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A move-only callable that keeps small closures inside itself.

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace regatta {

/// How large a closure stays inside a task by default, in bytes.
inline constexpr std::size_t inline_task_capacity = 48;

template<class Signature, std::size_t Capacity = inline_task_capacity>
class inline_task;

/// Owns one callable of any type that can be called as `R(Args...)`.
///
/// Unlike `std::function` it takes move-only closures; unlike `std::move_only_function` it is
/// C++20. It defines which closures stay inside: up to `Capacity` bytes, aligned to at most
/// `std::max_align_t`, with a move that cannot throw.
///
/// Threads: as a plain value.
/// Failure: calling an empty task is undefined; test it first. Larger closures allocate once, at
/// construction, and may throw `std::bad_alloc` there.
/// Cost: a call is one indirect call, and so is a move.
template<class R, class... Args, std::size_t Capacity>
class inline_task<R(Args...), Capacity> {
public:
    /// Whether a closure of type `F` stays inside, without an allocation.
    template<class F>
    static constexpr bool fits_inline =
        sizeof(F) <= Capacity &&
        alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;

    /// Empty.
    inline_task() noexcept = default;

    template<class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, inline_task> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...> &&
             std::is_constructible_v<std::decay_t<F>, F>)
        inline_task(F&& f) { // NOLINT: implicit, as std::function is
        using closure = std::decay_t<F>;
        if constexpr (fits_inline<closure>) {
            ::new (static_cast<void*>(storage_)) closure(std::forward<F>(f));
            operations_ = &inline_operations<closure>;
        } else {
            ::new (static_cast<void*>(storage_)) closure*(new closure(std::forward<F>(f)));
            operations_ = &heap_operations<closure>;
        }
    }

    inline_task(inline_task&& other) noexcept : operations_(other.operations_) {
        if (operations_ != nullptr) {
            operations_->relocate(other.storage_, storage_);
            other.operations_ = nullptr;
        }
    }

    inline_task& operator=(inline_task&& other) noexcept {
        if (this != &other) {
            const inline_task old(std::move(*this)); // Its destructor may assign to this one.
            std::construct_at(this, std::move(other));
        }
        return *this;
    }

    ~inline_task() {
        if (operations_ != nullptr) {
            operations_->destroy(storage_);
        }
    }

    /// Whether it holds a callable.
    explicit operator bool() const noexcept { return operations_ != nullptr; }

    R operator()(Args... args) { return operations_->call(storage_, std::forward<Args>(args)...); }

private:
    /// A number or a pointer stays in its register.
    template<class Arg>
    using passed = std::conditional_t<std::is_scalar_v<Arg>, Arg, Arg&&>;

    struct operations {
        R (*call)(void*, passed<Args>...);
        void (*relocate)(void* from, void* to) noexcept;
        void (*destroy)(void*) noexcept;
    };

    template<class F>
    static constexpr operations inline_operations{
        [](void* at, passed<Args>... args) -> R {
            return static_cast<R>(std::invoke(*static_cast<F*>(at), std::forward<Args>(args)...));
        },
        [](void* from, void* to) noexcept {
            ::new (to) F(std::move(*static_cast<F*>(from)));
            static_cast<F*>(from)->~F();
        },
        [](void* at) noexcept { static_cast<F*>(at)->~F(); }};

    template<class F>
    static constexpr operations heap_operations{
        [](void* at, passed<Args>... args) -> R {
            return static_cast<R>(std::invoke(**static_cast<F**>(at), std::forward<Args>(args)...));
        },
        [](void* from, void* to) noexcept { ::new (to) F*(*static_cast<F**>(from)); },
        [](void* at) noexcept { delete *static_cast<F**>(at); }};

    static constexpr std::size_t storage_size = Capacity < sizeof(void*) ? sizeof(void*) : Capacity;

    alignas(std::max_align_t) std::byte storage_[storage_size];
    const operations* operations_ = nullptr;
};

} // namespace regatta
