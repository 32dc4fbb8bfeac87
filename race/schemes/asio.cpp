// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"
#include "schemes/thread_runner.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/version.hpp>
#include <boost/version.hpp>

#include <latch>
#include <system_error>

namespace regatta::race {
namespace {

/// One `post` an item to a `boost::asio::thread_pool`; a latch tells that all are done.
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
        const std::size_t count = context.work.items();
        thread_runners runners(context.work, context.log);
        std::latch done(static_cast<std::ptrdiff_t>(count));
        for (std::size_t item = 0; item < count; ++item) {
            boost::asio::post(*pool_, [&runners, &done, item] {
                runners(item);
                done.count_down();
            });
        }
        done.wait();
    }

private:
    std::optional<boost::asio::thread_pool> pool_; ///< Its destructor stops and joins.
};

std::string version() {
    return std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000);
}

} // namespace

scheme_entry asio_scheme() {
    return entry_of<asio>("Boost " + version());
}

} // namespace regatta::race
