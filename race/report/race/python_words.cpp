// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/python_words.hpp"

#include "sampling/verdict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace regatta::race {
namespace {

/// One way of running items in Python.
struct way {
    worker_kind workers;
    bool sends_data = false;
};
constexpr way in_turn{worker_kind::one};
constexpr way on_threads{worker_kind::threads};
constexpr way in_processes{worker_kind::processes};
constexpr way through_pipes{worker_kind::processes, true};

/// Whether it is in Python and has figures.
bool is_measured(const scheme_result& one) {
    return one.traits.language == language::python && one.ok() && one.time.count != 0;
}

/// The schemes in Python by what they are, and the comparison of any two.
class python_schemes {
public:
    python_schemes(const race_result& result, const text_style& style)
        : result_(result)
        , style_(style) {}

    std::vector<std::string> words() const {
        std::vector<std::string> all;
        for (std::string text : {lock_words(), blas_words(), process_words(), pickling_words(),
                                 native_words(), start_words()}) {
            if (!text.empty()) {
                all.push_back(std::move(text) + ".");
            }
        }
        return all;
    }

private:
    /// The scheme that goes that way, its library with one thread or with those that it likes;
    /// null where it has no figures.
    const scheme_result* ran(way of, bool one_library_thread) const {
        const auto found = std::ranges::find_if(result_.schemes, [&](const scheme_result& one) {
            return is_measured(one) && one.traits.workers == of.workers &&
                   one.traits.sends_data == of.sends_data &&
                   one.traits.one_library_thread == one_library_thread;
        });
        return found == result_.schemes.end() ? nullptr : &*found;
    }
    /// That with one thread, or else the other.
    const scheme_result* either(way of) const {
        const scheme_result* one = ran(of, true);
        return one != nullptr ? one : ran(of, false);
    }

    /// "python_threads 91.0 ms".
    std::string timed(const scheme_result& one) const {
        return fmt::format("{} {}", one.name, duration_text(one.time.median, style_));
    }

    /// "a 97.0 ms, b 50.1 ms: a takes 1.94× as long", or that they cannot be told apart.
    std::string compared(const scheme_result& one, const scheme_result& other) const {
        const paired_comparison both(one.measured, other.measured);
        const estimate ratio = both.ratio();
        const verdict word = judge(both, result_.margin).word;
        std::string text = timed(one) + ", " + timed(other) + ": ";
        if (word == verdict::slower) {
            return text +
                   fmt::format("{} takes {} as long", one.name, times_text(ratio.median, style_));
        }
        if (word == verdict::faster) {
            return text + fmt::format("{} takes {} as long", other.name,
                                      times_text(1 / ratio.median, style_));
        }
        return text + (word == verdict::undecided ? "too few clean rounds to tell them apart"
                       : word == verdict::equal
                           ? "no difference of " + margin_text(result_.margin) + " or more"
                           : "no difference was shown");
    }

    /// What holds the lock of the interpreter.
    std::string lock_words() const {
        const scheme_result* threads = either(on_threads);
        const double cpu_ns = threads == nullptr ? 0 : threads->figure("cpu_ns").value_or(0);
        if (cpu_ns <= 0 || !threads->figure("interpreted_ns")) {
            return {};
        }
        const double share = std::min(1.0, *threads->figure("interpreted_ns") / cpu_ns);
        std::string text =
            fmt::format("Python's lock (GIL): of the CPU time of {} {} went into code "
                        "of Python, which one thread at a time may run",
                        threads->name, percent_text(share));
        const scheme_result* serial = ran(in_turn, threads->traits.one_library_thread);
        if (serial != nullptr && result_.how.workers > 1) {
            text += "; " + compared(*serial, *threads);
        }
        return text;
    }

    /// What the threads of numpy's BLAS do beside ours: each scheme without and with them.
    std::string blas_words() const {
        std::string pairs;
        std::optional<double> threads;
        for (const way& of : {in_turn, on_threads, in_processes, through_pipes}) {
            const scheme_result* many = ran(of, false);
            const scheme_result* one = ran(of, true);
            if (many != nullptr && one != nullptr) {
                threads = many->figure("threads");
                pairs += (pairs.empty() ? "" : "; ") + compared(*many, *one);
            }
        }
        if (pairs.empty() || !threads) {
            return {};
        }
        if (*threads <= 1) {
            return "Threads of numpy's BLAS: there were none, so OPENBLAS_NUM_THREADS=1 changes "
                   "nothing; " +
                   pairs;
        }
        return fmt::format(
            "Threads of numpy's BLAS: it computes with {:.0f} in each process unless "
            "OPENBLAS_NUM_THREADS=1 is set, as in those named _1blas; {}",
            *threads, pairs);
    }

    /// From the start of a run to a worker's first item, on average.
    double first_item_ns(const scheme_result& one) const {
        return one.where.of(part::set_up) / one.where.busy_workers();
    }

    /// What starting processes costs.
    std::string process_words() const {
        const scheme_result* processes = either(in_processes);
        const scheme_result* threads = either(on_threads);
        if (processes == nullptr) {
            return {};
        }
        std::string text =
            fmt::format("Starting workers: a process of {} came to its first item after {}",
                        processes->name, duration_text(first_item_ns(*processes), style_));
        if (threads != nullptr) {
            text += fmt::format(", a thread of {} after {}; {}", threads->name,
                                duration_text(first_item_ns(*threads), style_),
                                compared(*processes, *threads));
        }
        return text;
    }

    /// What sending the data between processes costs.
    std::string pickling_words() const {
        const scheme_result* pool = either(through_pipes);
        if (pool == nullptr || !pool->figure("sent_bytes")) {
            return {};
        }
        std::string text = fmt::format(
            "Pickling: {} sent {} of inputs and results through pipes in each run", pool->name,
            bytes_text(static_cast<std::int64_t>(*pool->figure("sent_bytes"))));
        const scheme_result* processes = ran(in_processes, pool->traits.one_library_thread);
        if (processes != nullptr) {
            text += fmt::format(", where {} shares memory; {}", processes->name,
                                compared(*pool, *processes));
        }
        return text;
    }

    /// The best in Python beside the best of the others.
    std::string native_words() const {
        const scheme_result* python = nullptr;
        const scheme_result* native = nullptr;
        for (const scheme_result& one : result_.schemes) {
            if (!one.ok() || !one.has_ratio() || one.program || !one.runs_items()) {
                continue;
            }
            const scheme_result*& best = one.traits.language == language::python ? python : native;
            if (best == nullptr || one.vs_baseline.median < best->vs_baseline.median) {
                best = &one;
            }
        }
        return python == nullptr || native == nullptr
                   ? std::string()
                   : "The fastest in Python and the fastest in C++: " + compared(*python, *native);
    }

    /// What is left out of the times.
    std::string start_words() const {
        const scheme_result* any = nullptr;
        for (const scheme_result& one : result_.schemes) {
            if (one.ok() && one.figure("interpreter_start_ns")) {
                any = &one;
            }
        }
        return any == nullptr
                   ? std::string()
                   : fmt::format("Not in these times: starting the interpreter and importing what "
                                 "the items need, {} in each run of {}",
                                 duration_text(*any->figure("interpreter_start_ns"), style_),
                                 any->name);
    }

    const race_result& result_;
    const text_style& style_;
};

} // namespace

std::vector<std::string> python_words(const race_result& result, const text_style& style) {
    return std::ranges::any_of(result.schemes, is_measured) ? python_schemes(result, style).words()
                                                            : std::vector<std::string>();
}

} // namespace regatta::race
