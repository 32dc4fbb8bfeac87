// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pools_promise.hpp"
#include "pools_rows.hpp"

#include <unsupported/Eigen/CXX11/ThreadPool>

namespace regatta::bench {
namespace {

/// What does not fit into a queue of this pool runs on the thread that submits it. So that nothing
/// does, the producer waits while as many tasks are under way as a queue holds.
class eigen {
public:
    explicit eigen(unsigned workers) : pool_(static_cast<int>(workers)) {}

    template<class Body>
    void produce(Body&& body) {
        body();
    }
    template<class F>
    void execute(F&& f) {
        if (sample_ != tally.sample()) {
            sample_ = tally.sample();
            submitted_ = 0;
        }
        if (submitted_ % together == 0) {
            while (submitted_ + together > tally.count() + queue_room) {
                std::this_thread::yield();
            }
        }
        ++submitted_;
        pool_.Schedule(std::forward<F>(f));
    }
    template<class F>
    void execute_within(F&& f) {
        pool_.Schedule(std::forward<F>(f));
    }
    template<class F>
    auto submit(F f) {
        return submit_shared(std::move(f), [this](auto&& task) { execute(std::move(task)); });
    }

private:
    static constexpr std::size_t queue_room = 1024;
    static constexpr std::size_t together = 128;

    std::uint64_t sample_ = 0;
    std::size_t submitted_ = 0; ///< In this sample.
    Eigen::ThreadPool pool_;
};

} // namespace

pool_case eigen_pool() {
    pool_case all = case_of<eigen>("Eigen ThreadPool");
    all.within = nullptr; // a worker runs what finds its queue full
    return all;
}

} // namespace regatta::bench
