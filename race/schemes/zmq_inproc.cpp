// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/descriptor_limit.hpp"
#include "schemes/item_tasks.hpp"
#include "schemes/scheme.hpp"
#include "schemes/thread_limit.hpp"
#include "schemes/worker_threads.hpp"
#include "schemes/zmq_common.hpp"

#include <atomic>

namespace regatta::race {
namespace {

/// The caller pushes chunks to threads over `inproc`, in turn to each, and pulls their answers
/// until it has one for each chunk.
class zmq_inproc final : public scheme {
public:
    explicit zmq_inproc(std::size_t chunk) : chunk_(chunk) {
        if (chunk == 0) {
            throw std::invalid_argument("a chunk has at least 1 item");
        }
    }

    ~zmq_inproc() override {
        context_.shutdown(); // what the workers wait in throws
        team_.join();
    }

    void prepare(run_context& context) override {
        try {
            // Sockets are made here and handed over to the threads: an error comes up here.
            require_descriptors(std::size_t{2} * context.workers + 16); // one a socket
            require_threads(zmq_threads);
            context_.set(zmq::ctxopt::max_sockets, static_cast<int>(2 * context.workers + 16));
            items_ = zmq_socket(context_, zmq::socket_type::push);
            answers_ = zmq_socket(context_, zmq::socket_type::pull);
            zmq_uninterrupted([&] { items_.bind("inproc://items"); });
            zmq_uninterrupted([&] { answers_.bind("inproc://answers"); });
            for (unsigned i = 0; i < context.workers; ++i) {
                auto from = zmq_socket(context_, zmq::socket_type::pull);
                auto to = zmq_socket(context_, zmq::socket_type::push);
                zmq_uninterrupted([&] { from.connect("inproc://items"); });
                zmq_uninterrupted([&] { to.connect("inproc://answers"); });
                // Not the context: a worker whose thread starts late may begin after the run, for
                // which the context was made.
                team_.start(
                    [this, &work = context.work, &log = context.log, from = std::move(from),
                     to = std::move(to)](std::size_t) mutable { serve(work, log, from, to); });
            }
        } catch (const zmq::error_t& error) {
            throw scheme_failure(std::string("ZeroMQ could not connect the workers: ") +
                                 error.what());
        }
    }

    void run(run_context& context) override {
        try {
            const auto wave = [this](std::size_t first, std::size_t last) {
                const std::size_t sent = zmq_send_all(items_, first, last, chunk_);
                for (std::size_t i = 0; i < sent; ++i) {
                    zmq_receive(answers_);
                }
            };
            in_waves(context, wave, chunk_);
        } catch (const zmq::error_t& error) {
            const int of_worker = error_of_worker_.load();
            throw scheme_failure(std::string("ZeroMQ failed: ") +
                                 (of_worker != 0 ? zmq_strerror(of_worker) : error.what()));
        }
    }

private:
    void serve(workload& work, run_log& log, zmq::socket_t& from, zmq::socket_t& to) noexcept {
        try {
            zmq_work(work, log, chunk_, from, to);
        } catch (const zmq::error_t& error) {
            if (error.num() != ETERM) { // then the others and the caller must not wait for ever
                error_of_worker_.store(error.num());
                context_.shutdown();
            }
        }
        from.close();
        to.close();
    }

    std::size_t chunk_;
    std::atomic<int> error_of_worker_{0}; ///< Written by a worker that fails, read by the caller.
    zmq::context_t context_{0};           ///< No thread of its own: inproc needs none.
    zmq::socket_t items_;
    zmq::socket_t answers_;
    worker_threads team_;
};

} // namespace

scheme_info zmq_inproc_scheme() {
    return {.name = "zmq_inproc",
            .summary =
                "ZeroMQ PUSH/PULL between threads, a message an item and its answer; warm threads",
            .suits = "programs whose parts talk by messages anyway",
            .make = [](const scheme_options&) -> std::unique_ptr<scheme> {
                return std::make_unique<zmq_inproc>(1);
            },
            .library_version = zmq_version,
            .traits = {.synchronises_unseen = true}};
}

scheme_info zmq_inproc_chunk_scheme() {
    return {
        .name = "zmq_inproc_chunk",
        .summary =
            "ZeroMQ PUSH/PULL between threads, --chunk items a message and an answer; warm threads",
        .suits = "parts that talk by messages, with items too short for a message each",
        .make = [](const scheme_options& options) -> std::unique_ptr<scheme> {
            return std::make_unique<zmq_inproc>(options.chunk);
        },
        .library_version = zmq_version,
        .traits = {.sends_chunks = true, .synchronises_unseen = true}};
}

} // namespace regatta::race
