// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Mutants of a primitive: which places can be weakened, and which one is at the moment.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace model {

enum class operation { load, store, modify, fence, wake };

/// One operation in the source.
struct site {
    std::string_view file; ///< Without its folders; points into the program's own text.
    unsigned line = 0;
    unsigned column = 0;
    operation kind = operation::load;
    std::memory_order order = std::memory_order_relaxed;
    std::string_view function{}; ///< In which it stands; of a template, one of its instances.

    auto place() const { return std::tie(file, line, column, kind, order); }
    bool operator==(const site& other) const { return place() == other.place(); }
    bool operator<(const site& other) const { return place() < other.place(); }
};

/// A site together with what becomes of it: a weaker order, or nothing at all.
struct mutation {
    site at;
    std::optional<std::memory_order> weaker;

    std::string text() const;
};

/// The sites that runs have come by. A fixed place: under the checker `operator new` is its own,
/// and what is allocated there may not outlive the run.
struct site_list {
    bool open = false; ///< Whether sites are being collected.
    std::size_t size = 0;
    std::array<site, 256> sites;

    void add(const site& s) {
        if (open && std::find(sites.begin(), sites.begin() + size, s) == sites.begin() + size) {
            sites.at(size++) = s;
        }
    }
};
inline site_list seen_sites;
/// The mutation in force, or none.
inline const mutation* active = nullptr;

inline site site_of(operation kind, std::memory_order order, const std::source_location& at) {
    const std::string_view path = at.file_name();
    return {
        path.substr(path.rfind('/') + 1), at.line(), at.column(), kind, order, at.function_name()};
}

inline bool is_active(operation kind, const std::source_location& at) {
    return active != nullptr && active->at.kind == kind && active->at.line == at.line() &&
           active->at.column == at.column() &&
           std::string_view(at.file_name()).ends_with(active->at.file);
}

/// The order with which an operation is to be done.
inline std::memory_order mutated(operation kind, std::memory_order order,
                                 const std::source_location& at) {
    if (order != std::memory_order_relaxed) {
        seen_sites.add(site_of(kind, order, at));
    }
    return is_active(kind, at) ? active->weaker.value_or(order) : order;
}

/// Whether an operation is to be left out.
inline bool removed(operation kind, const std::source_location& at) {
    seen_sites.add(site_of(kind, std::memory_order_seq_cst, at));
    return is_active(kind, at);
}

/// Every mutant of a site: each order one step weaker, or the operation removed.
inline std::vector<mutation> mutants_of(const site& at) {
    using order = std::memory_order;
    switch (at.kind) {
    case operation::fence:
    case operation::wake:
        return {{at, std::nullopt}};
    case operation::load:
    case operation::store:
        return {{at, order::relaxed}};
    case operation::modify:
        break;
    }
    if (at.order == order::acq_rel || at.order == order::seq_cst) {
        return {{at, order::acquire}, {at, order::release}};
    }
    return {{at, order::relaxed}};
}

inline std::string_view name_of(std::memory_order order) {
    switch (order) {
    case std::memory_order_relaxed:
        return "relaxed";
    case std::memory_order_consume:
    case std::memory_order_acquire:
        return "acquire";
    case std::memory_order_release:
        return "release";
    case std::memory_order_acq_rel:
        return "acq_rel";
    case std::memory_order_seq_cst:
        break;
    }
    return "seq_cst";
}

inline std::string mutation::text() const {
    constexpr std::string_view kinds[] = {"load", "store", "read-modify-write", "fence", "wake"};
    const std::string where = std::string(at.file) + ":" + std::to_string(at.line);
    const std::string kind(kinds[static_cast<int>(at.kind)]);
    if (!weaker) {
        return where + ": " + kind + " removed";
    }
    return where + ": " + kind + " " + std::string(name_of(at.order)) + " -> " +
           std::string(name_of(*weaker));
}

} // namespace model
