// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a fork that another thread has done.

#include <regatta/base/config.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// A place for the result or exception of a call of type `R`. Costs nothing until it is filled.
///
/// Threads: one at a time.
template<class R>
class fork_result {
public:
    using value_type =
        std::conditional_t<std::is_void_v<R>, char,
                           std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*,
                                              std::remove_cv_t<R>>>;

    fork_result() noexcept {}
    fork_result(const fork_result&) = delete;
    fork_result& operator=(const fork_result&) = delete;
    ~fork_result() {}

    /// Calls `f` and keeps what becomes of it.
    template<class F>
    void fill(F&& f) noexcept {
        failed_ = false;
        REGATTA_TRY {
            if constexpr (std::is_void_v<R>) {
                std::forward<F>(f)();
            } else if constexpr (std::is_reference_v<R>) {
                value_ = std::addressof(static_cast<std::remove_reference_t<R>&>(
                    *std::addressof(as_lvalue(std::forward<F>(f)()))));
            } else {
                ::new (static_cast<void*>(std::addressof(value_))) value_type(std::forward<F>(f)());
            }
        }
        REGATTA_CATCH_ALL {
            failed_ = true;
            std::construct_at(std::addressof(error_), std::current_exception());
        }
    }
    /// Takes the result out, or throws the exception. Once, after `fill`.
    R take() {
        if (failed_) [[unlikely]] {
            rethrow();
        }
        if constexpr (std::is_reference_v<R>) {
            return static_cast<R>(*value_);
        } else if constexpr (!std::is_void_v<R>) {
            const dying own{*this};
            return std::move(value_);
        }
    }
    /// Destroys what is there, after `fill`.
    REGATTA_RARE void drop() noexcept {
        if (failed_) {
            std::destroy_at(std::addressof(error_));
        } else if constexpr (!std::is_void_v<R>) {
            std::destroy_at(std::addressof(value_));
        }
    }

private:
    struct dying {
        fork_result& result;
        ~dying() { std::destroy_at(std::addressof(result.value_)); }
    };
    template<class T>
    static T& as_lvalue(T&& value) noexcept {
        return value;
    }
    [[noreturn]] REGATTA_RARE void rethrow() {
        const std::exception_ptr error = std::move(error_);
        std::destroy_at(std::addressof(error_));
        std::rethrow_exception(error);
    }

    union {
        value_type value_;
        std::exception_ptr error_;
    };
    bool failed_;
};

} // namespace regatta::detail
