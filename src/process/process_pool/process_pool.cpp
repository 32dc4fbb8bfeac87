// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/process_pool.hpp>

#include "process/process_pool/job_record.hpp"
#include "process/process_pool/pool_core.hpp"
#include <regatta/base/error.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace regatta {

process_pool::process_pool(unsigned workers)
    : process_pool(process_pool_options{.workers = workers}) {}

process_pool::process_pool(process_pool_options options)
    : core_(std::make_shared<detail::pool_core>(std::move(options))) {
    core_->start();
}

process_pool::~process_pool() {
    if (core_->elsewhere()) {
        // Its thread and its workers are the other process's: nothing of it may be destroyed here.
        static_cast<void>(new std::shared_ptr(std::move(core_)));
        return;
    }
    close();
}

void process_pool::wait() {
    core_->wait_for_all(nullptr);
}
bool process_pool::wait_until(std::chrono::steady_clock::time_point deadline) {
    return core_->wait_for_all(&deadline);
}
void process_pool::close() {
    core_->close();
}
unsigned process_pool::size() const {
    return core_->size();
}
void process_pool::resize(unsigned workers) {
    core_->resize(workers);
}
bool process_pool::signal_worker(unsigned worker, int signal) {
    return core_->signal_worker(worker, signal);
}
const std::string& process_pool::name() const noexcept {
    return core_->options().name;
}
process_pool_stats process_pool::stats() const {
    return core_->stats();
}

void* process_pool::allocate_bytes(detail::pool_segment segment, std::size_t count,
                                   std::size_t size) {
    core_->refuse_fork("allocate");
    return core_->memory().allocate(segment, count, size);
}
void process_pool::release_bytes(const void* begin, std::size_t bytes) {
    core_->refuse_fork("release");
    core_->memory().release(begin, bytes);
}
const detail::pool_memory& process_pool::memory_for_job() const {
    core_->refuse_fork("begin a job");
    return core_->memory();
}
detail::block_cache& process_pool::blocks() noexcept {
    return core_->blocks();
}
void process_pool::check_elements(std::size_t tasks, std::size_t input, std::size_t output) {
    if (tasks > input || tasks > output) {
        fail_argument("process_pool::map: " + std::to_string(tasks) + " tasks, but " +
                      std::to_string(input) + " elements of input and " + std::to_string(output) +
                      " of output");
    }
}

void process_pool::check_apart(std::span<const std::byte> input,
                               std::span<const std::byte> output) {
    if (input.data() < output.data() + output.size() &&
        output.data() < input.data() + input.size()) {
        fail_argument("process_pool::map: input and output overlap: an attempt that is begun again "
                      "would compute from what the one before it has written");
    }
}

process_job process_pool::start_map(const detail::process_call& call) {
    auto record = new_record();
    core_->begin(record, call);
    return process_job(std::move(record));
}
std::shared_ptr<detail::job_record> process_pool::new_record() {
    return std::make_shared<detail::job_record>(core_);
}
void process_pool::start_task(std::shared_ptr<detail::job_record> record,
                              const detail::process_call& call, detail::future_job job) {
    record->future.emplace(std::move(job));
    record->reported = true;
    try {
        core_->begin(record, call);
    } catch (...) {
        record->future.reset(); // It owns the record.
        throw;
    }
}
void process_pool::start_and_forget(const detail::process_call& call) {
    auto record = new_record();
    record->reported = true;
    core_->begin(record, call);
}

} // namespace regatta
