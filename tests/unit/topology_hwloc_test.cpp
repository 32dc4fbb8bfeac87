// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// This machine's topology against what the library hwloc finds.

#include <regatta/cpu/topology.hpp>

#include <gtest/gtest.h>

#include <hwloc.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>

namespace {

using regatta::cpu_set;
using regatta::topology;

class hwloc_machine {
public:
    hwloc_machine() {
        // Only what the kernel tells: it would also ask the processor, which knows of parts that a
        // hypervisor has hidden.
        ::setenv("HWLOC_COMPONENTS", "linux,stop", 1);
        loaded_ =
            ::hwloc_topology_init(&machine_) == 0 &&
            ::hwloc_topology_set_all_types_filter(machine_, HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
            ::hwloc_topology_set_flags(machine_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
            ::hwloc_topology_load(machine_) == 0;
    }
    hwloc_machine(const hwloc_machine&) = delete;
    hwloc_machine& operator=(const hwloc_machine&) = delete;
    ~hwloc_machine() { ::hwloc_topology_destroy(machine_); }

    bool loaded() const { return loaded_; }

    /// Calls `visit(object, its CPUs as a list)` for each object of a type.
    template<class Visit>
    void each(hwloc_obj_type_t type, Visit visit) const {
        for (hwloc_obj_t object = nullptr;
             (object = ::hwloc_get_next_obj_by_type(machine_, type, object)) != nullptr;) {
            cpu_set cpus;
            unsigned cpu = 0;
            hwloc_bitmap_foreach_begin(cpu, object->cpuset) {
                cpus.insert(cpu);
            }
            hwloc_bitmap_foreach_end();
            visit(*object, cpus.to_string());
        }
    }
    std::multiset<std::string> lists(hwloc_obj_type_t type) const {
        std::multiset<std::string> all;
        each(type, [&](const hwloc_obj&, const std::string& list) { all.insert(list); });
        return all;
    }

private:
    hwloc_topology_t machine_ = nullptr;
    bool loaded_ = false;
};

std::multiset<std::string> lists_of(const auto& parts) {
    std::multiset<std::string> all;
    for (const auto& part : parts) {
        all.insert(part.cpus.to_string());
    }
    return all;
}

} // namespace

TEST(topology_and_hwloc, see_the_same_cores_packages_and_dies) {
    const hwloc_machine other;
    ASSERT_TRUE(other.loaded());
    const topology mine = topology::read();
    EXPECT_EQ(lists_of(mine.cores), other.lists(HWLOC_OBJ_CORE));
    EXPECT_EQ(lists_of(mine.packages), other.lists(HWLOC_OBJ_PACKAGE));
    const auto dies = other.lists(HWLOC_OBJ_DIE);
    if (!dies.empty()) {
        EXPECT_EQ(lists_of(mine.dies), dies);
    }
    std::string online;
    other.each(HWLOC_OBJ_MACHINE,
               [&](const hwloc_obj&, const std::string& list) { online = list; });
    EXPECT_EQ(mine.online.to_string(), online);
}

TEST(topology_and_hwloc, see_the_same_caches) {
    const hwloc_machine other;
    ASSERT_TRUE(other.loaded());
    using cache = std::tuple<unsigned, std::uint64_t, std::string>;
    std::multiset<cache> mine;
    for (const auto& one : topology::read().caches) {
        mine.emplace(one.level, one.bytes, one.cpus.to_string());
    }
    std::multiset<cache> theirs;
    for (const auto type :
         {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
          HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2ICACHE, HWLOC_OBJ_L3ICACHE}) {
        other.each(type, [&](const hwloc_obj& object, const std::string& list) {
            theirs.emplace(object.attr->cache.depth, object.attr->cache.size, list);
        });
    }
    EXPECT_EQ(mine, theirs);
}

TEST(topology_and_hwloc, see_the_same_memory) {
    const hwloc_machine other;
    ASSERT_TRUE(other.loaded());
    using node = std::tuple<unsigned, std::uint64_t, std::string>;
    std::multiset<node> mine;
    for (const auto& one : topology::read().nodes) {
        mine.emplace(one.id, one.memory_bytes, one.cpus.to_string());
    }
    std::multiset<node> theirs;
    other.each(HWLOC_OBJ_NUMANODE, [&](const hwloc_obj& object, const std::string& list) {
        theirs.emplace(object.os_index, object.attr->numanode.local_memory, list);
    });
    EXPECT_EQ(mine, theirs);
}
