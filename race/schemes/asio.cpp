// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_tasks.hpp"
#include "schemes/scheme.hpp"
#include "schemes/unfinished_tasks.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/version.hpp>
#include <boost/version.hpp>

#include <system_error>

namespace regatta::race {
namespace {

/// One `post` an item to a `boost::asio::thread_pool`; a counter tells that all are done.
class asio final : public scheme {
public:
    void prepare(run_context& context) override {
        try {
            pool_.emplace(context.workers);
        } catch (const std::system_error& error) {
            throw scheme_failure(std::string("Boost.Asio could not start its threads: ") +
                                 error.what());
        }
    }

    void run(run_context& context) override {
        item_tasks items(
            context,
            [this](auto task) {
                boost::asio::post(*pool_, [this, task] {
                    task();
                    count_.done();
                });
            },
            [this] { count_.add(1); });
        in_waves(context, [&](std::size_t first, std::size_t last) {
            count_.add(static_cast<std::uint32_t>(last - first));
            for (std::size_t item = first; item < last; ++item) {
                items.hand_out(item);
            }
            count_.wait();
        });
    }

private:
    unfinished_tasks count_;
    std::optional<boost::asio::thread_pool> pool_; ///< Its destructor stops and joins.
};

std::string asio_version() {
    return "Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000);
}

} // namespace

scheme_info asio_scheme() {
    return {.name = "asio",
            .summary = "Boost.Asio thread_pool, one post an item; warm threads",
            .suits = "work that goes along with sockets and timers",
            .make = make_new<asio>,
            .library_version = asio_version,
            .spawns = true,
            .single_tasks = true,
            .reusable = true};
}

} // namespace regatta::race
