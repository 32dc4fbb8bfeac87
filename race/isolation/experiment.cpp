// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/experiment.hpp"

#include "isolation/isolation_evaluation.hpp"
#include "isolation/noise_process.hpp"
#include "isolation/worker_cpus.hpp"
#include "isolation/worker_room.hpp"
#include "machine/cpu_time.hpp"
#include "machine/quiesce.hpp"
#include "programs/launch.hpp"
#include "programs/program.hpp"

#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace regatta::race {
namespace {

/// The whole of one call of `run_isolation`.
class experiment {
public:
    experiment(const isolation_options& options, race_control& control,
               const std::function<void(const progress&)>& observer)
        : options_(options)
        , control_(control)
        , observer_(observer)
        , program_(options.noise_program.empty() ? noise_role.program() : options.noise_program) {
        if (options.rounds < 1) {
            fail_argument("rounds: 0 is out of range; allowed are 1 and more");
        }
        const topology machine = topology::read();
        const cpu_set usable = usable_cpus(machine);
        const cpu_set own = affinity_of_this_thread();
        worker_cpus chosen =
            choose_worker_cpus(options.workers, options.cpus, usable, own, machine);
        result_.noise = options.noise;
        for (const std::string& word : options.program) {
            result_.program.push_back(
                with_workers(word, static_cast<unsigned>(chosen.workers.size())));
        }
        result_.workers = static_cast<unsigned>(chosen.workers.size());
        result_.worker_cpus = std::move(chosen.workers);
        result_.cpus = std::move(chosen.owned);
        result_.seed = options.seed;
        result_.move_others = options.move_others;
        result_.warm_up = options.warm_up;
        // Workers may be put on CPUs that this process may not use, isolated ones for instance.
        cpu_set watched = result_.cpus;
        for (const unsigned cpu : result_.worker_cpus) {
            watched.insert(cpu);
        }
        if (const cpu_set beyond = watched - own - machine.isolated; !beyond.empty()) {
            result_.notes.push_back("this process keeps to CPUs " + own.to_string() +
                                    ", and so do workers that nobody pins; the other modes also "
                                    "use CPUs " +
                                    beyond.to_string());
        }
        if (options.noise.made()) { // Out of CPUs of the workers' own it may go to any.
            watched |= usable;
        }
        meter_.emplace(watched);
        result_.load_source = meter_->source();
        result_.load_resolution_ns = meter_->resolution_ns();
        for (const isolation_mode mode : isolation_modes) {
            mode_result& one = result_.modes.emplace_back();
            one.mode = mode;
            one.measured.name = to_string(mode);
        }
        if (!options.noise.made()) {
            mode_result& beside = result_.of(isolation_mode::unpinned);
            beside.status = mode_status::unavailable;
            beside.reason = "where no noise is made it is the same as alone";
        }
    }

    isolation_result run() {
        if (result_.program.empty()) {
            result_.units = units_for(static_cast<double>(options_.work.count()));
        }
        ask_for_exclusive();
        measure_all();
        control_.note_measuring(false);
        evaluate_isolation(result_);
        return std::move(result_);
    }

private:
    room_request request(std::vector<pid_t> noise) const {
        return {result_.worker_cpus, result_.cpus, std::move(noise), options_.move_others,
                !result_.program.empty()};
    }

    void ask_for_exclusive() {
        // With noise, as a shield that may move nothing else has something to do then.
        std::optional<noise> some;
        mode_result& mode = result_.of(isolation_mode::exclusive);
        try {
            some.emplace(options_.noise, result_.worker_cpus, program_);
        } catch (const std::exception&) {
            return; // each mode finds out for itself
        }
        exclusive_answer answer = try_exclusive_room(request(some->processes()));
        mode.level = std::move(answer.level);
        mode.explanation = std::move(answer.explanation);
        if (!answer.available) {
            mode.status = mode_status::unavailable;
            mode.reason = std::move(answer.reason);
        }
    }

    std::unique_ptr<worker_room> room_for(isolation_mode mode, std::vector<pid_t> noise) const {
        switch (mode) {
        case isolation_mode::alone:
        case isolation_mode::unpinned:
            return open_room();
        case isolation_mode::pinned:
            return pinned_room(request(std::move(noise)));
        case isolation_mode::exclusive:
            break;
        }
        return exclusive_room(request(std::move(noise)));
    }

    /// The same; notes where others own the CPUs by now.
    std::unique_ptr<worker_room> take_room(isolation_mode mode, std::vector<pid_t> noise) {
        try {
            return room_for(mode, std::move(noise));
        } catch (const std::system_error& error) {
            owned_by_others_ =
                owned_by_others_ || (mode == isolation_mode::exclusive &&
                                     error.code() == std::errc::device_or_resource_busy);
            throw;
        }
    }

    team_run compute(worker_room& room) const {
        return run_team({.workers = result_.workers,
                         .units = result_.units,
                         .seed = options_.seed,
                         .enter = [&](unsigned worker) { room.enter(worker); },
                         .stop = [&] { return control_.stop_requested(); }});
    }

    /// Once, on the CPUs of as many workers. Nobody knows its threads.
    team_run run_program(worker_room& room) const {
        program_launch launch(result_.program);
        room.enter_process(launch.pid());
        const launch_record record = launch.run([&] { return control_.stop_requested(); });
        team_run run;
        run.figures.wall_ns = static_cast<double>(record.end_ns - record.begin_ns);
        run.figures.worker_wall_ns = run.figures.wall_ns * result_.workers;
        run.figures.cpu_ns = static_cast<double>(record.user_ns + record.system_ns);
        run.figures.user_ns = static_cast<double>(record.user_ns);
        run.figures.system_ns = static_cast<double>(record.system_ns);
        run.figures.voluntary_switches = static_cast<double>(record.voluntary_switches);
        run.figures.involuntary_switches = static_cast<double>(record.involuntary_switches);
        return run;
    }

    /// One sample.
    outcome run_once(isolation_mode mode, std::vector<team_figures>& runs) {
        std::optional<noise> neighbours;
        if (mode != isolation_mode::alone) {
            neighbours.emplace(options_.noise, result_.worker_cpus, program_);
        }
        const auto room =
            take_room(mode, neighbours ? neighbours->processes() : std::vector<pid_t>());
        // Not by looking for descendants, whom not every kernel lists: of those that this process
        // has, the noise alone lives at both moments, but for what a program leaves behind, which
        // counts as others.
        const auto own_ns = [&] {
            return exact_own_cpu_ns() + children_cpu_ns() + (neighbours ? neighbours->cpu_ns() : 0);
        };
        const std::int64_t before = neighbours ? neighbours->cpu_ns() : 0;
        // Not around all of it: taking CPUs, and starting the noise, may take longer than the work.
        const load_meter::reading load_before = meter_->read(own_ns());
        team_run run = result_.program.empty() ? compute(*room) : run_program(*room);
        const load_meter::reading load_after = meter_->read(own_ns());
        if (neighbours) {
            run.figures.noise_cpu_ns = static_cast<double>(neighbours->cpu_ns() - before);
        }
        room->close();
        if (neighbours) {
            neighbours->stop();
        }
        if (control_.stop_requested()) {
            return outcome::failed("stopped");
        }
        if (expected_.empty()) {
            expected_ = run.results;
        }
        if (run.results != expected_) {
            return outcome::failed("wrong result: the computation came out otherwise than before");
        }
        runs.push_back(run.figures);
        return {run.figures.wall_ns, {}, {}, meter_->between(load_before, load_after)};
    }

    std::vector<contender> contenders() {
        std::vector<contender> all;
        for (mode_result& mode : result_.modes) {
            if (mode.status == mode_status::ok) {
                all.push_back({std::string(to_string(mode.mode)),
                               [this, &mode] { return run_once(mode.mode, mode.runs); }});
            }
        }
        // Has figures of its own, so that they do not mix with those of the mode.
        all.push_back({control_name(to_string(isolation_mode::alone)), [this] {
                           std::vector<team_figures> unused;
                           return run_once(isolation_mode::alone, unused);
                       }});
        return all;
    }

    sampling_result measure_rounds(unsigned warm_up, unsigned rounds) {
        sampling_options how{.rounds = rounds,
                             .warm_up = warm_up,
                             .seed = options_.seed,
                             .settle = [] { quiesce(); },
                             .stop = [this] { return control_.stop_requested(); }};
        return measure(contenders(), how, observer_);
    }

    /// Where no noise is made others are what is measured, and no reason to drop a sample.
    void keep_disturbed(series& measured) const {
        for (sample& one : measured.samples) {
            one.load.contaminated = one.load.contaminated && options_.noise.made();
        }
    }

    /// Takes over what was measured and who failed.
    void take(const sampling_result& measured) {
        result_.stopped = result_.stopped || measured.stopped;
        result_.rounds = measured.rounds;
        for (mode_result& mode : result_.modes) {
            const auto found = std::ranges::find(measured.all, to_string(mode.mode), &series::name);
            if (found == measured.all.end()) {
                continue;
            }
            mode.measured = *found;
            keep_disturbed(mode.measured);
            // Of a sample that was forgotten because of a stop there may be one run more.
            mode.runs.resize(std::min(mode.runs.size(), mode.measured.samples.size()));
            if (found->failed()) {
                mode.status = mode_status::failed;
                mode.reason = found->failure;
            }
            if (found->failed() && mode.mode == isolation_mode::exclusive && owned_by_others_) {
                mode.status = mode_status::unavailable;
                mode.measured = {found->name, {}, {}, 0, {}};
                mode.runs.clear();
            }
        }
        result_.control = measured.all.back();
        keep_disturbed(result_.control);
        mode_result& alone = result_.of(isolation_mode::alone);
        if (result_.control.failed() && alone.status == mode_status::ok) {
            alone.status = mode_status::failed;
            alone.reason = result_.control.failure;
        }
    }

    void measure_all() {
        if (result_.warm_up != 0) {
            take(measure_rounds(result_.warm_up, 0));
        }
        for (mode_result& mode : result_.modes) {
            mode.runs.clear();
        }
        if (!result_.stopped) {
            take(measure_rounds(0, options_.rounds));
        }
    }

    const isolation_options& options_;
    race_control& control_;
    const std::function<void(const progress&)>& observer_;
    std::string program_;
    std::optional<load_meter> meter_{}; ///< Made once the workers' CPUs are known.
    isolation_result result_;
    std::vector<std::uint64_t> expected_; ///< The workers' results, of the first run.
    bool owned_by_others_ = false;        ///< The CPUs, in the middle of the experiment.
};

} // namespace

isolation_result run_isolation(const isolation_options& options, race_control& control,
                               const std::function<void(const progress&)>& observer) {
    return experiment(options, control, observer).run();
}

} // namespace regatta::race
