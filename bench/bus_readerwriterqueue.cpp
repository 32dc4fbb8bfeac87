// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bus_case.hpp"

#include <readerwriterqueue/readerwriterqueue.h>

#include <memory>
#include <thread>
#include <vector>

namespace regatta::bench {
namespace {

/// A ring for each producer, which the consumer empties in turn, up to 256 at a time.
template<class Message>
double carry(const stream& s) {
    using ring = moodycamel::ReaderWriterQueue<Message>;
    std::vector<std::unique_ptr<ring>> rings;
    for (unsigned p = 0; p < s.producers; ++p) {
        rings.push_back(std::make_unique<ring>(s.capacity));
    }
    return run_stream(
        s,
        [&](unsigned p) {
            for (std::uint64_t i = 0; i < s.each(); ++i) {
                while (!rings[p]->try_emplace(i)) {
                    std::this_thread::yield();
                }
            }
        },
        [&] {
            std::uint64_t sum = 0;
            for (std::size_t done = 0; done < s.messages;) {
                for (auto& r : rings) {
                    const Message* next = nullptr;
                    for (int i = 0; i < 256 && (next = r->peek()) != nullptr; ++i) {
                        sum += next->value();
                        r->pop();
                        ++done;
                    }
                }
            }
            return sum;
        });
}

} // namespace

bus_peer readerwriterqueue() {
    return {"moodycamel ReaderWriterQueue", false, 1.0, carry<small_message>, carry<large_message>};
}

} // namespace regatta::bench
