// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bus_case.hpp"

#include <regatta/base/cache_line.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

namespace regatta::bench {
namespace {

/// A circle of places without types, sleepers, refusals or an end: what the two caches must do for
/// a stream, and nothing else. Shorter than a bus is by default, so that it stays in both caches;
/// producers wait for room in a loop.
template<class Message>
class bare_ring {
public:
    void produce(const stream& s) {
        std::size_t seen = 0;
        for (std::uint64_t i = 0; i < s.each();) {
            while (i + s.batch - seen > places) {
                seen = head_.load(std::memory_order_acquire);
            }
            for (std::size_t left = s.batch; left != 0; --left, ++i) {
                at_[i % places].set(i);
            }
            tail_.store(i, std::memory_order_release);
        }
    }
    /// @returns how many messages it took.
    std::size_t consume(std::uint64_t& sum) {
        const std::size_t begin = head_.load(std::memory_order_relaxed);
        const std::size_t end = tail_.load(std::memory_order_acquire);
        for (std::size_t i = begin; i != end;) {
            for (const std::size_t stop = std::min(end, (i / interval + 1) * interval); i != stop;
                 ++i) {
                sum += at_[i % places].value();
            }
            head_.store(i, std::memory_order_release);
        }
        return end - begin;
    }

private:
    static constexpr std::size_t places = std::max<std::size_t>(12288 / sizeof(Message), 256);
    static constexpr std::size_t interval = 32; ///< How often it gives room back.

    alignas(cache_line_size) Message at_[places];
    alignas(destructive_alignment) std::atomic<std::size_t> tail_{0};
    alignas(destructive_alignment) std::atomic<std::size_t> head_{0};
};

template<class Message>
double carry(const stream& s) {
    std::vector<std::unique_ptr<bare_ring<Message>>> rings;
    for (unsigned p = 0; p < s.producers; ++p) {
        rings.push_back(std::make_unique<bare_ring<Message>>());
    }
    return run_stream(
        s, [&](unsigned p) { rings[p]->produce(s); },
        [&] {
            std::uint64_t sum = 0;
            for (std::size_t done = 0; done < s.messages;) {
                for (auto& r : rings) {
                    done += r->consume(sum);
                }
            }
            return sum;
        });
}

} // namespace

bus_peer bare_rings() {
    return {"bare ring", true, 1, carry<small_message>, carry<large_message>};
}

} // namespace regatta::bench
