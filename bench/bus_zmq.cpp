// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "bus_case.hpp"

#include <zmq.hpp>

#include <cstring>

namespace regatta::bench {
namespace {

template<class Message>
double carry(const stream& s) {
    zmq::context_t context(0);
    zmq::socket_t pull(context, zmq::socket_type::pull);
    pull.set(zmq::sockopt::rcvhwm, 0); // A limit costs it two thirds of its rate.
    pull.bind("inproc://stream");
    return run_stream(
        s,
        [&](unsigned) {
            zmq::socket_t push(context, zmq::socket_type::push);
            push.set(zmq::sockopt::sndhwm, 0);
            push.connect("inproc://stream");
            for (std::uint64_t i = 0; i < s.each(); ++i) {
                const Message m(i);
                push.send(zmq::buffer(&m, sizeof m), zmq::send_flags::none);
            }
        },
        [&] {
            std::uint64_t sum = 0;
            zmq::message_t part;
            for (std::size_t done = 0; done < s.messages; ++done) {
                if (!pull.recv(part)) {
                    break;
                }
                Message m;
                std::memcpy(&m, part.data(), sizeof m);
                sum += m.value();
            }
            return sum;
        });
}

} // namespace

bus_peer zmq_inproc() {
    return {"ZeroMQ inproc PUSH/PULL", false, 0.1, carry<small_message>, carry<large_message>};
}

} // namespace regatta::bench
