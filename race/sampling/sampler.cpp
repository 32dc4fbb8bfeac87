// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/sampler.hpp"

#include "sampling/random.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace regatta::race {
namespace {

using clock = std::chrono::steady_clock;

outcome run_guarded(const contender& one) {
    try {
        return one.run();
    } catch (const std::exception& e) {
        return outcome::failed(e.what()[0] == '\0' ? "exception without a text" : e.what());
    } catch (...) {
        return outcome::failed("exception of an unknown type");
    }
}

/// One call of `measure`.
class measurement {
public:
    measurement(const std::vector<contender>& contenders, const sampling_options& options,
                const std::function<void(const progress&)>& observer)
        : contenders_(contenders)
        , options_(options)
        , observer_(observer)
        , random_(options.seed) {
        for (const contender& one : contenders) {
            result_.all.push_back({one.name, {}, {}});
        }
    }

    sampling_result run() {
        for (unsigned i = 0; i < options_.warm_up && run_round(i, true); ++i) {
        }
        const auto start = clock::now();
        for (unsigned i = 0; goes_on(i, start) && run_round(i, false); ++i) {
            ++result_.rounds;
        }
        return std::move(result_);
    }

private:
    bool goes_on(unsigned done, clock::time_point start) const {
        if (result_.stopped || std::ranges::all_of(result_.all, &series::failed)) {
            return false;
        }
        const auto used = clock::now() - start;
        const auto ends_within = [&](std::chrono::nanoseconds limit) {
            return done == 0 || used + used / done <= limit;
        };
        if (options_.rounds != 0 && done >= options_.rounds &&
            (done >= most_rounds() || !ends_within(options_.fill))) {
            return false;
        }
        if (options_.rounds == 0 && done >= most_rounds_of_all) {
            return false;
        }
        return options_.time.count() == 0 ? options_.rounds != 0 : ends_within(options_.time);
    }

    unsigned most_rounds() const noexcept {
        return options_.rounds * (options_.fill.count() > 0 ? most_rounds_to_fill : 1);
    }

    /// @returns false if it was stopped.
    bool run_round(unsigned round, bool warm_up) {
        std::vector<std::size_t> order(contenders_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        random_.shuffle(order);
        for (const std::size_t index : order) {
            if (result_.all[index].failed()) {
                continue;
            }
            if (stopped()) {
                return false;
            }
            report(round, warm_up, index);
            if (!run_sample(round, warm_up, index)) {
                return false;
            }
        }
        return true;
    }

    bool run_sample(unsigned round, bool warm_up, std::size_t index) {
        series& mine = result_.all[index];
        for (unsigned again = 0;; ++again) {
            outcome got = run_once(index);
            if (stopped()) {
                return false;
            }
            if (!got.failure.empty()) {
                mine.failure = std::move(got.failure);
                return true;
            }
            if (warm_up) {
                return true;
            }
            sample taken{round, got.ns, got.load.value_or(disturbance{}), std::move(got.details)};
            if (taken.load.contaminated && again < options_.tries_again && trying_helps()) {
                keep_try(mine, again, std::move(taken));
                continue;
            }
            mine.samples.push_back(std::move(taken));
            if (options_.taken) {
                options_.taken(index, mine.samples.back());
            }
            return true;
        }
    }

    /// A try that is taken again: the first counts where nothing is dropped, and a program's memory
    /// in any.
    static void keep_try(series& mine, unsigned again, sample taken) {
        if (again == 0) {
            if (taken.details) {
                taken.details = run_details{.usage = taken.details->usage};
            }
            mine.first_tries.push_back(std::move(taken));
            return;
        }
        sample& first = mine.first_tries.back();
        if (taken.details && taken.details->usage && first.details && first.details->usage) {
            first.details->usage->peak_bytes =
                std::max(first.details->usage->peak_bytes, taken.details->usage->peak_bytes);
        }
    }

    outcome run_once(std::size_t index) {
        if (options_.settle) {
            options_.settle();
        }
        load_meter::reading before;
        if (options_.meter != nullptr) {
            before = options_.meter->read();
        }
        outcome got = run_guarded(contenders_[index]);
        if (options_.meter != nullptr && !got.load) {
            got.load = options_.meter->between(before, options_.meter->read());
        }
        ++samples_;
        contaminated_ += got.load && got.load->contaminated ? 1 : 0;
        return got;
    }

    /// Whether another try of a contaminated sample may be clean.
    bool trying_helps() const noexcept {
        constexpr std::size_t too_few_to_tell = 8;
        return 2 * contaminated_ <= samples_ + too_few_to_tell;
    }

    bool stopped() {
        result_.stopped = result_.stopped || (options_.stop && options_.stop());
        return result_.stopped;
    }

    void report(unsigned round, bool warm_up, std::size_t index) const {
        if (!observer_) {
            return;
        }
        progress now;
        now.warm_up = warm_up;
        now.round = round;
        const bool known = most_rounds() == options_.rounds;
        now.rounds = warm_up ? options_.warm_up : known ? options_.rounds : 0;
        now.contender = contenders_[index].name;
        const double used = std::chrono::duration<double>(clock::now() - begin_).count();
        double whole = std::chrono::duration<double>(options_.time).count();
        if (options_.rounds != 0 && samples_ != 0) {
            const auto contenders_in = static_cast<double>(
                std::ranges::count_if(result_.all, [](const series& s) { return !s.failed(); }));
            const auto expected = [&](unsigned rounds) {
                const double planned = contenders_in * (options_.warm_up + rounds);
                return used / static_cast<double>(samples_) * std::max(planned, double(samples_));
            };
            const double filled = std::clamp(std::chrono::duration<double>(options_.fill).count(),
                                             expected(options_.rounds), expected(most_rounds()));
            whole = whole > 0 ? std::min(whole, filled) : filled;
        }
        if (whole > 0) {
            now.done = std::min(1.0, used / whole);
            now.left = std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::duration<double>(std::max(0.0, whole - used)));
        }
        observer_(now);
    }

    const std::vector<contender>& contenders_;
    const sampling_options& options_;
    const std::function<void(const progress&)>& observer_;
    random_source random_;
    sampling_result result_;
    std::size_t samples_ = 0;      ///< Tries of them, warm-up included.
    std::size_t contaminated_ = 0; ///< Of those.
    clock::time_point begin_ = clock::now();
};

} // namespace

std::size_t series::contaminated() const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(samples, [](const sample& s) { return s.load.contaminated; }));
}

std::vector<sample> series::usable() const {
    if (disturbed()) {
        return samples;
    }
    std::vector<sample> found;
    std::ranges::copy_if(samples, std::back_inserter(found),
                         [this](const sample& s) { return clean(s); });
    return found;
}

std::size_t series::cut() const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(samples, [this](const sample& s) { return s.round < settled; }));
}

series series::undropped() const {
    series all{name, samples, failure, 0, {}};
    auto first = first_tries.begin();
    for (sample& one : all.samples) {
        first = std::find_if(first, first_tries.end(),
                             [&](const sample& s) { return s.round >= one.round; });
        if (first != first_tries.end() && first->round == one.round) {
            one.ns = first->ns;
        }
        one.load.contaminated = false;
    }
    return all;
}

std::size_t series::not_measurable() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        samples, [](const sample& s) { return !s.load.contaminated && !s.load.measurable; }));
}

estimate series::time() const {
    std::vector<double> times;
    for (const sample& one : usable()) {
        times.push_back(one.ns);
    }
    return median_of_rounds(times);
}

const series& sampling_result::of(std::string_view name) const {
    const auto found = std::ranges::find(all, name, &series::name);
    if (found == all.end()) {
        throw std::out_of_range("no contender is called \"" + std::string(name) + "\"");
    }
    return *found;
}

double sampling_result::contaminated_share() const noexcept {
    std::size_t bad = 0;
    std::size_t whole = 0;
    for (const series& one : all) {
        bad += one.contaminated();
        whole += one.samples.size();
    }
    return whole == 0 ? 0 : static_cast<double>(bad) / static_cast<double>(whole);
}

sampling_result measure(const std::vector<contender>& contenders, const sampling_options& options,
                        const std::function<void(const progress&)>& observer) {
    return measurement(contenders, options, observer).run();
}

std::vector<std::optional<double>> ratios_by_round(const series& subject, const series& peer) {
    std::vector<std::optional<double>> all;
    const std::vector<sample> others = peer.usable();
    auto other = others.begin();
    for (const sample& one : subject.usable()) {
        while (other != others.end() && other->round < one.round) {
            ++other;
        }
        if (other != others.end() && other->round == one.round && other->ns > 0) {
            all.resize(one.round + std::size_t{1});
            all.back() = one.ns / other->ns;
        }
    }
    return all;
}

std::vector<double> paired_ratios(const series& subject, const series& peer) {
    std::vector<double> all;
    for (const std::optional<double>& ratio : ratios_by_round(subject, peer)) {
        if (ratio) {
            all.push_back(*ratio);
        }
    }
    return all;
}

} // namespace regatta::race
