// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bus_case.hpp"

// The peer's header does not pass our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#include <concurrentqueue/concurrentqueue.h>

#include <vector>

#include <utility>

namespace regatta::bench {
namespace {

constexpr std::size_t bulk = 256; ///< The consumer's, as our own.

/// Makes the messages of a batch where the queue wants them.
template<class Message>
struct making_iterator {
    std::uint64_t value;
    Message operator*() const noexcept { return Message(value); }
    making_iterator& operator++() noexcept {
        ++value;
        return *this;
    }
    making_iterator operator++(int) noexcept { return {value++}; }
};

/// A producer token, bulk enqueue where there are batches, a consumer token and bulk dequeue.
template<class Message>
double with_tokens(const stream& s) {
    moodycamel::ConcurrentQueue<Message> queue(s.capacity * s.producers);
    return run_stream(
        s,
        [&](unsigned) {
            const moodycamel::ProducerToken token(queue);
            if (s.batch == 1) {
                for (std::uint64_t i = 0; i < s.each(); ++i) {
                    give_message<Message>(
                        i, [&](auto&& m) { queue.enqueue(token, std::forward<decltype(m)>(m)); });
                }
                return;
            }
            for (std::uint64_t i = 0; i < s.each(); i += s.batch) {
                queue.enqueue_bulk(token, making_iterator<Message>{i}, s.batch);
            }
        },
        [&] {
            moodycamel::ConsumerToken token(queue);
            std::vector<Message> batch(bulk);
            std::uint64_t sum = 0;
            for (std::size_t done = 0; done < s.messages;) {
                const std::size_t now = queue.try_dequeue_bulk(token, batch.data(), bulk);
                for (std::size_t i = 0; i < now; ++i) {
                    sum += batch[i].value();
                }
                done += now;
            }
            return sum;
        });
}

/// No tokens, one by one.
template<class Message>
double plain(const stream& s) {
    moodycamel::ConcurrentQueue<Message> queue(s.capacity * s.producers);
    return run_stream(
        s,
        [&](unsigned) {
            for (std::uint64_t i = 0; i < s.each(); ++i) {
                give_message<Message>(
                    i, [&](auto&& m) { queue.enqueue(std::forward<decltype(m)>(m)); });
            }
        },
        [&] {
            std::uint64_t sum = 0;
            for (std::size_t done = 0; done < s.messages;) {
                Message m;
                if (queue.try_dequeue(m)) {
                    sum += m.value();
                    ++done;
                }
            }
            return sum;
        });
}

} // namespace

bus_peer moodycamel_token() {
    return {"moodycamel, tokens, bulk dequeue", true, 1, with_tokens<small_message>,
            with_tokens<large_message>};
}

bus_peer moodycamel_plain() {
    return {"moodycamel, plain", false, 0.25, plain<small_message>, plain<large_message>};
}

} // namespace regatta::bench

#pragma GCC diagnostic pop
