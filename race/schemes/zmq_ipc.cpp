// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/descriptor_limit.hpp"
#include "schemes/item_tasks.hpp"
#include "schemes/process_team.hpp"
#include "schemes/scheme.hpp"
#include "schemes/temporary_folder.hpp"
#include "schemes/thread_limit.hpp"
#include "schemes/worker_process.hpp"
#include "schemes/zmq_common.hpp"

#include <system_error>
#include <unistd.h>

namespace regatta::race {
namespace {

constexpr std::size_t chunk = 1;

std::string answers_in(const std::string& folder) {
    return "ipc://" + folder + "/answers";
}
std::string items_in(const std::string& folder, const std::string& worker) {
    return "ipc://" + folder + "/items-" + worker;
}

/// The caller pushes items to processes over `ipc`, in turn to each, and pulls their answers until
/// it has one for each item, watching for the death of a worker all the while.
class zmq_ipc final : public scheme {
public:
    void prepare(run_context& context) override {
        try {
            connect(context);
        } catch (const zmq::error_t& error) {
            throw scheme_failure(std::string("ZeroMQ could not connect the workers: ") +
                                 error.what());
        } catch (const std::system_error& error) {
            throw scheme_failure(error.what());
        }
    }

    void run(run_context& context) override {
        try {
            in_waves(context, [this](std::size_t first, std::size_t last) {
                for (std::size_t item = first; item < last; ++item) {
                    send(static_cast<zmq_item>(item));
                }
                collect(last - first);
            });
        } catch (const zmq::error_t& error) {
            throw scheme_failure(std::string("ZeroMQ failed: ") + error.what());
        }
    }

private:
    void connect(run_context& context) {
        // A worker is a pidfd and two connections; the rest is ZeroMQ's own and the start's.
        require_descriptors(std::size_t{3} * context.workers + 32);
        require_threads(zmq_threads);
        const temporary_folder folder; // needed only until all are connected
        const std::string program = worker_role.program();
        context_.set(zmq::ctxopt::max_sockets, 16);
        items_ = zmq_socket(context_, zmq::socket_type::push);
        answers_ = zmq_socket(context_, zmq::socket_type::pull);
        zmq_uninterrupted([&] { answers_.bind(answers_in(folder.path())); });
        for (unsigned i = 0; i < context.workers; ++i) {
            team_.start(program, "zmq_ipc", context, {folder.path(), std::to_string(i)});
        }
        watched_.push_back({answers_.handle(), 0, ZMQ_POLLIN, 0});
        for (const int pidfd : team_.pidfds()) {
            watched_.push_back({nullptr, pidfd, ZMQ_POLLIN, 0});
        }
        collect(context.workers); // each says that it is warm and waits for its items
        context.work.reset();     // The items of the warm-up count for nothing.
        for (unsigned i = 0; i < context.workers; ++i) {
            zmq_uninterrupted([&] { items_.connect(items_in(folder.path(), std::to_string(i))); });
        }
        // PUSH serves its connections in turn: each worker gets one of these, and answers.
        for (unsigned i = 0; i < context.workers; ++i) {
            send(zmq_greeting);
        }
        collect(context.workers);
    }

    void send(zmq_item first) {
        // Only where no worker is left is there no room: their queues are unlimited.
        while (!try_send(first)) {
            wait();
        }
    }

    bool try_send(zmq_item first) {
        const auto sent = zmq_uninterrupted([&] {
            return items_.send(zmq::buffer(&first, sizeof first), zmq::send_flags::dontwait);
        });
        return sent.has_value();
    }

    void collect(std::size_t answers) {
        zmq_item first = 0;
        for (std::size_t got = 0; got < answers;) {
            const auto received = zmq_uninterrupted([&] {
                return answers_.recv(zmq::buffer(&first, sizeof first), zmq::recv_flags::dontwait);
            });
            if (received) {
                ++got;
            } else {
                wait();
            }
        }
    }

    /// Blocks until an answer is there; throws if a worker has ended.
    void wait() {
        zmq_uninterrupted(
            [&] { zmq::poll(watched_.data(), watched_.size(), std::chrono::milliseconds(-1)); });
        for (std::size_t i = 1; i < watched_.size(); ++i) {
            if (watched_[i].revents != 0) {
                team_.fail(i - 1);
            }
        }
    }

    zmq::context_t context_{1};
    zmq::socket_t items_;
    zmq::socket_t answers_;
    std::vector<zmq::pollitem_t> watched_; ///< The answers, then the workers.
    process_team team_;
};

int zmq_ipc_worker(worker_process& process, const std::vector<std::string>& arguments) {
    if (arguments.size() != 2) {
        throw std::runtime_error("zmq_ipc: expected a folder and a number");
    }
    zmq::context_t context{1};
    auto from = zmq_socket(context, zmq::socket_type::pull);
    auto to = zmq_socket(context, zmq::socket_type::push);
    from.bind(items_in(arguments[0], arguments[1]));
    to.connect(answers_in(arguments[0]));
    process.warm_up(std::stoul(arguments[1]));
    zmq_send(to, zmq_greeting);
    zmq_work(process.work(), process.log(), chunk, from, to, ::getpid());
}

} // namespace

scheme_info zmq_ipc_scheme() {
    return {.name = "zmq_ipc",
            .summary =
                "ZeroMQ PUSH/PULL over ipc to processes, a message an item and its answer; warm "
                "processes",
            .suits = "several languages or programs, later perhaps several machines",
            .make = make_new<zmq_ipc>,
            .library_version = zmq_version,
            .worker = zmq_ipc_worker,
            .traits = {.workers = worker_kind::processes, .synchronises_unseen = true}};
}

} // namespace regatta::race
