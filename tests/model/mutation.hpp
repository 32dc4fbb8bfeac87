// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Mutants of a primitive: which places can be weakened, and which one is at the moment.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <iterator>
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
    const char* path = nullptr;  ///< Of the file, as the compiler names it.

    auto place() const { return std::tie(file, line, column, kind, order); }
    bool operator==(const site& other) const { return place() == other.place(); }
    bool operator<(const site& other) const { return place() < other.place(); }
};

inline site site_of(operation kind, std::memory_order order, const std::source_location& at) {
    const std::string_view path = at.file_name();
    return {path.substr(path.rfind('/') + 1),
            at.line(),
            at.column(),
            kind,
            order,
            at.function_name(),
            at.file_name()};
}

/// A site together with what becomes of it: a weaker order; or else a fence or a wake is left out,
/// and a read-modify-write is torn into a load and a store.
struct mutation {
    site at;
    std::optional<std::memory_order> weaker;

    std::string text() const;
};

/// The sites that runs have passed. A table of fixed place: under the checker `operator new` is its
/// own, and what is allocated there may not outlive the run.
class site_list {
public:
    bool open = false; ///< Whether sites are being collected.

    /// Called for every operation of a run.
    void add(operation kind, std::memory_order order, const std::source_location& at) {
        if (!open) {
            return;
        }
        for (std::size_t i = at.line() * 64 + at.column();; ++i) {
            site& there = sites_[i % sites_.size()];
            // Texts of one file in two places make a site stand there twice; `sorted` has it once.
            if (there.line == at.line() && there.column == at.column() && there.kind == kind &&
                there.order == order && there.path == at.file_name()) {
                return;
            }
            if (there.line == 0) {
                there = site_of(kind, order, at);
                if (++size_ == sites_.size()) {
                    std::abort(); // More operations in the source than the table holds.
                }
                return;
            }
        }
    }
    /// All of them, in the order of the source.
    std::vector<site> sorted() const {
        std::vector<site> all;
        std::copy_if(sites_.begin(), sites_.end(), std::back_inserter(all),
                     [](const site& s) { return s.line != 0; });
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

private:
    std::size_t size_ = 0;
    std::array<site, 1024> sites_;
};
inline site_list seen_sites;
/// The mutation in force, or none.
inline const mutation* active = nullptr;

inline bool is_active(operation kind, const std::source_location& at) {
    return active != nullptr && active->at.kind == kind && active->at.line == at.line() &&
           active->at.column == at.column() &&
           std::string_view(at.file_name()).ends_with(active->at.file);
}

/// The order with which an operation is to be done.
inline std::memory_order mutated(operation kind, std::memory_order order,
                                 const std::source_location& at) {
    if (order != std::memory_order_relaxed || kind == operation::modify) {
        seen_sites.add(kind, order, at);
    }
    return is_active(kind, at) ? active->weaker.value_or(order) : order;
}

/// Whether a read-modify-write is to be torn.
inline bool is_torn(const std::source_location& at) {
    return is_active(operation::modify, at) && !active->weaker;
}

/// Whether an operation is to be left out.
inline bool removed(operation kind, const std::source_location& at) {
    seen_sites.add(kind, std::memory_order_seq_cst, at);
    return is_active(kind, at);
}

/// The orders one step weaker than that of an operation. Whatever is weaker still is weaker than
/// one of them.
inline std::vector<std::memory_order> one_step_weaker(operation kind, std::memory_order from) {
    using order = std::memory_order;
    switch (from) {
    case order::seq_cst:
        return {kind == operation::load    ? order::acquire
                : kind == operation::store ? order::release
                                           : order::acq_rel};
    case order::acq_rel:
        return {order::acquire, order::release};
    case order::acquire:
    case order::consume:
    case order::release:
        return {order::relaxed};
    case order::relaxed:
        break;
    }
    return {};
}

/// Every mutant of a site: its order one step weaker than `from`. A fence or a wake is removed. One
/// step below a relaxed read-modify-write is none.
inline std::vector<mutation> mutants_of(const site& at, std::memory_order from) {
    if (at.kind == operation::fence || at.kind == operation::wake ||
        (at.kind == operation::modify && from == std::memory_order_relaxed)) {
        return {{at, std::nullopt}};
    }
    std::vector<mutation> all;
    for (const std::memory_order weaker : one_step_weaker(at.kind, from)) {
        all.push_back({at, weaker});
    }
    return all;
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
        return where + ": " + kind + (at.kind == operation::modify ? " torn" : " removed");
    }
    return where + ": " + kind + " " + std::string(name_of(at.order)) + " -> " +
           std::string(name_of(*weaker));
}

} // namespace model
