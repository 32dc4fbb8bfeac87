// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/scheme_run.hpp"

#include "machine/family_cpu_time.hpp"
#include "sampling/thread_state.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace regatta::race {
namespace {

constexpr unsigned calibration_runs = 10; ///< At most, of the first sample.
constexpr unsigned most_repeats = 1000;
/// A sample whose runs take this many times as long as they should ends before the last one: on a
/// busy machine, threads that spin at a barrier for one that waits for a CPU need a minute for it.
constexpr double most_stretch = 20;
/// To make a run ready, to reset and to verify the workload may take longer than the run. All of
/// that in a sample takes this many times as long as its runs should at most, by fewer runs.
constexpr double most_around = 40;
/// On a busy machine it may take far longer than the shortest time by which that is planned, as
/// threads that are started and joined for each run: a sample that has taken this many times as
/// long as its runs should, with all between them, ends before the last one.
constexpr double most_whole = 2 * most_around;

/// Calls `f` with the number of each worker that kept a log.
template<class F>
void for_each_logged(const run_log& log, F f) {
    // Relaxed: the workers were joined, or their processes waited for.
    const unsigned seen = log.seen.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < std::min(seen, run_log::max_workers); ++i) {
        f(i);
    }
}

/// CPU time that the log tells of processes that the race could not wait for itself.
std::int64_t told_cpu_ns(const run_log& log) {
    std::int64_t sum = 0;
    for_each_logged(log, [&](unsigned i) { sum += log.workers[i].cpu_ns; });
    return sum;
}

/// Items that do nothing.
class idle_items final : public workload {
public:
    std::string_view name() const noexcept override { return "nothing"; }
    std::size_t items() const noexcept override { return 1000; }
    void run(std::size_t) noexcept override {}
    void reset() noexcept override {}
    verification verify() const override { return {true, {}}; }
    int descriptor() const noexcept override { return -1; }
};

} // namespace

bool items_are_short(workload& work) {
    const thread_state usual; // An item may change it.
    const std::size_t count = work.items();
    if (work.tiny_items()) {
        return true;
    }
    if (work.needs_forks() || count < 2) {
        return false;
    }
    const auto took = [&](std::size_t item) {
        const std::int64_t begin = detail::monotonic_ns();
        work.run(item);
        return detail::monotonic_ns() - begin;
    };
    constexpr std::size_t most = 64;
    constexpr std::int64_t cold_ns = 1'000'000; // none that is short takes that the first time
    constexpr std::int64_t disturbed_ns = 20'000'000; // nor that, if others had its CPU meanwhile
    bool is_short = false;
    // Others can only make items longer: one short look suffices.
    for (int looks = 3; looks > 0 && !is_short; --looks) {
        const std::int64_t first = took(0);
        if (first >= disturbed_ns) {
            break;
        }
        if (first < cold_ns) {
            const std::size_t some = std::min(count, most);
            const auto long_ns = static_cast<std::int64_t>(some) * shortest_timed_item.count();
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < some && sum < long_ns; ++i) { // the next may take minutes
                sum += took(i * count / some);
            }
            is_short = sum < long_ns;
            if (sum >= disturbed_ns) {
                break;
            }
        }
    }
    work.reset();
    return is_short;
}

log_cost measured_log_cost(run_log& log) {
    idle_items work;
    log.counts_items = false; // in a sweep those of the race before may have been counted
    log_cost least{1e9, 1e9};
    for (int i = 0; i < 20; ++i) { // the least: what disturbs only adds
        log.clear();
        item_runner(work, log).run_from_counter();
        const worker_log& mine = log.workers[0];
        const auto items = static_cast<double>(mine.items);
        const auto busy = static_cast<double>(mine.busy_ns);
        const auto whole = static_cast<double>(mine.last_ns - mine.first_ns);
        least.within_ns = std::min(least.within_ns, busy / items);
        least.beside_ns = std::min(least.beside_ns, (whole - busy) / (items - 1));
    }
    log.clear();
    return least;
}

/// What the runs of a sample add up to.
struct scheme_run::sums {
    unsigned runs = 0;
    double ns = 0;
    double shortest_ns = 0;
    double around_ns = 0; ///< The shortest time from one run to the next.
    double whole_ns = 0;  ///< Of the runs and all between them.
    time_split split{};
    struct figure_sum {
        run_figure of_runs;
        unsigned runs = 0; ///< That had it.
    };
    std::vector<figure_sum> figures{};
    std::optional<program_usage> usage{};
    load_meter::reading used{}; ///< While they ran.
    /// The kernel's threads are read around all runs, with what lies between them: to read each
    /// of them around a run of some microseconds takes a millisecond.
    bool kernel_at_once = false;

    void add_usage(const program_usage& run) {
        if (!usage) {
            usage = run;
            return;
        }
        usage->end_ns = run.end_ns;
        usage->cpu_ns += run.cpu_ns;
        usage->peak_bytes = std::max(usage->peak_bytes, run.peak_bytes);
    }

    void add_figures(const std::vector<run_figure>& run) {
        for (const run_figure& one : run) {
            auto found = std::ranges::find(figures, one.name,
                                           [](const figure_sum& sum) { return sum.of_runs.name; });
            if (found == figures.end()) {
                found = figures.insert(found, figure_sum{{one.name, 0}, 0});
            }
            found->of_runs.value += one.value;
            ++found->runs;
        }
    }

    void add_load(const load_meter::reading& before, const load_meter::reading& after) {
        used.wall_ns += after.wall_ns - before.wall_ns;
        used.all_ns += after.all_ns - before.all_ns;
        used.own_ns += after.own_ns - before.own_ns;
        used.ticks_ns += after.ticks_ns - before.ticks_ns;
        used.kernel_ns += after.kernel_ns - before.kernel_ns;
        used.stolen_ns += after.stolen_ns - before.stolen_ns;
    }

    run_details details() const {
        run_details mean{split.divided_by(runs), usage, {}};
        if (mean.usage) {
            mean.usage->cpu_ns /= runs;
        }
        for (const figure_sum& one : figures) {
            mean.figures.push_back({one.of_runs.name, one.of_runs.value / one.runs});
        }
        return mean;
    }
};

outcome scheme_run::run_sample() {
    control_->note_scheme(*scheme_);
    latencies_.clear();
    delays_.clear();
    const bool first = repeats_ == 0;
    const unsigned planned = first ? calibration_runs : repeats_;
    const auto wanted_ns = static_cast<double>(how_.rate > 0 ? 0 : how_.shortest_sample.count());
    sums sum;
    sum.kernel_at_once = planned > 1 && how_.meter != nullptr;
    const std::int64_t kernel_before = sum.kernel_at_once ? how_.meter->kernel_ns() : 0;
    const thread_state usual; // Restored after the end of the last scheme.
    std::unique_ptr<scheme> one;
    // The first run of all may be far longer than the next ones: memory is touched, code made.
    const auto long_enough = [&] {
        const double stretch = first && sum.runs > 1 ? 1 : most_stretch;
        return sum.runs != 0 &&
               (sum.ns >= stretch * wanted_ns ||
                (!(first && sum.runs < 2) && sum.whole_ns >= most_whole * wanted_ns));
    };
    // The first run may compute what all results are compared with: the second one counts.
    const auto affordable = [&] {
        return sum.runs < 2
                   ? double{most_repeats}
                   : std::max(1.0,
                              std::floor(most_around * wanted_ns / std::max(1.0, sum.around_ns)));
    };
    while (sum.runs < planned && !long_enough() && !(first && sum.runs >= affordable())) {
        const std::int64_t begin_ns = detail::monotonic_ns();
        const double timed_ns = sum.ns;
        if (const std::string failure = run_once(one, usual, sum); !failure.empty()) {
            return outcome::failed(failure);
        }
        const std::int64_t taken_ns = detail::monotonic_ns() - begin_ns;
        control_->note_run(taken_ns);
        const auto whole_ns = static_cast<double>(taken_ns);
        const double around_ns = whole_ns - (sum.ns - timed_ns);
        sum.around_ns = sum.runs == 1 ? around_ns : std::min(sum.around_ns, around_ns);
        sum.whole_ns += whole_ns;
    }
    if (first) {
        const double runs =
            std::min(std::ceil(wanted_ns / std::max(1.0, sum.shortest_ns)), double{most_repeats});
        repeats_ = static_cast<unsigned>(std::max(1.0, std::min(runs, affordable())));
        short_samples_ = 2 * repeats_ < runs;
    }
    if (sum.kernel_at_once) {
        sum.used.kernel_ns = how_.meter->kernel_ns() - kernel_before;
    }
    outcome got{sum.ns / sum.runs, {}, sum.details(), {}};
    if (how_.meter != nullptr) {
        got.load = how_.meter->between({}, sum.used);
    }
    return got;
}

std::string scheme_run::run_once(std::unique_ptr<scheme>& one, const thread_state& usual,
                                 sums& into) {
    run_log& log = control_->log();
    run_context context{*work_, log, control_->descriptor(), options_.workers};
    const bool again = one && how_.reuse && scheme_->reusable;
    if (!again) {
        one.reset(); // the workers of the last run have ended before the log is cleared
    }
    begin_anew();
    if (!again) {
        usual.restore();
        one = make_ready(context);
    }

    run_facts facts;
    facts.workers = options_.workers;
    facts.tiny_items = work_->tiny_items() || how_.count_items;
    facts.cost = how_.cost;
    const std::int64_t cpu_before = family_cpu_ns();
    const auto look = [&](std::int64_t own_ns) {
        return into.kernel_at_once ? how_.meter->read_without_kernel(own_ns)
                                   : how_.meter->read(own_ns);
    };
    const auto before = how_.meter != nullptr ? look(cpu_before) : load_meter::reading{};
    log.offered.begin();
    facts.begin_ns = detail::monotonic_ns();
    one->run(context);
    facts.end_ns = detail::monotonic_ns();
    const std::int64_t cpu_after = family_cpu_ns() + told_cpu_ns(log);
    facts.cpu_ns = cpu_after - cpu_before;
    if (how_.meter != nullptr) {
        into.add_load(before, look(cpu_after));
    }
    facts.logs_items = one->logs_items();
    facts.forked = !facts.logs_items && work_->forks() && scheme_->forks;

    if (control_->stop_requested()) {
        return "stopped";
    }
    if (const program_usage* used = one->program()) {
        facts.begin_ns = used->begin_ns;
        facts.end_ns = used->end_ns;
        into.add_usage(*used);
    } else if (const verification result = verify(facts.logs_items); !result.ok) {
        wrong_ = true;
        return "wrong result: " + result.message;
    }
    const auto ns = static_cast<double>(facts.end_ns - facts.begin_ns);
    into.shortest_ns = into.runs == 0 ? ns : std::min(into.shortest_ns, ns);
    into.ns += ns;
    ++into.runs;
    into.split += split_time(log, facts);
    into.add_figures(one->figures());
    for_each_logged(log, [&](unsigned i) {
        latencies_.merge(log.latencies[i]);
        delays_.merge(log.delays[i]);
    });
    return {};
}

/// A scheme before its first timed run.
std::unique_ptr<scheme> scheme_run::make_ready(run_context& context) const {
    std::unique_ptr<scheme> made = scheme_->make(options_);
    made->prepare(context);
    if (how_.reuse && scheme_->reusable) {
        made->run(context);
        begin_anew();
    }
    return made;
}

/// As if nothing had run.
void scheme_run::begin_anew() const {
    run_log& log = control_->log();
    work_->reset();
    log.clear();
    log.counts_items = how_.count_items;
    log.offered.set_rate(how_.rate,
                         scheme_->single_tasks ? item_source::producer : item_source::workers);
    log.offered.begin();
}

verification scheme_run::verify(bool logged) const {
    // Of an item that did not run, or ran twice, a wrong value says nothing.
    const verification items =
        logged ? check_items(control_->log(), work_->items()) : verification{true, {}};
    return items.ok ? work_->verify() : items;
}

} // namespace regatta::race
