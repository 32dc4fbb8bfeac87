// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The future's side of a coroutine that runs by itself.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/result_state.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace regatta::detail {

/// The state of a coroutine's future, and the coroutine until it begins: so whoever cancels it
/// destroys it. Whoever begins it takes it out, puts the result in, then ends the job, which makes
/// the future ready.
template<class R, class Coroutine>
class co_state final : public result_state<R> {
public:
    co_state(block_store& store, Coroutine&& unbegun) noexcept
        : result_state<R>(store, {}, false)
        , unbegun_(std::move(unbegun)) {}

    /// The coroutine, once, for who has claimed the task.
    Coroutine take_coroutine() noexcept { return std::move(unbegun_); }

    // One of them, once, before the end of the job.
    using result_state<R>::keep;
    using result_state<R>::keep_error;

private:
    /// Never called: who claims the task to run it does that without this.
    future_state::outcome run() noexcept override { return future_state::outcome::done; }
    void drop_closure() noexcept override { unbegun_ = Coroutine(); }
    void dispose() noexcept override { destroy_in_block(this, this->store()); }

    Coroutine unbegun_; ///< Of the thread that has claimed the task.
};

/// Stands for the coroutine in the state of a `promise`, which has none.
struct no_coroutine {};

/// Where the states of coroutines' futures lie, and what continues them. It is made at first use,
/// and once more in a fork: the lock of its parent's may be held there by nobody.
REGATTA_RARE inline block_store& co_store() {
    // Not a static object of this function: a fork while another thread makes it would wait for
    // ever for that thread, which it lacks.
    static constinit std::atomic<block_cache*> made{nullptr};
    // acquire: partner is the exchange below; makes the cache visible.
    block_cache* blocks = made.load(std::memory_order_acquire);
    while (blocks == nullptr || blocks->store().elsewhere()) {
        auto more = std::make_unique<block_cache>();
        // release: partners are the acquire above and that of a failure here.
        if (made.compare_exchange_strong(blocks, more.get(), std::memory_order_release,
                                         std::memory_order_acquire)) {
            blocks = more.release();
        }
    }
    return blocks->store();
}

} // namespace regatta::detail
