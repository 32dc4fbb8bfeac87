// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/load_meter.hpp"

#include "machine/cpu_time.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace regatta::race {
namespace {

std::vector<unsigned> watched_cpus(const cpu_set& further) {
    cpu_set cpus;
    if (try_affinity_of_this_thread(cpus) != 0) {
        const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
        for (long cpu = 0; cpu < std::max(1L, online); ++cpu) {
            cpus.insert(static_cast<unsigned>(cpu));
        }
    }
    cpus |= further;
    return {cpus.begin(), cpus.end()};
}

/// Where those are not all CPUs: they.
std::optional<cpu_set> only_those(const std::vector<unsigned>& cpus) {
    if (static_cast<long>(cpus.size()) >= ::sysconf(_SC_NPROCESSORS_ONLN)) {
        return std::nullopt;
    }
    cpu_set some;
    for (const unsigned cpu : cpus) {
        some.insert(cpu);
    }
    return some;
}

/// Columns of a row of /proc/stat: user nice system idle iowait irq softirq steal (proc(5)); the
/// time of guests is part of user and nice.
struct stat_row {
    std::int64_t busy = 0;
    std::int64_t stolen = 0;
};

stat_row read_stat(const std::string& path, const std::vector<unsigned>& cpus) {
    stat_row sum;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line) && line.starts_with("cpu")) {
        std::istringstream row(line.substr(3));
        unsigned cpu = 0;
        if (line[3] == ' ' || !(row >> cpu) || !std::ranges::binary_search(cpus, cpu)) {
            continue;
        }
        std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
        std::int64_t steal = 0;
        row >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
        sum.busy += user + nice + system + irq + softirq;
        sum.stolen += steal;
    }
    return sum;
}

std::int64_t read_cpuacct(const std::string& folder, const std::vector<unsigned>& cpus) {
    std::ifstream file(folder + "/cpuacct.usage_percpu");
    std::int64_t sum = 0;
    std::int64_t used = 0;
    for (unsigned cpu = 0; file >> used; ++cpu) {
        sum += std::ranges::binary_search(cpus, cpu) ? used : 0;
    }
    return sum;
}

/// The root's own cpu.stat is made of ticks; its children's are exact, and nearly every process of
/// a system lives in one of them.
std::int64_t read_unified(const std::string& folder) {
    std::int64_t sum = 0;
    std::error_code error;
    for (const auto& group : std::filesystem::directory_iterator(folder, error)) {
        std::ifstream file(group.path() / "cpu.stat");
        std::string key;
        std::int64_t used_us = 0;
        if (file >> key >> used_us && key == "usage_usec") {
            sum += used_us * 1000;
        }
    }
    return sum;
}

} // namespace

load_meter::load_meter(const cpu_set& further) : load_meter(files{}, further) {}

load_meter::load_meter(files where, const cpu_set& further)
    : where_(std::move(where))
    , cpus_(watched_cpus(further))
    , kernel_(only_those(cpus_)) {
    const long ticks = ::sysconf(_SC_CLK_TCK);
    tick_ns_ = 1'000'000'000 / std::max(1L, ticks);
    namespace fs = std::filesystem;
    std::error_code error;
    // Exact counters, but the kernel itself works now and then on behalf of nobody.
    constexpr std::int64_t exact_ns = 100'000;
    // Only the root of a v1 hierarchy has a release_agent, only the root of v2 has no cgroup.type.
    if (fs::exists(where_.cpuacct + "/release_agent", error) &&
        choose(counter::cpuacct, "cpuacct control group (nanoseconds)", exact_ns)) {
        return;
    }
    if (fs::exists(where_.unified + "/cgroup.controllers", error) &&
        !fs::exists(where_.unified + "/cgroup.type", error) &&
        choose(counter::unified, "v2 control groups (microseconds)", exact_ns)) {
        others_elsewhere_ = only_those(cpus_).has_value();
        return;
    }
    choose(counter::ticks, "/proc/stat (ticks of " + std::to_string(tick_ns_ / 1'000'000) + " ms)",
           resolution_of_ticks_ns());
}

std::int64_t load_meter::resolution_of_ticks_ns() const noexcept {
    return tick_ns_ * (static_cast<std::int64_t>(cpus_.size()) + 1);
}

bool load_meter::choose(counter kind, std::string name, std::int64_t resolution_ns) {
    counter_ = kind;
    resolution_ns_ = resolution_ns;
    if (kind == counter::ticks ? all_ns() > 0 : sees_own_work()) {
        source_ = std::move(name);
        return true;
    }
    counter_ = counter::none;
    return false;
}

std::int64_t load_meter::all_ns() const {
    switch (counter_) {
    case counter::cpuacct:
        return read_cpuacct(where_.cpuacct, cpus_);
    case counter::unified:
        return read_unified(where_.unified);
    case counter::ticks:
        return read_stat(where_.stat, cpus_).busy * tick_ns_;
    case counter::none:
        break;
    }
    return 0;
}

bool load_meter::sees_own_work() const {
    const reading before = read();
    // Not since `before`, which has the children's time too: also of those before an exec.
    for (const std::int64_t begin = own_cpu_ns(); own_cpu_ns() - begin < 2'000'000;) {
    }
    const reading after = read();
    const std::int64_t own = after.own_ns - before.own_ns;
    return after.all_ns - before.all_ns >= own - own / 5;
}

load_meter::reading load_meter::read() const {
    // Our own time first: asking for it makes the kernel bring the groups' counters up to date.
    return read(own_cpu_ns() + children_cpu_ns());
}

load_meter::reading load_meter::read(std::int64_t own_ns) const {
    reading now = read_without_kernel(own_ns);
    now.kernel_ns = kernel_ns();
    return now;
}

std::int64_t load_meter::kernel_ns() const {
    // The groups of the v2 hierarchy have no thread of the kernel in them: those are in its root.
    const bool counted =
        counter_ == counter::cpuacct || counter_ == counter::ticks || others_elsewhere_;
    return counted ? kernel_.cpu_ns() : 0;
}

load_meter::reading load_meter::read_without_kernel(std::int64_t own_ns) const {
    reading now;
    now.own_ns = own_ns;
    now.wall_ns = detail::monotonic_ns();
    now.all_ns = all_ns();
    const stat_row row = read_stat(where_.stat, cpus_);
    now.ticks_ns = row.busy * tick_ns_;
    now.stolen_ns = row.stolen * tick_ns_;
    return now;
}

disturbance load_meter::between(const reading& before, const reading& after) const noexcept {
    disturbance d;
    d.available_ns = (after.wall_ns - before.wall_ns) * static_cast<std::int64_t>(cpus_.size());
    const std::int64_t own = after.own_ns - before.own_ns;
    std::int64_t resolution_ns = resolution_ns_;
    if (counter_ != counter::none) {
        d.kernel_ns = std::max<std::int64_t>(0, after.kernel_ns - before.kernel_ns);
        const std::int64_t kernel = others_elsewhere_ ? 0 : d.kernel_ns; // As all_ns has it.
        d.others_ns = std::max<std::int64_t>(0, after.all_ns - before.all_ns - own - kernel);
    }
    d.stolen_ns = std::max<std::int64_t>(0, after.stolen_ns - before.stolen_ns);
    const double allowed = tolerance * static_cast<double>(d.available_ns);
    const auto over = [&](std::int64_t used, std::int64_t resolution) {
        return used > resolution && static_cast<double>(used) > allowed;
    };
    if (others_elsewhere_ && over(d.others_ns, resolution_ns)) {
        const std::int64_t here = after.ticks_ns - before.ticks_ns - own - d.kernel_ns;
        d.others_ns = std::clamp<std::int64_t>(here, 0, d.others_ns);
        resolution_ns = resolution_of_ticks_ns();
    }
    d.measurable = counter_ != counter::none && static_cast<double>(resolution_ns) <= allowed;
    d.contaminated = over(d.others_ns, resolution_ns) || over(d.stolen_ns, tick_ns_);
    return d;
}

} // namespace regatta::race
