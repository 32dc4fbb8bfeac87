// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pools_promise.hpp"
#include "pools_rows.hpp"

#include <boost/asio/defer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace regatta::bench {
namespace {

class asio {
public:
    explicit asio(unsigned workers) : pool_(workers) {}
    ~asio() { pool_.join(); }

    template<class Body>
    void produce(Body&& body) {
        body();
    }
    template<class F>
    void execute(F&& f) {
        boost::asio::post(pool_, std::forward<F>(f));
    }
    template<class F>
    void execute_within(F&& f) {
        boost::asio::defer(pool_, std::forward<F>(f));
    }
    template<class F>
    auto submit(F f) {
        return submit_promised(std::move(f), [this](auto&& task) { execute(std::move(task)); });
    }

private:
    boost::asio::thread_pool pool_;
};

} // namespace

pool_case asio_pool() {
    return case_of<asio>("Boost.Asio thread_pool");
}

} // namespace regatta::bench
