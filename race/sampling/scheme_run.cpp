// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/scheme_run.hpp"

#include "machine/cpu_time.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace regatta::race {
namespace {

/// CPU time of this process, of its ended children and of those that the log names.
std::int64_t all_cpu_ns(const run_log& log) {
    std::int64_t sum = exact_own_cpu_ns() + children_cpu_ns();
    // Relaxed: no worker runs items at this moment.
    const unsigned seen = log.seen.load(std::memory_order_relaxed);
    std::set<std::int64_t> counted;
    for (unsigned i = 0; i < std::min(seen, run_log::max_workers); ++i) {
        sum += log.workers[i].cpu_ns;
        if (counted.insert(log.workers[i].process).second) {
            sum += process_cpu_ns(log.workers[i].process);
        }
    }
    return sum;
}

} // namespace

outcome scheme_run::run_once() {
    run_log& log = control_->log();
    work_->reset();
    log.clear();
    log.offered.set_rate(rate_,
                         scheme_->single_tasks ? item_source::producer : item_source::workers);
    const std::unique_ptr<scheme> one = scheme_->make(options_);
    run_context context{*work_, log, control_->descriptor(), options_.workers};
    one->prepare(context);

    run_facts facts;
    facts.workers = options_.workers;
    facts.logs_items = one->logs_items();
    facts.tiny_items = work_->tiny_items();
    const std::int64_t cpu_before = all_cpu_ns(log);
    log.offered.begin();
    facts.begin_ns = detail::monotonic_ns();
    one->run(context);
    facts.end_ns = detail::monotonic_ns();
    facts.cpu_ns = all_cpu_ns(log) - cpu_before;

    if (control_->stop_requested()) {
        return outcome::failed("stopped");
    }
    run_details details;
    if (const program_usage* used = one->program()) {
        facts.begin_ns = used->begin_ns;
        facts.end_ns = used->end_ns;
        details.usage = *used;
    } else if (const verification result = verify(facts.logs_items); !result.ok) {
        wrong_ = true;
        return outcome::failed("wrong result: " + result.message);
    }
    details.split = split_time(log, facts);
    details.figures = one->figures();
    return {static_cast<double>(facts.end_ns - facts.begin_ns), {}, std::move(details)};
}

verification scheme_run::verify(bool logged) const {
    verification result = work_->verify();
    return result.ok && logged ? check_items(control_->log(), work_->items()) : result;
}

latency_histogram scheme_run::sum_of(const latency_histogram* of_workers) const {
    latency_histogram all;
    // Relaxed: the workers were joined, or their processes waited for.
    const unsigned seen = control_->log().seen.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < std::min(seen, run_log::max_workers); ++i) {
        all.merge(of_workers[i]);
    }
    return all;
}

} // namespace regatta::race
