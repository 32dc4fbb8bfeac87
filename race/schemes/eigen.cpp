// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_tasks.hpp"
#include "schemes/scheme.hpp"
#include "schemes/unfinished_tasks.hpp"

#include <unsupported/Eigen/CXX11/ThreadPool>

#include <algorithm>
#include <system_error>

namespace regatta::race {
namespace {

/// Tasks that a queue of the pool holds. One that finds it full runs on the thread that hands it
/// out, which is not a worker; so no more than that are ever under way, added so many at a time.
/// (A worker that spawns items runs them itself where its queue is full.)
constexpr std::size_t queue_room = 1024;
constexpr std::size_t together = 128;

/// One `Schedule` an item to an `Eigen::ThreadPool`; a counter tells how many are done, since the
/// pool itself does not.
class eigen final : public scheme {
public:
    void prepare(run_context& context) override {
        try {
            pool_.emplace(static_cast<int>(context.workers));
        } catch (const std::system_error& error) {
            throw scheme_failure(std::string("Eigen could not start its threads: ") + error.what());
        }
    }

    void run(run_context& context) override {
        item_tasks items(
            context,
            [this](auto task) {
                pool_->Schedule([this, task] {
                    task();
                    count_.done();
                });
            },
            [this] { count_.add(1); });
        const std::size_t count = context.work.handed_out();
        for (std::size_t first = 0; first < count; first += together) {
            const std::size_t last = std::min(first + together, count);
            count_.wait_for_few();
            count_.add(static_cast<std::uint32_t>(last - first));
            for (std::size_t item = first; item < last; ++item) {
                items.hand_out(item);
            }
        }
        count_.wait();
    }

private:
    unfinished_tasks count_{queue_room - together};
    std::optional<Eigen::ThreadPool> pool_; ///< Its destructor joins.
};

std::string eigen_version() {
    return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
           std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
}

} // namespace

scheme_info eigen_scheme() {
    return {.name = "eigen",
            .summary = "Eigen::ThreadPool, one Schedule an item; warm threads",
            .suits = "programs that compute with Eigen's tensors anyway",
            .make = make_new<eigen>,
            .library_version = eigen_version,
            .spawns = true,
            .single_tasks = true,
            .reusable = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
