// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A task in the cell of a queue: constructed and run in place, never moved.

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// The bytes beside a cell for a closure that does not fit into the cell.
inline constexpr std::size_t task_room_size = 256;

/// A closure that reports whether it ran: its call returns false if it was cancelled.
template<class F>
concept says_whether_it_ran = requires {
    typename F::says_whether_it_ran;
};

/// A closure that can tell that it has nothing to do any more, and then what its call returns.
template<class F>
concept may_be_over = requires(const F& f) {
    { f.over() }
    noexcept;
    { f.ran() }
    noexcept;
};

/// One closure in a cell of 64 bytes, or beside it.
///
/// Exactly one of `run` and `drop` must be called, once. They end the closure's life; the
/// destructor does not. So a cell whose task has run need not be written again.
/// Threads: as a plain value.
/// Cost: one indirect call; no allocation.
class task_slot {
public:
    /// The largest closure that is stored in the cell itself.
    static constexpr std::size_t inline_size = 48;

    template<class F>
    static constexpr bool
        fits_cell = sizeof(F) <= inline_size &&
                    alignof(F) <= alignof(void*) && std::is_nothrow_move_constructible_v<F>;
    template<class F>
    static constexpr bool fits_room =
        sizeof(F) <= task_room_size &&
        alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;

    /// @param room storage for a closure that does not fit into the cell, until the closure ends;
    /// null if it fits.
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

    /// Runs the closure and destroys it, even if it throws.
    /// @returns whether it ran; false if it was cancelled.
    bool run() { return calls_->run(storage_); }

    /// Whether the closure has nothing to do any more: `run` and `drop` do the same.
    bool over() const noexcept { return calls_->over != nullptr && calls_->over(storage_); }
    /// What `run` returns. Only if it is `over`.
    bool ran() const noexcept { return calls_->ran(storage_); }

    /// Destroys the closure unrun. @returns true only if the closure reports that it ran before.
    bool drop() noexcept { return calls_->drop(storage_); }

private:
    struct calls {
        bool (*run)(void* storage);
        bool (*drop)(void* storage) noexcept;
        bool (*over)(const void* storage) noexcept; ///< Null: never.
        bool (*ran)(const void* storage) noexcept;  ///< Null likewise.
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
            static_cast<void>(end.closure());
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
        closure.~F(); // Not by its address, whose operator `F` may have made another.
        return ran;
    }
    template<class F>
    static bool over_in(const void* storage) noexcept {
        return std::launder(static_cast<const F*>(storage))->over();
    }
    template<class F>
    static bool ran_in(const void* storage) noexcept {
        return std::launder(static_cast<const F*>(storage))->ran();
    }
    template<class F, bool InRoom>
    static constexpr calls make_calls() noexcept {
        calls made{&run_in<F, InRoom>, &drop_in<F, InRoom>, nullptr, nullptr};
        if constexpr (may_be_over<F> && fits_cell<F>) {
            made.over = &over_in<F>;
            made.ran = &ran_in<F>;
        }
        return made;
    }
    template<class F, bool InRoom>
    static constexpr calls calls_of = make_calls<F, InRoom>();

    const calls* calls_;
    alignas(void*) std::byte storage_[inline_size];
};

} // namespace regatta::detail
