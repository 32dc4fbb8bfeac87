// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A future whose result comes from elsewhere than a task.

#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/co_state.hpp>
#include <regatta/core/detail/coroutine_chain.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/future.hpp>

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

namespace regatta {

/// The other end of a `future`, as `std::promise` is of a `std::future`: for a result that a
/// callback of the system or of another library brings, which no task computes.
///
/// ```cpp
/// regatta::future<std::string> read(connection& from) {
///     regatta::promise<std::string> text;
///     auto later = text.get_future();
///     from.on_text([text = std::move(text)](std::string t) mutable { text.set_value(t); });
///     return later; // get(), then(pool, f), co_await std::move(later)
/// }
/// ```
///
/// What continues the future without an executor, and a coroutine that awaits it, run in
/// `set_value`, on top of it. A promise that is destroyed unset cancels the future. A task of a
/// pool that waits for the future blocks its worker, perhaps the one that would set it: continue
/// the future there, or await it.
///
/// Threads: one at a time; the future is another thread's as it likes.
/// Blocks: never, but for what runs in `set_value`.
/// Failure: `set_value`, `set_exception` and `get_future` throw `std::logic_error` when called once
/// more. `std::bad_alloc` of the constructor.
/// Cost: a recycled block, and a few atomic operations.
template<class R>
requires std::same_as<R, detail::kept_result_t<R>>
class promise {
    using state = detail::co_state<R, detail::no_coroutine>;

public:
    promise()
        : promise(*detail::make_in_block<state>(detail::co_store(), detail::no_coroutine())) {}

    /// The future, once.
    future<R> get_future() {
        if (!later_.valid()) {
            fail_state("promise::get_future: the future was taken before");
        }
        return std::move(later_);
    }

    /// Makes the future ready with `R(args...)`; without arguments if `R` is void. What the
    /// construction throws is the future's exception.
    template<class... Args>
    requires(std::is_void_v<R>
                 ? sizeof...(Args) == 0
                 : std::is_constructible_v<R, Args...>) void set_value(Args&&... args) {
        set([&](state& mine) {
            mine.keep([&]() -> R {
                if constexpr (!std::is_void_v<R>) {
                    return R(std::forward<Args>(args)...);
                }
            });
        });
    }
    /// Makes the future ready with an exception.
    void set_exception(std::exception_ptr error) {
        set([&](state& mine) { mine.keep_error(std::move(error)); });
    }

    /// Whether nobody wants the result any more: the future was cancelled. It may be at any time.
    /// False once it is set.
    bool cancelled() const noexcept { return job_.get() != nullptr && job_.over(); }

private:
    explicit promise(state& mine) noexcept : later_(mine), job_(mine) {}

    template<class Keep>
    void set(Keep&& keep) {
        if (job_.get() == nullptr) {
            fail_state("promise: the result was set before, or the promise was moved from");
        }
        detail::future_job job = std::move(job_); // It may be destroyed by what this continues.
        state& mine = static_cast<state&>(*job.get());
        if (mine.claim_as_job()) { // It was not cancelled.
            keep(mine);
            detail::coroutine_chain::end(std::move(job));
        }
    }

    future<R> later_;
    detail::future_job job_;
};

} // namespace regatta
