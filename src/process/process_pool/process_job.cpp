// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/process_job.hpp>

#include "process/process_pool/job_record.hpp"
#include "process/process_pool/pool_core.hpp"
#include <regatta/base/error.hpp>
#include <regatta/process/process_pool.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace regatta {
namespace detail {

void job_record::check() const {
    // Only some exceptions keep their text: one that says something, if there is one.
    auto first = std::find_if(failures.begin(), failures.end(), [](const task_failure& one) {
        return one.cause != failure_cause::exception || !one.type.empty();
    });
    if (!skipped.empty() && (first == failures.end() || skipped.front().first < first->task)) {
        throw task_failed(skipped.front().record(skipped.front().first));
    }
    if (failures.empty()) {
        return;
    }
    if (first == failures.end()) {
        first = failures.begin();
    }
    if (first->cause == failure_cause::exception) {
        throw remote_error(*first);
    }
    throw task_failed(*first);
}

namespace {

/// The pool of a job; null once it has ended, as all its jobs have.
std::shared_ptr<pool_core> pool_of(const job_record& record) {
    auto pool = record.pool.lock();
    if (pool == nullptr) {
        // acquire is enough: partner is the release by which the count of the pool's owners became
        // 0, which a failed lock() reads relaxed; makes visible what the pool wrote into the job
        // before.
        full_fence();
    }
    return pool;
}

} // namespace

const std::byte* result_of(const job_record& record) {
    record.check();
    return record.bytes.data();
}

void abandon_job(job_record& record) noexcept {
    // A future that is complete has read its result: there is nothing to cancel.
    if (record.settled.load(std::memory_order_acquire)) {
        return;
    }
    if (const auto pool = record.pool.lock()) {
        pool->abandon(record);
    }
}

bool wait_for_result(job_record& record, const std::chrono::steady_clock::time_point* deadline) {
    const auto pool = pool_of(record);
    return pool == nullptr || pool->wait_for_result(record, deadline);
}

} // namespace detail

detail::job_record& process_job::record() const {
    if (record_ == nullptr) {
        fail_state("process_job: this is no job of any pool");
    }
    return *record_;
}

void process_job::wait() const {
    detail::job_record& job = record();
    if (const auto pool = detail::pool_of(job)) {
        pool->wait(job, nullptr);
    }
}
bool process_job::wait_until(std::chrono::steady_clock::time_point deadline) const {
    detail::job_record& job = record();
    const auto pool = detail::pool_of(job);
    return pool == nullptr || pool->wait(job, &deadline);
}
void process_job::get() const {
    wait();
    record().check();
}
bool process_job::done() const {
    return wait_until({});
}
std::size_t process_job::tasks() const {
    return record().tasks;
}
std::size_t process_job::progress() const {
    const auto pool = record().pool.lock();
    return pool == nullptr ? tasks() : pool->progress(record());
}
std::size_t process_job::cancel() const {
    const auto pool = record().pool.lock();
    return pool == nullptr ? 0 : pool->cancel(record());
}
std::vector<task_failure> process_job::failures() const {
    wait();
    const detail::job_record& job = record();
    std::vector<task_failure> all;
    auto next = job.failures.begin();
    const auto add_before = [&](std::size_t task) {
        for (; next != job.failures.end() && next->task < task; ++next) {
            all.push_back(*next);
        }
    };
    for (const detail::skipped_tasks& some : job.skipped) {
        add_before(some.first);
        for (std::size_t task = some.first; task < some.end; ++task) {
            all.push_back(some.record(task));
        }
    }
    add_before(job.tasks);
    return all;
}
std::uint64_t process_job::number() const {
    return record().generation;
}

} // namespace regatta
