// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bus_case.hpp"

#include <regatta/bus/async_bus.hpp>
#include <regatta/sync/backoff.hpp>

#include <utility>

namespace regatta::bench {
namespace {

/// A second type in the set, so that messages are tagged and dispatched.
struct other {
    std::uint32_t value;
};

template<class Message, class Bus>
void produce_by_lane(Bus& bus, const stream& s) {
    auto lane = bus.make_producer();
    if (s.batch == 1) {
        for (std::uint64_t i = 0; i < s.each(); ++i) {
            lane.template emplace<Message>(i);
        }
        return;
    }
    for (std::uint64_t i = 0; i < s.each(); i += s.batch) {
        lane.template publish_batch<Message>(s.batch,
                                             [i](std::size_t j) { return Message(i + j); });
    }
}

template<class Bus, class Process>
void process_all(const stream& s, Bus&, Process&& process) {
    backoff pace;
    for (std::size_t done = 0; done < s.messages;) {
        const std::size_t now = process();
        done += now;
        if (now != 0) {
            pace.reset();
        } else if (!pace.pause()) {
            pace.reset();
        }
    }
}

template<class Message>
double by_visitor(const stream& s) {
    async_bus<Message, other> bus{{.capacity = s.capacity, .producers = s.producers}};
    return run_stream(
        s, [&](unsigned) { produce_by_lane<Message>(bus, s); },
        [&] {
            struct {
                std::uint64_t sum = 0;
                void operator()(const Message& m) noexcept { sum += m.value(); }
                void operator()(const other& m) noexcept { sum += m.value; }
            } visitor;
            process_all(s, bus, [&] { return bus.process_with(visitor); });
            return visitor.sum;
        });
}

template<class Message>
double by_handlers(const stream& s) {
    async_bus<Message, other> bus{{.capacity = s.capacity, .producers = s.producers}};
    std::uint64_t sum = 0;
    bus.template subscribe<Message>([&](const Message& m) { sum += m.value(); });
    bus.template subscribe<other>([&](const other& m) { sum += m.value; });
    return run_stream(
        s, [&](unsigned) { produce_by_lane<Message>(bus, s); },
        [&] {
            process_all(s, bus, [&] { return bus.process_batch(); });
            return sum;
        });
}

template<class Message>
double by_common_lane(const stream& s) {
    async_bus<Message, other> bus{{.capacity = s.capacity, .producers = 0}};
    return run_stream(
        s,
        [&](unsigned) {
            for (std::uint64_t i = 0; i < s.each(); ++i) {
                give_message<Message>(i,
                                      [&](auto&& m) { bus.publish(std::forward<decltype(m)>(m)); });
            }
        },
        [&] {
            struct {
                std::uint64_t sum = 0;
                void operator()(const Message& m) noexcept { sum += m.value(); }
                void operator()(const other& m) noexcept { sum += m.value; }
            } visitor;
            process_all(s, bus, [&] { return bus.process_with(visitor); });
            return visitor.sum;
        });
}

} // namespace

bus_peer regatta_visitor() {
    return {"async_bus, producer lane, visitor", true, 1, by_visitor<small_message>,
            by_visitor<large_message>};
}

bus_peer regatta_handlers() {
    return {"async_bus, producer lane, handlers", true, 1, by_handlers<small_message>,
            by_handlers<large_message>};
}

bus_peer regatta_common_lane() {
    return {"async_bus, common lane, visitor", false, 0.25, by_common_lane<small_message>,
            by_common_lane<large_message>};
}

} // namespace regatta::bench
