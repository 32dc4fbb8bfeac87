// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/pool_items.hpp"
#include "schemes/process_team.hpp"
#include "schemes/scheme.hpp"

#include <regatta/process/process_pool.hpp>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

namespace regatta::race {
namespace {

/// A process pool whose workers have the workload and the log of a run.
class pool_of_run {
public:
    pool_of_run(const std::string& program, run_context& context) try
        : pool_({.workers = context.workers,
                 .name = "race",
                 .worker_program = program,
                 .descriptors = {{context.work.descriptor(), pool_workload_descriptor},
                                 {context.log_descriptor, pool_log_descriptor}}}) {
        std::snprintf(workload_.text, sizeof workload_.text, "%s",
                      std::string(context.work.name()).c_str());
    } catch (const std::system_error& error) {
        throw scheme_failure(std::string("the pool could not start: ") + error.what());
    }

    /// Has every worker attach, and touch what an item touches.
    void warm_up(run_context& context) {
        const auto arrived = pool_.allocate<std::uint32_t>(1);
        wait_for(pool_.map<meet_pool_worker>({}, {}, context.workers, workload_, arrived,
                                             std::uint32_t{context.workers}));
        context.work.reset(); // Those items count for nothing.
    }
    void run(run_context& context) {
        wait_for(pool_.map<run_pool_item>({}, {}, context.work.items(), workload_));
    }
    void close() { pool_.close(); }

private:
    static void wait_for(const process_job& job) {
        try {
            job.get();
        } catch (const task_failed& error) {
            throw scheme_failure(error.what());
        }
    }

    process_pool pool_;
    workload_title workload_{};
};

class process_pool_warm final : public scheme {
public:
    void prepare(run_context& context) override {
        pool_.emplace(worker_program(), context);
        pool_->warm_up(context);
    }
    void run(run_context& context) override { pool_->run(context); }

private:
    std::optional<pool_of_run> pool_;
};

class process_pool_cold final : public scheme {
public:
    void prepare(run_context&) override { program_ = worker_program(); }
    void run(run_context& context) override {
        pool_of_run pool(program_, context);
        pool.run(context);
        pool.close();
    }

private:
    std::string program_;
};

} // namespace

scheme_info process_pool_scheme() {
    return {.name = "process_pool",
            .summary = "regatta::process_pool, its workers warm: one task an item, begun again if "
                       "its worker dies",
            .suits = "work that may crash: no item is lost",
            .make = make_new<process_pool_warm>,
            .traits = {.workers = worker_kind::processes}};
}

scheme_info process_pool_cold_scheme() {
    return {.name = "process_pool_cold",
            .summary = "the same, the pool made and closed in each run",
            .suits = "one job that may crash",
            .make = make_new<process_pool_cold>,
            .traits = {.workers = worker_kind::processes}};
}

} // namespace regatta::race
