// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the schemes over ZeroMQ share: their messages and sockets.

#include "schemes/scheme.hpp"

#include <zmq.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

namespace regatta::race {

/// A message to a worker: the first item of its chunk. The answer is the same four bytes.
using zmq_item = std::uint32_t;
/// No item: a worker just answers. By it each side knows that the other is connected.
inline constexpr zmq_item zmq_greeting = 0xffffffff;
/// Threads of a context's own: one for input and output, one that closes sockets.
inline constexpr std::size_t zmq_threads = 2;

/// Makes a socket that neither side of it ever waits for room: a worker that waited to answer
/// while the race waits to send would stand for ever.
inline zmq::socket_t zmq_socket(zmq::context_t& context, zmq::socket_type type) {
    zmq::socket_t made(context, type);
    made.set(zmq::sockopt::linger, 0);
    made.set(zmq::sockopt::sndhwm, 0);
    made.set(zmq::sockopt::rcvhwm, 0);
    return made;
}

/// Repeats a call that a signal has interrupted. All of ZeroMQ's can be, also those that do not
/// wait.
template<class Call>
auto zmq_uninterrupted(Call call) {
    for (;;) {
        try {
            return call();
        } catch (const zmq::error_t& error) {
            if (error.num() != EINTR) {
                throw;
            }
        }
    }
}

/// Receives one message's item.
inline zmq_item zmq_receive(zmq::socket_t& from) {
    zmq_item first = 0;
    const auto received =
        zmq_uninterrupted([&] { return from.recv(zmq::buffer(&first, sizeof first)); });
    if (!received || received->untruncated_size != sizeof first) {
        throw scheme_failure("ZeroMQ delivered a message that is not ours");
    }
    return first;
}

/// Sends the message or answer of one chunk.
inline void zmq_send(zmq::socket_t& to, zmq_item first) {
    zmq_uninterrupted([&] { return to.send(zmq::buffer(&first, sizeof first)); });
}

/// Sends one message for each chunk of items `first` to `last − 1`; returns how many.
inline std::size_t zmq_send_all(zmq::socket_t& to, std::size_t first, std::size_t last,
                                std::size_t chunk) {
    std::size_t sent = 0;
    for (std::size_t item = first; item < last; item += chunk, ++sent) {
        zmq_send(to, static_cast<zmq_item>(item));
    }
    return sent;
}

/// Runs the chunks that come in over `from` and answers each over `to`. Returns by an exception
/// only: when the context is shut down.
/// @param process written to the worker's log; 0 for a thread of the race.
[[noreturn]] inline void zmq_work(workload& work, run_log& log, std::size_t chunk,
                                  zmq::socket_t& from, zmq::socket_t& to,
                                  std::int64_t process = 0) {
    const std::size_t count = work.items();
    item_runner runner(work, log);
    if (worker_log* mine = runner.log()) {
        mine->process = process;
    }
    for (;;) {
        const zmq_item first = zmq_receive(from);
        if (first != zmq_greeting) {
            const std::size_t end = std::min<std::size_t>(first + chunk, count);
            for (std::size_t item = first; item < end; ++item) {
                runner(item);
            }
        }
        zmq_send(to, first);
    }
}

inline std::string zmq_version() {
    const auto [major, minor, patch] = zmq::version();
    return "ZeroMQ " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(patch);
}

} // namespace regatta::race
