// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/pool_items.hpp"
#include "schemes/process_team.hpp"
#include "schemes/scheme.hpp"

#include <regatta/process/process_pool.hpp>

#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace regatta::race {
namespace {

/// A process pool whose workers have the workload and the log of a run.
class pool_of_run {
public:
    /// @param attempts how often an item may begin.
    pool_of_run(const std::string& program, run_context& context, unsigned attempts) try
        : pool_({.workers = context.workers,
                 .name = "race",
                 .attempts = attempts,
                 .worker_program = program,
                 .descriptors = {{context.work.descriptor(), pool_workload_descriptor},
                                 {context.log_descriptor, pool_log_descriptor}},
                 .on_error = [this](const std::exception_ptr& error) { keep(error); }}) {
        std::snprintf(workload_.text, sizeof workload_.text, "%s",
                      std::string(context.work.name()).c_str());
    } catch (const std::system_error& error) {
        throw scheme_failure(std::string("the pool could not start: ") + error.what());
    }

    /// Has every worker attach, and touch what an item touches.
    void warm_up(run_context& context) {
        const auto arrived = pool_.allocate<std::uint32_t>(1);
        try {
            wait_for(pool_.map<meet_pool_worker>({}, {}, context.workers, workload_, arrived,
                                                 std::uint32_t{context.workers}));
        } catch (const scheme_failure& error) { // Its tasks are workers, not items.
            throw scheme_failure(std::string("while its workers warmed up, ") + error.what());
        }
        context.work.reset(); // Those items count for nothing.
    }
    void run(run_context& context) {
        if (context.log.offered.paced()) {
            offer(context);
            return;
        }
        wait_for(pool_.map<run_pool_item>({}, {}, context.work.items(), workload_));
    }
    process_pool& pool() noexcept { return pool_; }

private:
    /// A job an item, each when it is due.
    void offer(run_context& context) {
        const std::size_t count = context.work.items();
        for (std::size_t item = 0;
             // Relaxed: as in the workers; nothing is read that the request would publish.
             item < count && context.log.stop.load(std::memory_order_relaxed) == 0; ++item) {
            context.log.offered.hand_over(item, context.log.stop);
            pool_.execute<run_offered_item>(std::uint64_t{item}, workload_);
        }
        pool_.wait();
        const std::lock_guard lock(failure_lock_);
        if (!failure_.empty()) {
            throw scheme_failure(failure_);
        }
    }

    /// Of the items that were offered, the first that failed.
    void keep(const std::exception_ptr& error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& failed) {
            const std::lock_guard lock(failure_lock_);
            failure_ = failure_.empty() ? failed.what() : failure_;
        }
    }

    static void wait_for(const process_job& job) {
        try {
            job.get();
        } catch (const task_failed& error) {
            throw scheme_failure(error.what());
        }
    }

    std::mutex failure_lock_;
    std::string failure_; ///< What `keep` was told first.
    process_pool pool_;
    workload_title workload_{};
};

/// Kills a worker after the other while it lives, each after the same time. It waits that time once
/// more while one is not ready yet: a pool whose workers all die before they begin gives up.
class killer {
public:
    killer(process_pool& pool, std::chrono::nanoseconds every)
        : thread_([this, &pool, every](const std::stop_token& stop) {
            std::unique_lock lock(lock_);
            for (unsigned worker = 0;
                 !stopped_.wait_for(lock, stop, every, [&] { return stop.stop_requested(); });
                 worker = (worker + 1) % pool.size()) {
                if (pool.stats().workers == pool.size()) {
                    pool.signal_worker(worker, SIGKILL);
                }
            }
        }) {}

private:
    std::mutex lock_;
    std::condition_variable_any stopped_;
    std::jthread thread_;
};

/// What both schemes share: the kills, and what they cost.
class on_process_pool : public scheme {
public:
    explicit on_process_pool(const scheme_options& options) : kill_every_(options.kill_every) {}

    /// A worker that is killed leaves a log that ends somewhere.
    bool logs_items() const noexcept override { return kill_every_.count() == 0; }
    std::vector<run_figure> figures() const override { return figures_; }

protected:
    /// A long item may lose many workers to the killer. One that loses them without it crashes.
    unsigned attempts() const noexcept {
        return kill_every_.count() == 0 ? process_pool_options{}.attempts : 1000;
    }
    void run_on(pool_of_run& pool, run_context& context) {
        if (kill_every_.count() == 0) {
            pool.run(context);
            return;
        }
        {
            const killer meanwhile(pool.pool(), kill_every_);
            pool.run(context);
        }
        const process_pool_stats stats = pool.pool().stats();
        figures_ = {{"deaths", static_cast<double>(stats.deaths)},
                    {"reruns", static_cast<double>(stats.reruns)}};
        if (stats.mean_respawn.count() != 0) { // 0: none was replaced in this run
            figures_.push_back({"respawn_ns", static_cast<double>(stats.mean_respawn.count())});
        }
    }

private:
    const std::chrono::nanoseconds kill_every_;
    std::vector<run_figure> figures_;
};

class process_pool_warm final : public on_process_pool {
public:
    using on_process_pool::on_process_pool;
    void prepare(run_context& context) override {
        pool_.emplace(worker_program(), context, attempts());
        pool_->warm_up(context);
    }
    void run(run_context& context) override { run_on(*pool_, context); }

private:
    std::optional<pool_of_run> pool_;
};

class process_pool_cold final : public on_process_pool {
public:
    using on_process_pool::on_process_pool;
    void prepare(run_context&) override { program_ = worker_program(); }
    void run(run_context& context) override {
        pool_of_run pool(program_, context, attempts());
        run_on(pool, context);
        pool.pool().close();
    }

private:
    std::string program_;
};

template<class Scheme>
std::unique_ptr<scheme> make_with(const scheme_options& options) {
    return std::make_unique<Scheme>(options);
}

} // namespace

scheme_info process_pool_scheme() {
    return {.name = "process_pool",
            .summary = "regatta::process_pool, its workers warm: one task an item, begun again if "
                       "its worker dies",
            .suits = "isolation: work that may crash, of which no item is lost",
            .make = make_with<process_pool_warm>,
            .single_tasks = true,
            .traits = {.workers = worker_kind::processes, .replaces_workers = true}};
}

scheme_info process_pool_cold_scheme() {
    return {.name = "process_pool_cold",
            .summary = "the same, the pool made and closed in each run",
            .suits = "one job that may crash",
            .make = make_with<process_pool_cold>,
            .single_tasks = true,
            .traits = {.workers = worker_kind::processes, .replaces_workers = true}};
}

} // namespace regatta::race
