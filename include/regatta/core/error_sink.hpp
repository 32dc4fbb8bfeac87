// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The receiver of exceptions that escape from a task or a handler and that no future holds.

#include <regatta/base/config.hpp>
#include <regatta/base/inline_task.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace regatta {

/// Receives each exception that escapes from a fire-and-forget task or a timer.
///
/// The default prints the first one to stderr; its owner's statistics count them all. It never
/// swallows errors silently and never terminates. Another callable receives each exception on the
/// thread where it escaped, possibly on several threads at once. Copies share the callable. An
/// empty one, as a default constructed `std::function`, stands for the default.
///
/// Threads: the callable must be safe to call from several threads.
/// Failure: exceptions of the callable itself are ignored.
/// Cost: one allocation to construct a sink with a callable.
class error_sink {
public:
    error_sink() = default;

    template<class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, error_sink> &&
             std::is_invocable_v<std::decay_t<F>&, std::exception_ptr>) error_sink(F&& report)
        // NOLINTNEXTLINE: implicit by intent
        : report_(is_empty(report) ? nullptr
                                   : std::make_shared<callable>(std::forward<F>(report))) {}

    /// Reports one error.
    /// @param before how many errors its owner reported before this one.
    /// @param owner what reports, and `name` its name; for the default.
    void report(std::exception_ptr error, unsigned long long before, const char* owner,
                const char* name) const noexcept {
        if (report_ != nullptr) {
            REGATTA_TRY {
                (*report_)(std::move(error));
            }
            REGATTA_CATCH_ALL {}
        } else if (before == 0) {
            print(error, owner, name);
        }
    }

private:
    using callable = inline_task<void(std::exception_ptr)>;

    /// Whether there is nothing to call. A lambda, which converts to a pointer, is never asked.
    template<class F>
    static bool is_empty(const F& report) noexcept {
        if constexpr (std::is_pointer_v<F> || requires { report.operator bool(); }) {
            return !static_cast<bool>(report);
        } else {
            return false;
        }
    }

    REGATTA_RARE static void print(const std::exception_ptr& error, const char* owner,
                                   const char* name) noexcept {
#if REGATTA_EXCEPTIONS
        const auto tell = [&](const char* what) {
            const char* const quote = *name != '\0' ? "'" : "";
            std::fprintf(stderr,
                         "regatta: unhandled exception in the %s%s%s%s%s: %s (its later ones are "
                         "only counted)\n",
                         owner, *name != '\0' ? " " : "", quote, name, quote, what);
        };
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& e) {
            tell(e.what());
        } catch (...) {
            tell("of unknown type");
        }
#else
        static_cast<void>(error);
        static_cast<void>(owner);
        static_cast<void>(name);
#endif
    }

    std::shared_ptr<callable> report_; ///< Null: the default.
};

} // namespace regatta
