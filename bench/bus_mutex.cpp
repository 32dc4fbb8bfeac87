// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bus_case.hpp"

#include <mutex>
#include <vector>

namespace regatta::bench {
namespace {

/// A vector under a mutex; the consumer swaps it for an empty one.
template<class Message>
double carry(const stream& s) {
    std::mutex mutex;
    std::vector<Message> shared;
    return run_stream(
        s,
        [&](unsigned) {
            for (std::uint64_t i = 0; i < s.each(); i += s.batch) {
                const std::lock_guard lock(mutex);
                for (std::size_t at = 0; at < s.batch; ++at) {
                    shared.push_back(Message(i + at));
                }
            }
        },
        [&] {
            std::vector<Message> mine;
            std::uint64_t sum = 0;
            for (std::size_t done = 0; done < s.messages;) {
                {
                    const std::lock_guard lock(mutex);
                    mine.swap(shared);
                }
                for (const Message& m : mine) {
                    sum += m.value();
                }
                done += mine.size();
                mine.clear();
            }
            return sum;
        });
}

} // namespace

bus_peer mutex_and_swap() {
    return {"mutex and swapped vector", true, 0.25, carry<small_message>, carry<large_message>};
}

} // namespace regatta::bench
