// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/gap_attribution.hpp"

#include "inspect/tick_phase.hpp"
#include <regatta/inspect/jitter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace regatta::detail {

void gap_attribution::ran(std::size_t who, gap_cause kind, std::int64_t begin_ns,
                          std::int64_t end_ns) {
    intervals_.push_back({begin_ns, end_ns, who, kind});
}

void gap_attribution::add(const gap& one) {
    forget_until(one.start_ns);
    if (one.displaced && put_down_to_task(one)) {
        return;
    }
    phase_.add(one.start_ns);
    current_.gaps.push_back(one);
}

void gap_attribution::settle(const interruption_counts& counts) {
    current_.counts = counts;
    stretches_.push_back(std::exchange(current_, {}));
    forget_until(std::exchange(told_ns_, looped_ns_));
    // The newest stretch waits: the cause of its last gap may be counted only in the next one.
    while (stretches_.size() > 1 &&
           (phase_.known() || stretches_.size() > stretches_without_phase)) {
        resolve(stretches_.front(), &stretches_[1]);
        stretches_.pop_front();
    }
}

void gap_attribution::finish() {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
        resolve(stretches_[i], i + 1 < stretches_.size() ? &stretches_[i + 1] : &current_);
    }
    stretches_.clear();
    resolve(current_, nullptr);
    current_ = {};
}

const gap_histogram& gap_attribution::operator[](gap_cause cause) const noexcept {
    return histograms_[static_cast<std::size_t>(cause)];
}

gap_histogram gap_attribution::all() const noexcept {
    gap_histogram sum;
    for (const gap_histogram& one : histograms_) {
        sum += one;
    }
    return sum;
}

void gap_attribution::forget_until(std::int64_t time_ns) {
    while (!intervals_.empty() && intervals_.front().end_ns <= time_ns) {
        intervals_.pop_front();
    }
}

void gap_attribution::count(const gap& one, gap_cause cause, std::size_t who) {
    histograms_[static_cast<std::size_t>(cause)].add(one.length_ns);
    if (longest_.size() == longest_kept && longest_.back().length_ns >= one.length_ns) {
        return;
    }
    const long_gap made{one.start_ns, one.length_ns, cause, who};
    longest_.insert(std::upper_bound(longest_.begin(), longest_.end(), made,
                                     [](const long_gap& a, const long_gap& b) {
                                         return a.length_ns > b.length_ns;
                                     }),
                    made);
    if (longest_.size() > longest_kept) {
        longest_.pop_back();
    }
}

bool gap_attribution::put_down_to_task(const gap& one) {
    std::unordered_map<std::size_t, std::int64_t> sums; // By task: it may have had several turns.
    const interval* most = nullptr;
    std::int64_t most_ns = 0;
    for (const interval& ran : intervals_) {
        const std::int64_t shared =
            std::min(ran.end_ns, one.end_ns()) - std::max(ran.begin_ns, one.start_ns);
        if (shared > 0) {
            const std::int64_t sum = sums[ran.task] += shared;
            if (sum > most_ns) {
                most = &ran;
                most_ns = sum;
            }
        }
    }
    if (most != nullptr) {
        count(one, most->kind, most->task);
    } else if (!traced_) {
        count(one, gap_cause::user_task);
    }
    return most != nullptr || !traced_;
}

bool gap_attribution::take(std::uint64_t& budget) noexcept {
    const bool had = budget > 0;
    budget -= had ? 1 : 0;
    return had;
}

void gap_attribution::resolve(stretch& now, stretch* next) {
    // Counts that came too late for the previous stretch still apply; older ones do not.
    left_.ticks += now.counts.ticks;
    left_.devices += now.counts.devices;
    left_.interprocessor += now.counts.interprocessor;
    const std::int64_t stolen = std::max<std::int64_t>(now.counts.steal_ns, 0);
    left_.steal_ns += stolen;

    std::erase_if(now.gaps, [&](const gap& one) {
        const bool tick =
            phase_.matches(one.start_ns) && one.length_ns < tick_ns_ / 2 && take(left_.ticks);
        if (tick) {
            count(one, gap_cause::tick);
        }
        return tick;
    });
    std::sort(now.gaps.begin(), now.gaps.end(),
              [](const gap& a, const gap& b) { return a.length_ns > b.length_ns; });
    for (const gap& one : now.gaps) {
        if (one.length_ns >= least_steal_ns && left_.steal_ns > 0) {
            left_.steal_ns -= one.length_ns;
            count(one, gap_cause::steal);
        } else if (take(left_.devices)) {
            count(one, gap_cause::device);
        } else if (take(left_.interprocessor)) {
            count(one, gap_cause::interprocessor);
        } else if (one.length_ns < tick_ns_ / 2 && take(left_.ticks)) {
            count(one, gap_cause::tick);
        } else if (next != nullptr && one.end_ns() > now.counts.read_ns - tick_ns_) {
            next->gaps.push_back(one);
        } else {
            count(one, gap_cause::unexplained);
        }
    }
    left_.ticks = std::min(left_.ticks, now.counts.ticks);
    left_.devices = std::min(left_.devices, now.counts.devices);
    left_.interprocessor = std::min(left_.interprocessor, now.counts.interprocessor);
    left_.steal_ns = std::clamp<std::int64_t>(left_.steal_ns, 0, stolen);
}

} // namespace regatta::detail
