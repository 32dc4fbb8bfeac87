// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The subscribers of one message type.

#include <regatta/base/inline_task.hpp>
#include <regatta/sync/atomics.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// A fixed number of places for handlers of one message type, which they alone know: so the tables
/// of all types are one type. The bus's consumer calls the handlers while other threads add and
/// remove some.
///
/// Threads: `dispatch`, `release_left` and `admit` by the consumer; `claim`, `generation` and
/// `retire` by any. These three and `admit` need the bus's registration lock. `fill` and `release`
/// by the thread to which the place belongs, `release` only while the consumer is known not to be
/// in `dispatch`.
/// Blocks: never. No handler is called or destroyed under the lock.
///
/// I1: a handler is called only between its `fill` and its `retire`, and never during its
///     construction or destruction.
template<class Atomics>
class basic_handler_table {
public:
    /// Called with the address of the message.
    using handler = inline_task<void(void*)>;

    /// A handler that calls `f` with a message of type `T`.
    template<class T, class F>
    static handler of(F&& f) {
        return [call = std::decay_t<F>(std::forward<F>(f))](void* message) mutable {
            static_cast<void>(std::invoke(call, *static_cast<T*>(message)));
        };
    }

    explicit basic_handler_table(std::size_t places)
        : places_(std::make_unique<place[]>(places))
        , size_(places) {}

    /// Takes a free place, which belongs to the caller until `fill`.
    /// @returns its index, or `npos` if no place is free.
    std::size_t claim() noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            place& at = places_[i];
            // acquire: partner is the release in release(); the old handler has been moved out.
            if (at.state.load(std::memory_order_acquire) == free) {
                // relaxed: keeps out others that hold the lock, and says nothing to the consumer.
                at.state.store(filling, std::memory_order_relaxed);
                ++at.generation;
                if (i + 1 > used_.load(std::memory_order_relaxed)) {
                    // relaxed: an upper bound of the search; `state` tells which places are used.
                    used_.store(i + 1, std::memory_order_relaxed);
                }
                return i;
            }
        }
        return npos;
    }
    /// Moves a handler into the place that the caller claimed. Without the lock: the move is user
    /// code. @param by_consumer whether the consumer adds it, perhaps within `dispatch`; then it is
    /// called only after the next `admit`.
    void fill(std::size_t i, handler&& h, bool by_consumer = false) noexcept {
        places_[i].call = std::move(h);
        // release: partner is the acquire in dispatch(); publishes the handler.
        places_[i].state.store(by_consumer ? joining : active, std::memory_order_release);
    }

    std::uint32_t generation(std::size_t i) const noexcept { return places_[i].generation; }

    /// Ends the calls of a handler. @param by_consumer whether `release_left` takes the handler
    /// out, instead of the caller's `release`. @returns false if it is not subscribed.
    bool retire(std::size_t i, std::uint32_t generation, bool by_consumer) noexcept {
        if (i >= size_ || places_[i].generation != generation ||
            !subscribed(places_[i].state.load(std::memory_order_relaxed))) {
            return false;
        }
        // relaxed: the asymmetric fence that follows in the bus orders it. Partner: dispatch.
        places_[i].state.store(by_consumer ? left : retired, std::memory_order_relaxed);
        return true;
    }

    /// Takes out the handler that the caller retired, without the lock: that is user code, too. The
    /// consumer must be known not to run it.
    handler release(std::size_t i) noexcept {
        handler old = std::move(places_[i].call);
        // release: partner is the acquire in claim().
        places_[i].state.store(free, std::memory_order_release);
        return old;
    }

    /// Consumer: `release` of any one handler that was left to it; empty if there is none.
    handler release_left() noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            if (places_[i].state.load(std::memory_order_relaxed) == left) {
                return release(i);
            }
        }
        return {};
    }

    /// Takes out one handler, in whatever state it is. Empty if there is none. No other thread may
    /// use the table any more.
    handler release_any() noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            if (places_[i].state.load(std::memory_order_relaxed) != free) {
                return release(i);
            }
        }
        return {};
    }

    /// In a fork of the process whose consumer was in a batch: leaves the handlers alone for good.
    /// After it nothing but the destructor may be called.
    void abandon() noexcept { static_cast<void>(places_.release()); }

    /// Consumer, not within `dispatch`: activates the handlers that it added since the last call.
    void admit() noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            if (places_[i].state.load(std::memory_order_relaxed) == joining) {
                // relaxed: the consumer built the handler itself, and only it calls it.
                places_[i].state.store(active, std::memory_order_relaxed);
            }
        }
    }

    /// Calls every active handler, also if one of them throws. Throws the first exception.
    /// @returns whether there was one.
    bool dispatch(void* message) { return dispatch_from(0, message); }

    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

private:
    /// A `filling` or `retired` place belongs to the thread that claimed or retired it; a `left` or
    /// `joining` one to the consumer.
    enum : std::uint32_t { free, filling, active, retired, left, joining };

    /// Calls the handlers from that place on.
    REGATTA_INLINE bool dispatch_from(std::size_t first, void* message) {
        bool any = false;
        // relaxed: an upper bound of the search; `state` tells which places are used.
        const std::size_t used = used_.load(std::memory_order_relaxed);
        for (std::size_t i = first; i < used; ++i) {
            // acquire: partner is the release in fill(); the handler is built.
            if (places_[i].state.load(std::memory_order_acquire) == active) {
                REGATTA_TRY {
                    places_[i].call(message);
                }
                REGATTA_CATCH_ALL {
                    dispatch_rest(i + 1, message);
                    REGATTA_RETHROW;
                }
                any = true;
            }
        }
        return any;
    }

    /// The same; drops what they throw.
    REGATTA_RARE void dispatch_rest(std::size_t first, void* message) noexcept {
        REGATTA_TRY {
            dispatch_from(first, message);
        }
        REGATTA_CATCH_ALL {}
    }

    static bool subscribed(std::uint32_t state) noexcept {
        return state == active || state == joining;
    }

    struct place {
        /// Claimed and retired under the registration lock, otherwise written by whom the place
        /// belongs to; read by the consumer.
        typename Atomics::template atomic<std::uint32_t> state{free};
        std::uint32_t generation = 0; ///< Distinguishes successive subscriptions in one place.
        handler call;
    };

    std::unique_ptr<place[]> places_; ///< Null only after `abandon`.
    const std::size_t size_;
    /// One more than the highest place ever used. Written under the lock, read by the consumer.
    typename Atomics::template atomic<std::size_t> used_{0};
};

/// The handler table of real programs.
using handler_table = basic_handler_table<std_atomics>;

} // namespace regatta::detail
