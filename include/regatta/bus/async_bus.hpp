// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A message bus: any number of producers, one consumer, a closed set of message types.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/bus/bus_producer.hpp>
#include <regatta/bus/detail/handler_table.hpp>
#include <regatta/bus/detail/message_lanes.hpp>
#include <regatta/bus/message_set.hpp>
#include <regatta/core/detail/stop_notice.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/quiescence.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace regatta {

/// A message bus from many producers to one consumer, for a closed set of message types.
///
/// ```cpp
/// struct tick { int value; };
/// struct text { std::string line; };
/// regatta::async_bus<tick, text> bus;
/// bus.subscribe<tick>([](const tick& t) { use(t.value); });
/// std::jthread consumer([&](std::stop_token stop) { bus.run(stop); });
/// bus.publish(tick{42});                  // any thread
/// auto feed = bus.make_producer();        // a lane of its own: no read-modify-write
/// feed.publish(text{"hello"});
/// ```
///
/// `make_producer` gives a producer its own lane: a ring to the consumer. Producers with lanes
/// never write the same cache line, and one that floods the bus cannot keep the others out.
/// `publish` on the bus itself uses a common lane and costs one compare-and-swap. The rings hold
/// messages as tagged values. One switch dispatches on the type, and handlers get the message in
/// place. After construction only handlers allocate that do not fit into a `task`.
///
/// Threads: publishing, subscribing, `unsubscribe`, `close` and `stats` from any thread, handlers
/// included. `process_batch`, `process_with`, `run`, `wait_for` and `wait_until` from one thread at
/// a time, the consumer.
/// Blocks: `publish` as `when_full` says; `try_publish_for` and `try_publish_until`, for room.
/// `run`, `wait_for` and `wait_until` sleep while no message is queued. `unsubscribe` from another
/// thread waits for the end of the consumer's current batch. A handler may wait for a publisher
/// that waits for the room that messages before this one have left.
/// Order: messages of one producer arrive in the order in which it published them. Messages of
/// different producers have no promised order. The producer's earlier actions happen before the
/// handler.
/// Failure: misuse throws `std::logic_error` or `std::invalid_argument`. An exception of a handler
/// leaves `process_batch`, `process_with` or `run`, of several handlers of a message the first,
/// once all have been called; the message counts as processed and the bus stays usable. A publish
/// inside a handler that would block, and so wait for itself, throws `std::system_error`
/// (`resource_deadlock_would_occur`).
/// Cost: memory for `capacity * (producers + 1)` messages. In the common lane each takes whole
/// cache lines; a producer's lane has room for one segment more (docs/reference/bus.md).
template<class... Messages>
class async_bus : private detail::message_lanes<Messages...> {
    static_assert(sizeof...(Messages) > 0, "a bus needs at least one type of message");
    using lanes = detail::message_lanes<Messages...>;
    using typename lanes::set;

public:
    using options = bus_options;
    using statistics = bus_stats;

    /// A lane of this bus, for one thread that publishes much; see `make_producer`.
    using producer = bus_producer<Messages...>;

    /// Identifies one subscription; a plain value, which may outlive it.
    class subscription {
    public:
        /// Identifies no subscription.
        subscription() = default;

    private:
        friend class async_bus;
        std::size_t type_ = sizeof...(Messages);
        std::size_t place_ = 0;
        std::uint32_t generation_ = 0;
    };

    /// Throws `std::invalid_argument` for bad admission levels and for a capacity that no memory
    /// can hold, `std::bad_alloc` without memory.
    explicit async_bus(const bus_options& o = {})
        : lanes(o)
        , tables_{(static_cast<void>(sizeof(Messages)), table(o.subscribers))...} {}
    /// Destroys the handlers, then unprocessed messages. The destructors of both may still use the
    /// bus; what those of messages publish is refused. All producers and the consumer must have
    /// finished, and every `close` have returned: `run` may return before the `close` that ends it.
    /// In a child of `fork` that had been made during a batch it destroys neither.
    ~async_bus() {
        if (stamp_.elsewhere() && this->in_batch()) {
            this->abandon();
            for (table& one : tables_) {
                one.abandon();
            }
            return;
        }
        this->wait_no_more(); // Nobody will make room for what a destructor publishes.
        drop_handlers();
        this->drop_messages();
        drop_handlers(); // Those that the destructors of messages have subscribed.
    }

    using lanes::capacity;
    using lanes::close;
    using lanes::closed;
    using lanes::make_producer;
    using lanes::publish;
    using lanes::try_publish;
    using lanes::try_publish_for;
    using lanes::try_publish_until;

    /// Calls `handler` with every message of type `T` from now on, as `void(T&)` or
    /// `void(const T&)`, on the consumer's thread. Called within a handler, it takes effect with
    /// the next message. Throws `std::logic_error` if the type already has
    /// `bus_options::subscribers` handlers.
    template<class T, class Handler>
    requires(set::template contains<T>) subscription subscribe(Handler&& handler) {
        static_assert(std::is_invocable_v<std::decay_t<Handler>&, T&>,
                      "the handler must be callable with a reference to the message");
        table::handler call = table::of<T>(std::forward<Handler>(handler));
        table& all = tables_[set::template index<T>];
        const bool inside = this->in_consumer();
        if (inside) {
            tidy_due_ = true;
        }
        subscription s;
        {
            const std::lock_guard lock(registration_);
            s.place_ = all.claim();
            if (s.place_ != table::npos) {
                s.type_ = set::template index<T>;
                s.generation_ = all.generation(s.place_);
            }
        }
        if (s.place_ == table::npos) {
            fail_state("async_bus::subscribe: the type has as many handlers as "
                       "bus_options::subscribers allows");
        }
        all.fill(s.place_, std::move(call), inside);
        return s;
    }

    /// Ends a subscription. On return its handler is destroyed: it is not running and will not be
    /// called again. Called within a handler, it destroys the handler before the next message.
    /// Called within a visitor, it destroys the handler at the end of that batch: of
    /// `process_with`, or of a step of `run`. If two threads end one subscription at once, the call
    /// that returns true destroys the handler. Called elsewhere, it waits until the messages being
    /// processed are done. So handlers of two buses must not unsubscribe at each other's bus: both
    /// promises cannot be kept, and they wait for each other.
    /// @returns whether this call ended it; false: already unsubscribed.
    bool unsubscribe(const subscription& s) noexcept {
        if (s.type_ == sizeof...(Messages)) {
            return false; // It identifies no subscription.
        }
        table& all = tables_[s.type_];
        const bool inside = this->in_consumer();
        bool stood = false;
        {
            const std::lock_guard lock(registration_);
            stood = all.retire(s.place_, s.generation_, inside);
        }
        if (inside) {
            tidy_due_ = tidy_due_ || stood;
            return stood;
        }
        // Also if already unsubscribed: a handler may have ended itself and still be running.
        const auto seen = batches_.observe();
        for (backoff pace; !batches_.passed(seen);) {
            pace.pause_or_sleep(); // A handler may take as long as it likes.
        }
        if (stood) {
            all.release(s.place_);
        }
        return stood;
    }

    /// Consumer: gives up to `max` messages to their handlers. Never blocks.
    /// @returns how many messages it processed.
    std::size_t process_batch(std::size_t max = default_batch) {
        return process(max, give_to_handlers());
    }

    /// Consumer: gives up to `max` messages to `visitor` and calls no handler. `visitor` must take
    /// a reference to each type of the set and may move from it. Never blocks.
    /// @returns how many messages it processed.
    template<class Visitor>
    std::size_t process_with(Visitor&& visitor, std::size_t max = default_batch) {
        return process(max, give_to(visitor));
    }

    /// Consumer: processes messages until `stop` is requested or the bus is closed; sleeps while no
    /// message is queued. Processes the messages published before that and then returns. A function
    /// that makes a message of this bus must not call it: on a closed bus it would wait for that
    /// message.
    void run(const std::stop_token& stop) { run_with(stop, give_to_handlers()); }
    /// The same, but gives the messages to `visitor` as `process_with` does and calls no handler.
    template<class Visitor>
    void run(const std::stop_token& stop, Visitor&& visitor) {
        run_with(stop, give_to(visitor));
    }

    /// Consumer, for a loop of its own: returns once a message is queued or the bus is closed.
    /// Spins first, then sleeps, at most until `deadline`. On a closed bus it returns at once:
    /// leave the loop and call `run`, which processes the rest.
    ///
    /// ```cpp
    /// while (!bus.closed()) {
    ///     if (bus.wait_until(next_due)) { bus.process_batch(); }
    ///     do_what_is_due();
    /// }
    /// bus.run({});
    /// ```
    ///
    /// Failure: `std::logic_error` while messages are processed, as in a handler.
    /// Cost: without a message a system call before the sleep, and the sleep. With one some loads a
    /// lane.
    /// @returns whether a message is queued or the bus is closed; false: the deadline passed.
    template<class Duration>
    bool wait_until(std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        const auto at = detail::saturated_moment(deadline);
        return this->await_message(&at);
    }
    /// The same, for at most `limit`.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> limit) {
        const auto deadline = detail::deadline_after(limit);
        return this->await_message(deadline ? &*deadline : nullptr);
    }

    /// Statistics since construction; callable from any thread.
    bus_stats stats() const noexcept {
        bus_stats s = this->transport_stats();
        // relaxed: a counter that publishes nothing else.
        s.unhandled = unhandled_.load(std::memory_order_relaxed);
        return s;
    }

private:
    using table = detail::handler_table;
    static constexpr std::size_t default_batch = 256;

    /// Marks the time in which handlers may run, for `unsubscribe`, and calls `tidy` at its end.
    class dispatching {
    public:
        explicit dispatching(async_bus& bus) noexcept : bus_(bus) { bus.batches_.enter(); }
        dispatching(const dispatching&) = delete;
        dispatching& operator=(const dispatching&) = delete;
        ~dispatching() {
            // Before the batch ends, so that a thread that waits for its end finds all tidied. No
            // message follows the last one that would do it.
            bus_.tidy();
            bus_.batches_.leave();
        }

    private:
        async_bus& bus_;
    };

    /// Destroys all handlers, those included that their destructors subscribe.
    void drop_handlers() noexcept {
        const auto end_one = [](table& of) { return static_cast<bool>(of.release_any()); };
        while (std::any_of(std::begin(tables_), std::end(tables_), end_one)) {
        }
    }

    /// Destroys handlers unsubscribed by handlers and activates those they subscribed. Other
    /// threads destroy the handlers that they unsubscribe. No handler runs during this call.
    void tidy() noexcept {
        while (tidy_due_) { // a handler's destructor may also use the bus
            tidy_due_ = false;
            for (table& one : tables_) {
                while (one.release_left()) {
                }
                const std::lock_guard lock(registration_);
                one.admit();
            }
        }
    }

    /// Returns the consumer's action for a message of type `T`, as `void(T&)`.
    auto give_to_handlers() noexcept {
        return [this](auto& m) {
            constexpr std::size_t type = set::template index<std::remove_cvref_t<decltype(m)>>;
            if (tidy_due_) [[unlikely]] {
                // What the handlers and the destructor of the message before have changed holds for
                // this one; a handler that replaces itself always finds a free place.
                tidy();
            }
            if (!tables_[type].dispatch(std::addressof(m))) {
                // relaxed: a counter that only the consumer writes.
                unhandled_.store(unhandled_.load(std::memory_order_relaxed) + 1,
                                 std::memory_order_relaxed);
            }
        };
    }

    /// Returns the same for a visitor.
    template<class Visitor>
    static auto give_to(Visitor& visitor) noexcept {
        static_assert((std::is_invocable_v<Visitor&, Messages&> && ...),
                      "the visitor must take every type of the set");
        return [&visitor](auto& m) { static_cast<void>(std::invoke(visitor, m)); };
    }

    /// `run`, whose messages go to `use`.
    template<class Use>
    void run_with(const std::stop_token& stop, Use use) {
        const auto process_some = [&] { return process(default_batch, use) != 0; };
        const detail::stop_notice wake(stop, [this]() noexcept { this->wake_consumer(); });
        for (backoff pace; !stop.stop_requested() && !closed();) {
            if (process_some()) {
                pace.reset();
            } else if (!pace.pause()) {
                this->sleep(stop);
                pace.reset();
            }
        }
        if (closed()) {
            // In batches: what makes a message may unsubscribe, which waits for the batch.
            this->await_publications(process_some);
        }
        // Only messages published by now, so that producers that go on cannot delay the return.
        const typename lanes::consumer_role role(*this);
        this->take_backlog(use, [this](auto&& take) {
            const dispatching now(*this);
            return take();
        });
    }
    template<class Use>
    std::size_t process(std::size_t max, Use&& use) {
        if (this->nothing_new()) {
            return 0;
        }
        const typename lanes::consumer_role role(*this);
        const dispatching now(*this);
        return this->take(max, use);
    }

    const detail::process_stamp stamp_;
    table tables_[sizeof...(Messages)]; ///< One for each type, in the order of the set.
    adaptive_mutex
        registration_; ///< Guards changes of the tables; never held while user code runs.

    /// Whether the consumer is in a batch. Written by the consumer, read by `unsubscribe`.
    alignas(destructive_alignment) quiescence batches_;
    /// Messages without a handler. Written by the consumer, read by `stats`.
    std::atomic<std::uint64_t> unhandled_{0};
    bool tidy_due_ = false; ///< The consumer's: a handler has subscribed or unsubscribed.
};

} // namespace regatta
