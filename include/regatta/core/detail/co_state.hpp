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

namespace regatta::detail {

/// The state of a coroutine's future. Whoever runs the coroutine puts the result in, then calls the
/// job, which makes the future ready.
template<class R>
class co_state final : public result_state<R> {
public:
    explicit co_state(block_store& store) noexcept : result_state<R>(store, {}, false) {}

    // One of them, once, before the call of the job.
    using result_state<R>::keep;
    using result_state<R>::keep_error;

private:
    future_state::outcome run() noexcept override { return future_state::outcome::done; }
    void drop_closure() noexcept override {}
    void dispose() noexcept override { destroy_in_block(this, this->store()); }
};

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
