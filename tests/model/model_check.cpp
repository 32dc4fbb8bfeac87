// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "model_check.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace model {
namespace {

std::string text_of(operation kind) {
    switch (kind) {
    case operation::load:
        return "load";
    case operation::store:
        return "store";
    case operation::modify:
        return "modify";
    case operation::fence:
        return "fence";
    case operation::wake:
        break;
    }
    return "wake";
}

/// A mutant on trial.
struct trial {
    mutation mutant;
    std::string excuse{}; ///< Why the checker cannot tell it from the original; empty if it can.
    std::string killer{}; ///< The scenario that failed; empty while none has.
};

/// How `beyond` names a mutant: "store extend -> release"; "fence settle" for one that is removed,
/// "modify block" for one that is torn.
bool is_named(const mutation& m, const std::string& name) {
    const std::size_t kind = name.find(' ') + 1;
    const std::size_t arrow = std::min(name.find(" -> "), name.size());
    const std::string order = arrow == name.size() ? "" : name.substr(arrow + 4);
    return name.substr(0, kind) == text_of(m.at.kind) + " " &&
           m.at.function.find("::" + name.substr(kind, arrow - kind) + "(") !=
               std::string_view::npos &&
           order == (m.weaker ? name_of(*m.weaker) : std::string_view());
}

/// The model test of one primitive, as `check` runs it.
class examination {
public:
    explicit examination(std::vector<scenario> scenarios) : scenarios_(std::move(scenarios)) {
        const char* const wish = std::getenv("REGATTA_MODEL_ITERATIONS");
        budget_ = wish != nullptr ? std::strtoull(wish, nullptr, 10) : 100'000;
    }

    /// Every scenario passes; meanwhile the sites are collected.
    void run_originals() {
        seen_sites.open = true;
        for (const scenario& s : scenarios_) {
            const bool ok = s.passes(0, budget_, nullptr);
            report(ok, s.name);
            if (!ok) {
                s.passes(0, budget_, &std::cout); // Again, for what the checker says of it.
            }
        }
        seen_sites.open = false;
    }

    /// Each of these scenarios, in which a part is left out by hand, fails.
    void run_faulty(const std::vector<scenario>& faulty) {
        for (const scenario& s : faulty) {
            const bool found = !s.passes(0, 8 * budget_, nullptr); // It ends once it has failed.
            report(found, "fault: " + s.name + (found ? ": found" : ": not found"));
        }
    }

    /// The mutants of all sites in these files. One that is excused stands for its own mutants as
    /// well, so that no order is weaker than what was shown.
    void make_mutants(const std::set<std::string>& files,
                      const std::map<std::string, std::string>& beyond) {
        std::set<std::string> used;
        const std::function<void(const site&, std::memory_order)> add =
            [&](const site& at, std::memory_order from) {
                for (const mutation& m : mutants_of(at, from)) {
                    const auto excused =
                        std::find_if(beyond.begin(), beyond.end(),
                                     [&](const auto& e) { return is_named(m, e.first); });
                    trials_.push_back({m});
                    if (excused != beyond.end()) {
                        used.insert(excused->first);
                        trials_.back().excuse = excused->second;
                        if (m.weaker) {
                            add(at, *m.weaker);
                        }
                    }
                }
            };
        for (const site& at : seen_sites.sorted()) {
            if (files.contains(std::string(at.file))) {
                add(at, at.order);
            }
        }
        for (const auto& [name, reason] : beyond) {
            if (!used.contains(name)) {
                report(false, "excuse \"" + name + "\": no mutant has that name");
            }
        }
    }

    /// Every mutant fails a scenario. In rounds: most fail soon, so that all get a small number of
    /// interleavings first, and those that survive more. The scenario that failed last goes first.
    void run_mutants() {
        rl::iteration_t first = 0;
        for (const rl::iteration_t part : {256, 16, 1}) {
            const rl::iteration_t last = budget_ / part;
            for (trial& t : trials_) {
                // An excuse is checked as well, but not at all costs.
                if (t.killer.empty() && (t.excuse.empty() || part != 1)) {
                    try_to_kill(t, first, last);
                }
            }
            first = last + 1;
        }
        for (const trial& t : trials_) {
            const std::string text = "mutant " + t.mutant.text();
            if (t.excuse.empty()) {
                report(!t.killer.empty(), text + (t.killer.empty() ? ": survived every scenario"
                                                                   : ": found by " + t.killer));
            } else if (!t.killer.empty()) {
                report(false, text + ": found by " + t.killer + ", though excused: " + t.excuse);
            } else {
                std::printf("skip    %s: %s\n", text.c_str(), t.excuse.c_str());
            }
        }
    }

    /// @returns the exit status of the test program.
    int result() const {
        std::printf("%d passed, %d failed\n", passed_, failed_);
        return failed_ == 0 ? 0 : 1;
    }

private:
    void try_to_kill(trial& t, rl::iteration_t first, rl::iteration_t last) {
        active = &t.mutant;
        for (auto s = scenarios_.begin(); s != scenarios_.end(); ++s) {
            if (!s->passes(first, last, nullptr)) {
                t.killer = s->name;
                std::rotate(scenarios_.begin(), s, s + 1);
                break;
            }
        }
        active = nullptr;
    }
    void report(bool ok, const std::string& what) {
        std::printf("%s  %s\n", ok ? "ok    " : "FAILED", what.c_str());
        std::fflush(stdout);
        ++(ok ? passed_ : failed_);
    }

    std::vector<scenario> scenarios_;
    std::vector<trial> trials_;
    rl::iteration_t budget_ = 0; ///< Interleavings of each scenario.
    int passed_ = 0;
    int failed_ = 0;
};

} // namespace

int check(std::vector<scenario> scenarios, const std::set<std::string>& files,
          const std::map<std::string, std::string>& beyond, const std::vector<scenario>& faulty) {
    examination e(std::move(scenarios));
    e.run_originals();
    e.run_faulty(faulty);
    e.make_mutants(files, beyond);
    e.run_mutants();
    return e.result();
}

} // namespace model
