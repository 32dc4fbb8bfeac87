// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Any files as those of a machine: the topology holds together whatever stands in them.
///
/// The input is text: a line a file, its path below /sys/devices or /proc, a blank, and what stands
/// in it, with '|' for the end of a line.

#include "expect.hpp"

#include <regatta/cpu/placement.hpp>
#include <regatta/cpu/topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace {

using fuzz::expect;
using regatta::cpu_set;
using regatta::topology;

/// CPUs and nodes up to here, so that one input takes no time to speak of.
constexpr unsigned largest = 300;

class input_files {
public:
    explicit input_files(std::string_view input) {
        for (const std::string_view line : regatta::detail::split(input, '\n')) {
            const auto blank = std::min(line.find(' '), line.size());
            std::string text(line.substr(std::min(blank + 1, line.size())));
            std::replace(text.begin(), text.end(), '|', '\n');
            files_[std::string(line.substr(0, blank))] = text;
        }
    }

    std::optional<std::string> operator()(std::string_view path) const {
        for (const std::string_view top : {"/sys/devices/", "/sys/fs/", "/proc/"}) {
            if (path.substr(0, top.size()) == top) {
                path.remove_prefix(top.size());
            }
        }
        const auto found = files_.find(std::string(path));
        if (found == files_.end() || is_large(path, found->second)) {
            return std::nullopt;
        }
        return found->second;
    }

private:
    static bool is_large(std::string_view path, const std::string& text) {
        const auto end = path.substr(path.rfind('/') + 1);
        if (end != "online" && end != "present" && end != "possible") {
            return false;
        }
        const auto set = regatta::detail::to_cpu_list(text);
        return set && !(*set - cpu_set::first(largest)).empty();
    }

    std::map<std::string, std::string> files_;
};

template<class Parts>
void expect_partition(const Parts& parts, const topology& machine) {
    cpu_set seen;
    for (const auto& part : parts) {
        expect((seen & part.cpus).empty(), "no CPU lies in two parts of a sort");
        seen |= part.cpus;
    }
    expect(seen == machine.online, "every CPU lies in a part of each sort");
}

void check_placement(const topology& machine) {
    using regatta::placement_policy;
    for (const auto policy :
         {placement_policy::compact, placement_policy::scatter, placement_policy::one_per_core,
          placement_policy::avoid_siblings, placement_policy::per_node}) {
        const unsigned workers = machine.online.count();
        const auto places = regatta::place(workers, policy, machine, machine.possible);
        expect(places.size() == workers, "every worker has a place");
        cpu_set all;
        for (const cpu_set& place : places) {
            expect(!place.empty() && machine.online.contains(place), "a place is online");
            all |= place;
        }
        expect(all == machine.online, "as many workers as CPUs have them all");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const input_files files(std::string_view(reinterpret_cast<const char*>(data), size));
    const auto read = regatta::detail::read_topology<regatta::topology>(files);
    if (!read) {
        return 0;
    }
    const topology& machine = *read;
    expect(!machine.online.empty(), "some CPU is online");
    expect(machine.present.contains(machine.online), "what is online is present");
    expect(machine.possible.contains(machine.present), "what is present is possible");
    expect(machine.online.contains(machine.housekeeping), "housekeeping CPUs are online");
    expect_partition(machine.cores, machine);
    expect_partition(machine.dies, machine);
    expect_partition(machine.packages, machine);
    expect_partition(machine.nodes, machine);
    expect_partition(machine.kinds, machine);
    for (const auto& info : machine.cpus) {
        expect(machine.cores.at(info.core).cpus.contains(info.cpu), "a core has its CPU");
        expect(machine.dies.at(info.die).cpus.contains(info.cpu), "a die has its CPU");
        expect(machine.packages.at(info.package).cpus.contains(info.cpu), "a package has its CPU");
        expect(machine.nodes.at(info.node).cpus.contains(info.cpu), "a node has its CPU");
        expect(machine.kinds.at(info.kind).cpus.contains(info.cpu), "a kind has its CPU");
    }
    for (const auto& cache : machine.caches) {
        expect(!cache.cpus.empty() && machine.online.contains(cache.cpus), "a cache has CPUs");
    }
    check_placement(machine);
    return 0;
}
