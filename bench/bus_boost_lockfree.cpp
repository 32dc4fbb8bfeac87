// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bus_case.hpp"

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>

#include <memory>
#include <vector>

#include <utility>

namespace regatta::bench {
namespace {

template<class Message>
double carry(const stream& s) {
    boost::lockfree::queue<Message> queue(s.capacity);
    return run_stream(
        s,
        [&](unsigned) {
            for (std::uint64_t i = 0; i < s.each(); ++i) {
                const auto push = [&](const Message& m) { return queue.bounded_push(m); };
                while (!give_message<Message>(i, push)) {
                    std::this_thread::yield();
                }
            }
        },
        [&] {
            std::uint64_t sum = 0;
            for (std::size_t done = 0; done < s.messages;) {
                done += queue.consume_all([&](const Message& m) { sum += m.value(); });
            }
            return sum;
        });
}

/// A ring for each producer, which the consumer empties in turn.
template<class Message>
double carry_spsc(const stream& s) {
    using ring = boost::lockfree::spsc_queue<Message>;
    std::vector<std::unique_ptr<ring>> rings;
    for (unsigned p = 0; p < s.producers; ++p) {
        rings.push_back(std::make_unique<ring>(s.capacity));
    }
    return run_stream(
        s,
        [&](unsigned p) {
            if (s.batch == 1) {
                for (std::uint64_t i = 0; i < s.each(); ++i) {
                    const auto push = [&](const Message& m) { return rings[p]->push(m); };
                    while (!give_message<Message>(i, push)) {
                        std::this_thread::yield();
                    }
                }
                return;
            }
            std::vector<Message> batch(s.batch);
            for (std::uint64_t i = 0; i < s.each(); i += s.batch) {
                for (std::size_t at = 0; at < s.batch; ++at) {
                    batch[at] = Message(i + at);
                }
                for (std::size_t sent = 0; sent < s.batch;) {
                    sent += rings[p]->push(batch.data() + sent, s.batch - sent);
                    if (sent < s.batch) {
                        std::this_thread::yield();
                    }
                }
            }
        },
        [&] {
            std::uint64_t sum = 0;
            for (std::size_t done = 0; done < s.messages;) {
                for (auto& r : rings) {
                    done += r->consume_all([&](const Message& m) { sum += m.value(); });
                }
            }
            return sum;
        });
}

} // namespace

bus_peer boost_spsc() {
    return {"Boost.Lockfree spsc_queue", true, 0.5, carry_spsc<small_message>,
            carry_spsc<large_message>};
}

bus_peer boost_lockfree() {
    return {"Boost.Lockfree queue", false, 0.1, carry<small_message>, carry<large_message>};
}

} // namespace regatta::bench
