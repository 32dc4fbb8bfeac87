// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The state that a task and its future share, with the result and the closure.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/future_state.hpp>
#include <regatta/core/task_errors.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// A future's state with the result in it, or the exception.
template<class R>
class result_state : public future_state {
public:
    /// Whether the closure threw. Only for a complete task.
    bool has_error() const noexcept { return content_ == content::error; }
    /// Moves the exception out, once.
    std::exception_ptr take_error() noexcept { return std::move(error_); }
    /// Moves the result out, once.
    R take() {
        if constexpr (std::is_reference_v<R>) {
            return static_cast<R>(*value_);
        } else if constexpr (!std::is_void_v<R>) {
            return std::move(value_);
        }
    }
    /// Returns the result or throws the exception or `task_cancelled`, once.
    R get() {
        if (cancelled()) {
            fail_cancelled();
        }
        if (has_error()) {
            std::rethrow_exception(take_error());
        }
        return take();
    }

protected:
    result_state(block_store& store, std::stop_token stop, bool chained) noexcept
        : future_state(store, std::move(stop), chained) {}
    ~result_state() {
        if (content_ == content::value) {
            std::destroy_at(std::addressof(value_));
        } else if (content_ == content::error) {
            std::destroy_at(std::addressof(error_));
        }
    }

    /// Stores the result of `f()`, or its exception.
    template<class F>
    void keep(F&& f) noexcept {
        REGATTA_TRY {
            if constexpr (std::is_void_v<R>) {
                std::forward<F>(f)();
            } else if constexpr (std::is_reference_v<R>) {
                R result = std::forward<F>(f)();
                value_ = std::addressof(result);
            } else {
                ::new (static_cast<void*>(std::addressof(value_))) R(std::forward<F>(f)());
            }
            content_ = content::value;
        }
        REGATTA_CATCH_ALL {
            keep_error(std::current_exception());
        }
    }
    void keep_error(std::exception_ptr error) noexcept {
        std::construct_at(std::addressof(error_), std::move(error));
        content_ = content::error;
    }

private:
    struct none {};
    using stored = std::conditional_t<
        std::is_void_v<R>, none,
        std::conditional_t<std::is_reference_v<R>, std::add_pointer_t<R>, std::remove_cv_t<R>>>;

    union {
        stored value_;
        std::exception_ptr error_;
    };
};

/// A block of a store for one object, which returns to the store unless the object is made.
template<class T>
class spare_block {
public:
    explicit spare_block(block_store& store)
        : store_(store)
        , block_(store.take(sizeof(T), alignof(T))) {}
    spare_block(const spare_block&) = delete;
    spare_block& operator=(const spare_block&) = delete;
    ~spare_block() {
        if (block_ != nullptr) {
            store_.give_back(block_, sizeof(T), alignof(T));
        }
    }

    /// Constructs the object, once. `destroy_in_block` ends it and returns the block.
    template<class... Args>
    T* make(Args&&... args) {
        T* const made = ::new (block_) T(store_, std::forward<Args>(args)...);
        block_ = nullptr;
        return made;
    }

private:
    block_store& store_;
    void* block_;
};

/// Constructs an object in a block of a store. `destroy_in_block` ends it and returns the block.
template<class T, class... Args>
T* make_in_block(block_store& store, Args&&... args) {
    return spare_block<T>(store).make(std::forward<Args>(args)...);
}
template<class T>
void destroy_in_block(T* object, block_store& store) noexcept {
    std::destroy_at(object);
    store.give_back(object, sizeof(T), alignof(T));
}

/// A result of type `T` as a state keeps it: one that is const or an rvalue reference by value.
/// What such a reference names, as a member of an argument of the task, ends before the result is
/// taken.
template<class T>
using kept_result_t = std::conditional_t<std::is_lvalue_reference_v<T>, T, std::remove_cvref_t<T>>;

/// The result of a task's closure: called with the task's stop token if it takes one.
template<class F, bool TakesToken = std::is_invocable_v<F, std::stop_token>>
struct task_result : std::invoke_result<F, std::stop_token> {};
template<class F>
struct task_result<F, false> : std::invoke_result<F> {};
template<class F>
using task_result_t = kept_result_t<typename task_result<F>::type>;

/// The state of a task with its closure. Who derives from it disposes of it.
template<class F>
class closure_state : public result_state<task_result_t<F>> {
public:
    using result = task_result_t<F>;

protected:
    /// @param chained as of `future_state`.
    template<class G>
    closure_state(block_store& store, std::stop_token stop, bool chained, G&& closure)
        : result_state<result>(store, std::move(stop), chained)
        , closure_(std::forward<G>(closure)) {}
    ~closure_state() {}

private:
    future_state::outcome run() noexcept override {
        this->keep([this]() -> result {
            if constexpr (std::is_invocable_v<F, std::stop_token>) {
                return std::invoke(std::move(closure_), this->stop());
            } else {
                return std::invoke(std::move(closure_));
            }
        });
        drop_closure();
        return future_state::outcome::done;
    }
    void drop_closure() noexcept override { std::destroy_at(std::addressof(closure_)); }

    union { // The closure ends before the state does.
        F closure_;
    };
};

/// The state of a task that an executor was given.
template<class F>
class task_state final : public closure_state<F> {
public:
    template<class G>
    task_state(block_store& store, std::stop_token stop, G&& closure)
        : closure_state<F>(store, std::move(stop), false, std::forward<G>(closure)) {}

private:
    void dispose() noexcept override { destroy_in_block(this, this->store()); }
};

/// The result of a continuation: called with the result of the task, or with nothing if that is
/// void.
template<class R, class F>
struct continuation_result : std::invoke_result<F, R> {};
template<class F>
struct continuation_result<void, F> : std::invoke_result<F> {};
/// A continuation of the library itself that sees every end, errors and cancellations included. It
/// is called with the state.
template<class F>
concept sees_every_end = requires {
    typename F::sees_every_end;
};
template<class R, sees_every_end F>
struct continuation_result<R, F> {
    using type = void;
};
template<sees_every_end F>
struct continuation_result<void, F> {
    using type = void;
};
template<class R, class F>
using continuation_result_t = kept_result_t<typename continuation_result<R, F>::type>;

/// A continuation whose job the calling thread is handing to an executor, from construction to
/// destruction.
///
/// Threads: the one that hands over; `of` any.
class job_hand_over {
public:
    explicit job_hand_over(const future_state& continuation) noexcept
        : continuation_(&continuation)
        , outer_(std::exchange(innermost(), this)) {}
    job_hand_over(const job_hand_over&) = delete;
    job_hand_over& operator=(const job_hand_over&) = delete;
    ~job_hand_over() { innermost() = outer_; }

    /// The hand-over of a continuation's job, if it is the innermost of the calling thread; else
    /// null. @param which perhaps over. Then another one may stand at its address, for another
    /// continuation; or another continuation at the address of that one, with another hand-over.
    static job_hand_over* of(const future_state& continuation,
                             const job_hand_over* which) noexcept {
        job_hand_over* const mine = innermost();
        return mine != nullptr && mine == which && mine->continuation_ == &continuation ? mine
                                                                                        : nullptr;
    }

    future_state* after = nullptr; ///< The continuation of that one, if the job was refused.

private:
    static job_hand_over*& innermost() noexcept {
        static constinit thread_local job_hand_over* own = nullptr;
        return own;
    }

    const future_state* const continuation_;
    job_hand_over* const outer_;
};

/// The state of a continuation. It owns the future's side of the task that it continues. `Executor`
/// is void if the continuation runs where that task completes.
template<class R, class F, class Executor>
class continuation_state final : public result_state<continuation_result_t<R, F>> {
public:
    using result = continuation_result_t<R, F>;

    template<class G>
    continuation_state(block_store& store, result_state<R>& source, Executor* executor, G&& closure)
        : result_state<result>(store, {}, true)
        , source_(&source)
        , executor_(executor)
        , pool_(pool_of(store, executor))
        , closure_(std::forward<G>(closure)) {}
    ~continuation_state() {}

    /// Ends this, which nobody else knows, and leaves the task that it was to continue alone.
    void withdraw() noexcept {
        std::destroy_at(std::addressof(closure_));
        dispose();
    }

private:
    future_state::outcome run() noexcept override {
        result_state<R>& source = *leave_chain();
        auto how = future_state::outcome::done;
        if constexpr (sees_every_end<F>) {
            closure_(source);
        } else if (source.cancelled()) {
            how = future_state::outcome::cancelled;
        } else if (source.has_error()) {
            this->keep_error(source.take_error());
        } else {
            this->keep([&]() -> result {
                if constexpr (std::is_void_v<R>) {
                    return std::invoke(std::move(closure_));
                } else {
                    return std::invoke(std::move(closure_), source.take());
                }
            });
        }
        std::destroy_at(std::addressof(closure_));
        source.leave_as_future();
        return how;
    }
    void drop_closure() noexcept override {
        result_state<R>* const source = leave_chain();
        std::destroy_at(std::addressof(closure_));
        source->leave_as_future();
    }
    void dispose() noexcept override { destroy_in_block(this, this->store()); }

    const void* pool() const noexcept override { return pool_; }
    const future_state* source() const noexcept override { return source_; }
    bool hand_over(future_state*& after) noexcept override {
        if constexpr (std::is_void_v<Executor>) {
            return future_state::hand_over(after);
        } else {
            if (!this->begin_hand_over([this] { return skips(); })) {
                return false; // The executor may be gone.
            }
            job_hand_over mine(*this);
            hand_over_ = &mine;
            REGATTA_TRY {
                executor_->execute(future_job(*this));
            }
            REGATTA_CATCH_ALL {
                // Refused: the job was destroyed, which cancelled this continuation.
            }
            after = mine.after;
            return true;
        }
    }
    future_state** place_after_hand_over() noexcept override {
        job_hand_over* const mine = job_hand_over::of(*this, hand_over_);
        return mine != nullptr ? &mine->after : nullptr;
    }

    /// The pool whose workers run this. An executor with `home()` names it; any other counts as the
    /// pool itself.
    static const void* pool_of(const block_store& store, const Executor* executor) noexcept {
        if constexpr (std::is_void_v<Executor>) {
            return store.pool();
        } else if constexpr (requires(const Executor& e) { e.home(); }) {
            return executor != nullptr ? executor->home() : nullptr;
        } else {
            return executor;
        }
    }

    /// Whether the closure is not to be called: this is cancelled, or the task, which is complete,
    /// has no result. Requires the lock on links: whoever cancels this takes the task away under it
    /// before it lets go of it.
    bool skips() const noexcept {
        if (this->claimed() || source_ == nullptr) {
            return true;
        }
        return !sees_every_end<F> && (source_->cancelled() || source_->has_error());
    }
    /// Unlinks the task that this continues. From here on only the caller knows it.
    result_state<R>* leave_chain() noexcept {
        const std::lock_guard lock(this->store().links().lock);
        this->move_waiters_from(*source_);
        return std::exchange(source_, nullptr);
    }

    result_state<R>* source_; ///< Guarded by the lock on links.
    Executor* const executor_;
    /// Of its job; perhaps over. Written before the executor gets the job, read by its holder.
    const job_hand_over* hand_over_ = nullptr;
    const void* const pool_;
    union { // The closure ends before the state does.
        F closure_;
    };
};

} // namespace regatta::detail
