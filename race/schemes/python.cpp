// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/python.hpp"
#include "schemes/python_process.hpp"
#include "schemes/scheme.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/process/shared_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace regatta::race {
namespace {

/// What Python tells of an item. Written by whichever of its threads or processes ran it, read once
/// Python has said that all is done; as in python/job.py.
struct item_record {
    std::int64_t runs;
    std::int64_t worker;
    std::int64_t process;
    std::int64_t begin_ns;
    std::int64_t end_ns;
};

/// A workload's items in Python, in one of the ways of python/ways.py.
class python final : public scheme {
public:
    python(std::string way, bool one_blas_thread)
        : start_{.way = std::move(way), .one_blas_thread = one_blas_thread} {}

    void prepare(run_context& context) override {
        records_ =
            shared_memory::anonymous("regatta-records", context.work.items() * sizeof(item_record),
                                     layout_hash<item_record>("item_record v1"));
        start_.records = records_.descriptor();
        std::vector<layout_number> numbers = context.work.layout();
        numbers.push_back({"records", shared_memory::header_size});
        numbers.push_back({"stop", shared_memory::header_size + offsetof(run_log, stop)});
        const std::int64_t begin = detail::monotonic_ns();
        process_.emplace(start_, context, numbers);
        const answer_numbers ready = process_->answer("ready");
        figures_.push_back(
            {"interpreter_start_ns", static_cast<double>(detail::monotonic_ns() - begin)});
        figure("threads", ready);
        cpu_at_ready_ = number("cpu_ns", ready);
    }

    void run(run_context& context) override {
        if (context.log.offered.paced()) {
            throw scheme_failure("its workers cannot wait for items that are offered at a rate");
        }
        process_->say("go");
        const answer_numbers done = process_->answer("done");
        write_log(context, done);
        figures_.push_back({"cpu_ns", static_cast<double>(number("cpu_ns", done) - cpu_at_ready_)});
        figure("interpreted_ns", done);
        figure("sent_bytes", done);
    }

    std::vector<run_figure> figures() const override { return figures_; }

private:
    void figure(std::string_view name, const answer_numbers& numbers) {
        figures_.push_back({name, static_cast<double>(number(name, numbers))});
    }

    static std::int64_t number(std::string_view name, const answer_numbers& numbers) {
        const auto found = numbers.find(name);
        return found == numbers.end() ? 0 : found->second;
    }

    void write_log(run_context& context, const answer_numbers& done) {
        run_log& log = context.log;
        // The race cannot read the CPU time of processes that Python waited for, so it says that.
        log.workers[0].cpu_ns = number("ended_ns", done);
        const auto* records = reinterpret_cast<const item_record*>(records_.data());
        unsigned seen = 1;
        for (std::size_t item = 0; item < context.work.items(); ++item) {
            const item_record& one = records[item];
            const auto worker = static_cast<std::uint64_t>(one.worker);
            if (one.runs == 0 || worker >= run_log::max_workers) {
                continue;
            }
            seen = std::max(seen, static_cast<unsigned>(worker) + 1);
            for (std::int64_t run = 0; run < one.runs; ++run) {
                log.workers[worker].add(item, one.begin_ns, one.end_ns);
            }
            log.latencies[worker].record(one.end_ns - one.begin_ns);
        }
        log.seen.store(seen, std::memory_order_relaxed); // Python has no worker any more
    }

    python_start start_;
    shared_memory records_; ///< An `item_record` for each item.
    std::optional<python_process> process_;
    std::int64_t cpu_at_ready_ = 0; ///< CPU time that it had used when it was ready.
    std::vector<run_figure> figures_;
};

std::string without_python(const workload& work) {
    if (work.layout().empty()) {
        return "there is no code in Python for " + std::string(work.name()) +
               (work.name() == "matmul" ? " but with --kernel blas" : "");
    }
    if (python_program().empty()) {
        return "the program libexec/regatta/python/run.py, which belongs beside this one, is "
               "missing";
    }
    return find_python().missing;
}

/// How such a scheme is made.
/// @param way one of those in python/ways.py.
std::function<std::unique_ptr<scheme>(const scheme_options&)> in_way(const char* way,
                                                                     bool one_blas_thread) {
    return [way, one_blas_thread](const scheme_options&) {
        return std::make_unique<python>(way, one_blas_thread);
    };
}

} // namespace

scheme_info python_serial_scheme() {
    return {.name = "python_serial",
            .summary =
                "Python and numpy, a plain loop; a warm interpreter, numpy's BLAS with its threads",
            .suits = "programs in Python whose time goes into a library with threads of its own",
            .obstacle = without_python,
            .make = in_way("serial", false),
            .on_request = true,
            .traits = {.language = language::python, .workers = worker_kind::one}};
}

scheme_info python_serial_1blas_scheme() {
    return {.name = "python_serial_1blas",
            .summary = "the same with OPENBLAS_NUM_THREADS=1",
            .suits = "programs in Python that need one CPU",
            .obstacle = without_python,
            .make = in_way("serial", true),
            .on_request = true,
            .traits = {.language = language::python,
                       .workers = worker_kind::one,
                       .one_library_thread = true}};
}

scheme_info python_threads_scheme() {
    return {.name = "python_threads",
            .summary =
                "Python threads started afresh in each run claim items from a counter; a warm "
                "interpreter, numpy's BLAS with its threads",
            .suits = "seeing what the threads of numpy's BLAS do beside its own",
            .obstacle = without_python,
            .make = in_way("threads", false),
            .on_request = true,
            .traits = {.language = language::python, .workers = worker_kind::threads}};
}

scheme_info python_threads_1blas_scheme() {
    return {.name = "python_threads_1blas",
            .summary = "the same with OPENBLAS_NUM_THREADS=1",
            .suits = "programs in Python whose time goes into libraries that let go of its lock",
            .obstacle = without_python,
            .make = in_way("threads", true),
            .on_request = true,
            .traits = {.language = language::python,
                       .workers = worker_kind::threads,
                       .one_library_thread = true}};
}

scheme_info python_processes_scheme() {
    return {.name = "python_processes",
            .summary =
                "Python processes forked in each run claim items from a counter, their data in "
                "shared memory; a warm interpreter, numpy's BLAS with its threads",
            .suits = "seeing what the threads of numpy's BLAS do beside its own",
            .obstacle = without_python,
            .make = in_way("processes", false),
            .on_request = true,
            .traits = {.language = language::python, .workers = worker_kind::processes}};
}

scheme_info python_processes_1blas_scheme() {
    return {.name = "python_processes_1blas",
            .summary = "the same with OPENBLAS_NUM_THREADS=1",
            .suits = "programs whose time goes into Python itself",
            .obstacle = without_python,
            .make = in_way("processes", true),
            .on_request = true,
            .traits = {.language = language::python,
                       .workers = worker_kind::processes,
                       .one_library_thread = true}};
}

scheme_info python_pool_map_scheme() {
    return {
        .name = "python_pool_map",
        .summary = "a multiprocessing.Pool made in each run and its map, which sends inputs and "
                   "results through pipes; a warm interpreter, numpy's BLAS with its threads",
        .suits = "seeing what the threads of numpy's BLAS do beside its own",
        .obstacle = without_python,
        .make = in_way("pool_map", false),
        .on_request = true,
        .traits = {
            .language = language::python, .workers = worker_kind::processes, .sends_data = true}};
}

scheme_info python_pool_map_1blas_scheme() {
    return {.name = "python_pool_map_1blas",
            .summary = "the same with OPENBLAS_NUM_THREADS=1",
            .suits = "programs whose time goes into Python itself, with little data an item",
            .obstacle = without_python,
            .make = in_way("pool_map", true),
            .on_request = true,
            .traits = {.language = language::python,
                       .workers = worker_kind::processes,
                       .sends_data = true,
                       .one_library_thread = true}};
}

} // namespace regatta::race
