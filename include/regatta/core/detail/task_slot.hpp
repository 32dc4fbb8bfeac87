// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A task in the cell of a queue: built there, run there, never moved.

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Bytes beside a cell for closures that do not fit into it.
inline constexpr std::size_t task_room_size = 256;

/// A closure that says itself whether it ran: its call returns false if it had been called off.
template<class F>
concept says_whether_it_ran = requires {
    typename F::says_whether_it_ran;
};

/// One closure in a cell of 64 bytes, or beside it.
///
/// Either `run` or `drop` is called, once; they end the closure's life, not the destructor, so that
/// a cell whose task has run need not be written again. Threads: as a plain value. Cost: one
/// indirect call; no allocation.
class task_slot {
public:
    /// How large a closure is kept in the cell itself.
    static constexpr std::size_t inline_size = 48;

    template<class F>
    static constexpr bool
        fits_cell = sizeof(F) <= inline_size &&
                    alignof(F) <= alignof(void*) && std::is_nothrow_move_constructible_v<F>;
    template<class F>
    static constexpr bool fits_room =
        sizeof(F) <= task_room_size &&
        alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;

    /// @param room as many bytes as it has that are the closure's until it ends; null if it fits
    /// the cell.
    template<class F>
    task_slot(F&& closure, void* room) noexcept {
        using function = std::remove_cvref_t<F>;
        static_assert(!std::is_reference_v<F> && !std::is_const_v<F>);
        static_assert(fits_cell<function> || fits_room<function>);
        if constexpr (fits_cell<function>) {
            ::new (static_cast<void*>(storage_)) function(std::move(closure));
            calls_ = &calls_of<function, false>;
        } else {
            ::new (room) function(std::move(closure));
            ::new (static_cast<void*>(storage_)) void*(room);
            calls_ = &calls_of<function, true>;
        }
    }
    task_slot(const task_slot&) = delete;
    task_slot& operator=(const task_slot&) = delete;

    /// Runs the closure and destroys it, also if it throws.
    /// @returns whether it ran; false if it had been called off.
    bool run() { return calls_->run(storage_); }

    /// Destroys the closure unrun. @returns false; true if it says that it ran before.
    bool drop() noexcept { return calls_->drop(storage_); }

private:
    struct calls {
        bool (*run)(void* storage);
        bool (*drop)(void* storage) noexcept;
    };

    template<class F, bool InRoom>
    static F& closure_in(void* storage) noexcept {
        if constexpr (InRoom) {
            storage = *static_cast<void**>(storage);
        }
        return *std::launder(static_cast<F*>(storage));
    }

    template<class F, bool InRoom>
    static bool run_in(void* storage) {
        struct end_of_life {
            F& closure;
            ~end_of_life() { closure.~F(); }
        } end{closure_in<F, InRoom>(storage)};
        if constexpr (says_whether_it_ran<F>) {
            return static_cast<bool>(end.closure());
        } else {
            end.closure();
            return true;
        }
    }
    template<class F, bool InRoom>
    static bool drop_in(void* storage) noexcept {
        F& closure = closure_in<F, InRoom>(storage);
        bool ran = false;
        if constexpr (says_whether_it_ran<F> && requires { ran = closure.drop(); }) {
            ran = closure.drop();
        }
        std::destroy_at(&closure);
        return ran;
    }
    template<class F, bool InRoom>
    static constexpr calls calls_of{&run_in<F, InRoom>, &drop_in<F, InRoom>};

    const calls* calls_;
    alignas(void*) std::byte storage_[inline_size];
};

} // namespace regatta::detail
