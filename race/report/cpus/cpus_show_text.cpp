// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/cpus/cpus_show_report.hpp"

#include "machine/size_text.hpp"
#include "report/common/grid.hpp"
#include "text/text.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

/// "  label   text", further lines below the text.
std::string entry(std::string_view label, std::string_view text, const text_style& style) {
    return beside("  " + padded_right(label, 8, style), text, style);
}

std::string id_text(std::int64_t id) {
    return id < 0 ? std::string() : " " + std::to_string(id);
}

/// Of a machine that does not part it; 0: unknown, or there are several nodes.
std::uint64_t undivided_memory(const topology& machine) {
    return machine.nodes.size() == 1 ? machine.nodes.front().memory_bytes : 0;
}

/// One line about the whole.
std::string summary(const topology& machine) {
    std::string text =
        counted(machine.cpus.size(), "CPU") + ", " + counted(machine.cores.size(), "core");
    text += machine.has_smt() ? " (SMT)" : " (no SMT)";
    text += ", " + counted(machine.packages.size(), "package");
    if (machine.dies.size() > machine.packages.size()) {
        text += ", " + counted(machine.dies.size(), "die");
    }
    if (machine.nodes.size() > 1) {
        text += ", " + counted(machine.nodes.size(), "memory node");
    }
    if (machine.packages.size() > 1 && undivided_memory(machine) != 0) {
        text += ", " + size_text(undivided_memory(machine)) + " of memory";
    }
    if (machine.is_hybrid()) {
        text += ", " + counted(machine.kinds.size(), "kind of cores", "kinds of cores");
    }
    return text;
}

/// The cores of a package, siblings joined: "0,12 1,13".
std::string cores_text(const topology& machine, const cpu_set& package) {
    std::string text;
    bool siblings = false;
    for (const cpu_core& core : machine.cores) {
        if (package.contains(core.cpus)) {
            text += (text.empty() ? "" : " ") + core.cpus.to_string();
            siblings = siblings || core.cpus.count() > 1;
        }
    }
    return siblings ? text : package.to_string() + ", a core each";
}

/// One level and type of caches in a package.
std::string caches_text(const topology& machine, const cpu_set& package,
                        const std::vector<const cpu_cache*>& caches) {
    std::vector<std::pair<std::uint64_t, std::vector<const cpu_cache*>>> sizes;
    for (const cpu_cache* const cache : caches) {
        auto found = std::find_if(sizes.begin(), sizes.end(),
                                  [&](const auto& size) { return size.first == cache->bytes; });
        if (found == sizes.end()) {
            found = sizes.insert(found, {cache->bytes, {}});
        }
        found->second.push_back(cache);
    }
    std::string text;
    for (const auto& [bytes, alike] : sizes) {
        cpu_set all;
        std::string lists;
        bool a_core_each = true;
        for (const cpu_cache* const cache : alike) {
            all |= cache->cpus;
            lists += (lists.empty() ? "" : " ") + cache->cpus.to_string();
            const cpu_core* const core = machine.core_of(*cache->cpus.begin());
            a_core_each = a_core_each && core != nullptr && core->cpus == cache->cpus;
        }
        const bool everywhere = all == package;
        text += (text.empty() ? "" : "; ") + (bytes == 0 ? "unknown size" : size_text(bytes));
        if (a_core_each) {
            text += everywhere ? " a core" : " a core of " + all.to_string();
        } else if (!everywhere || alike.size() > 1) {
            text += alike.size() > 1 ? " each for " + lists : " for " + lists;
        }
    }
    return text;
}

std::string package_text(const topology& machine, const cpu_package& package,
                         const text_style& style) {
    std::string out =
        coloured(fmt::format("Package{}: CPUs {}", id_text(package.id), package.cpus.to_string()),
                 "1", style) +
        '\n';
    for (const cpu_die& die : machine.dies) {
        if (package.cpus.contains(die.cpus) && die.cpus != package.cpus) {
            out += entry("die" + id_text(die.id), die.cpus.to_string(), style);
        }
    }
    out += entry("cores", cores_text(machine, package.cpus), style);
    for (auto begin = machine.caches.begin(); begin != machine.caches.end();) {
        const auto end = std::find_if(begin, machine.caches.end(), [&](const cpu_cache& cache) {
            return cache.level != begin->level || cache.type != begin->type;
        });
        std::vector<const cpu_cache*> caches;
        for (auto cache = begin; cache != end; ++cache) {
            if (!(cache->cpus & package.cpus).empty()) {
                caches.push_back(&*cache);
            }
        }
        const char* const type = begin->type == cache_type::data          ? "d"
                                 : begin->type == cache_type::instruction ? "i"
                                                                          : "";
        if (!caches.empty()) {
            out += entry(fmt::format("L{}{}", begin->level, type),
                         caches_text(machine, package.cpus, caches), style);
        }
        begin = end;
    }
    if (machine.packages.size() == 1 && undivided_memory(machine) != 0) {
        out += entry("memory", size_text(undivided_memory(machine)), style);
    }
    return out;
}

std::string kinds_text(const topology& machine, const text_style& style) {
    race::grid_column name{.title = "kind of cores", .to_the_left = true};
    race::grid_column capacity{.title = "capacity", .dropped = 1};
    race::grid_column cpus{.title = "CPUs", .to_the_left = true};
    for (const core_kind& kind : machine.kinds) {
        name.cells.push_back(kind.name);
        capacity.cells.push_back(kind.capacity == 0 ? "" : std::to_string(kind.capacity));
        cpus.cells.push_back(kind.cpus.to_string());
    }
    return race::grid_text({name, capacity, cpus}, style);
}

std::string nodes_text(const topology& machine, const text_style& style) {
    race::grid_column name{.title = "memory node", .to_the_left = true};
    race::grid_column memory{.title = "memory"};
    race::grid_column cpus{.title = "CPUs", .to_the_left = true};
    std::vector<race::grid_column> distances;
    for (const numa_node& node : machine.nodes) {
        distances.push_back(
            {.title = (distances.empty() ? "distance to " : "") + std::to_string(node.id),
             .dropped = 1});
    }
    for (const numa_node& node : machine.nodes) {
        name.cells.push_back(std::to_string(node.id));
        memory.cells.push_back(node.memory_bytes == 0 ? "none" : size_text(node.memory_bytes));
        cpus.cells.push_back(node.cpus.empty() ? "none" : node.cpus.to_string());
        for (std::size_t other = 0; other < distances.size(); ++other) {
            distances[other].cells.push_back(
                other < node.distances.size() ? std::to_string(node.distances[other]) : "?");
        }
    }
    std::vector<race::grid_column> columns{name, memory, cpus};
    columns.insert(columns.end(), distances.begin(), distances.end());
    return race::grid_text(std::move(columns), style);
}

/// Who may use what: a row for each, as "who", "CPUs" and what is to be said of it.
class usage_table {
public:
    void add(const std::string& who, const cpu_set& cpus, const std::string& note,
             const std::string& colour = {}) {
        who_.cells.push_back(who);
        cpus_.cells.push_back(cpus.empty() ? "none" : cpus.to_string());
        note_.cells.push_back(note);
        who_.colours.push_back(colour);
    }
    std::string text(const text_style& style) const {
        return race::grid_text({who_, cpus_, note_}, style);
    }

private:
    race::grid_column who_{.title = "who may use what", .to_the_left = true};
    race::grid_column cpus_{.title = "CPUs", .to_the_left = true};
    race::grid_column note_{.title = "", .to_the_left = true, .dropped = 1};
};

std::string usage_text(const cpus_view& view, const text_style& style) {
    constexpr std::size_t most_groups = 12;
    const topology& machine = view.machine;
    usage_table table;
    if (view.allowed) {
        table.add("this command", *view.allowed,
                  view.quota ? fmt::format("for the time of {:.4g} CPU{}", *view.quota,
                                           *view.quota == 1 ? "" : "s")
                  : *view.allowed == machine.online ? "all"
                                                    : "");
    }
    table.add("housekeeping", machine.housekeeping, "whatever is not pinned elsewhere");
    const auto add_unless_empty = [&](const char* who, const cpu_set& cpus, const char* note) {
        if (!cpus.empty()) {
            table.add(who, cpus, note, "36");
        }
    };
    // From Linux 6.12 on the groups' file has both kinds. Should the other one, too, the groups
    // that are seen tell them apart.
    cpu_set grouped;
    for (const cpuset_group& group : view.groups) {
        grouped |= group.partition == "isolated" ? group.cpus : cpu_set();
    }
    const cpu_set at_boot = machine.isolated - grouped;
    add_unless_empty("isolated", at_boot, "at boot (isolcpus): only who is pinned there");
    add_unless_empty("partitioned", machine.partitioned - at_boot, "isolated by a control group");
    const bool open = !(machine.nohz_full - (machine.isolated | machine.partitioned)).empty();
    add_unless_empty("without ticks", machine.nohz_full,
                     open ? "at boot (nohz_full); threads that are not pinned run there, too"
                          : "at boot (nohz_full)");
    std::size_t shown = 0;
    for (const cpuset_group& group : view.groups) {
        if (shown++ < most_groups) {
            const bool named = group.version == 2 && !group.partition.empty();
            table.add("group " + detail::printable_text(group.path), group.cpus,
                      (named ? "partition: " : "") + group.partition,
                      group.partition.empty() ? "" : "36");
        }
    }
    for (const exclusive_lease& lease : view.leases) {
        const std::string owner = fmt::format("lease of process {}", lease.process);
        std::string note(lease.taken ? to_string(lease.level) : "being taken");
        note += lease.title.empty() ? "" : ", " + lease.title;
        table.add(owner, lease.cpus,
                  lease.stale ? note + "; the process has ended: regatta cpus release --stale"
                              : note,
                  lease.stale ? "33" : "36");
    }
    std::string out = table.text(style);
    if (shown > most_groups) {
        out += race::wrapped(
            fmt::format("and {}; --json has every one", counted(shown - most_groups, "more group")),
            0, style);
    }
    for (const std::string& sentence : view.unread) {
        out += race::wrapped("Note: " + detail::printable_text(sentence), 2, style);
    }
    return out;
}

std::string offline_text(const topology& machine, const text_style& style) {
    const cpu_set off = machine.present - machine.online;
    const cpu_set absent = machine.possible - machine.present;
    std::string text = off.empty() ? "" : "Offline: " + off.to_string() + ". ";
    text += absent.empty() ? "" : "Can be plugged in: " + absent.to_string() + ".";
    return text.empty() ? text : race::wrapped(text, 2, style);
}

} // namespace

std::string cpus_view_text(const cpus_view& view, const text_style& style) {
    const topology& machine = view.machine;
    std::string out = view.model.empty()
                          ? std::string()
                          : race::wrapped(detail::printable_text(view.model), 2, style);
    out += race::wrapped(summary(machine), 2, style) + offline_text(machine, style);
    for (const cpu_package& package : machine.packages) {
        out += '\n' + package_text(machine, package, style);
    }
    if (machine.is_hybrid()) {
        out += '\n' + kinds_text(machine, style);
    }
    if (machine.nodes.size() > 1) {
        out += '\n' + nodes_text(machine, style);
    }
    return out + '\n' + usage_text(view, style);
}

} // namespace regatta::race
