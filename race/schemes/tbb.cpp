// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/forked_run.hpp"
#include "schemes/tbb_threads.hpp"
#include "schemes/thread_runner.hpp"

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace regatta::race {
namespace {

struct tbb_forks {
    template<class F, class G>
    static auto both(F&& f, G&& g) {
        std::pair<decltype(f()), decltype(g())> results;
        tbb::parallel_invoke([&] { results.first = f(); }, [&] { results.second = g(); });
        return results;
    }
    template<class F>
    static void each(std::size_t count, F&& f) {
        tbb::parallel_for(std::size_t{0}, count, f);
    }
    template<class F>
    static void loop(std::size_t count, F&& f) {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&f](const auto& block) {
            for (std::size_t i = block.begin(); i != block.end(); ++i) {
                f(i);
            }
        });
    }
    template<class F>
    static void loop_2d(std::size_t rows, std::size_t columns, F&& f) {
        const tbb::blocked_range2d<std::size_t> all(0, rows, 0, columns);
        tbb::parallel_for(all, [&f](const auto& block) {
            for (std::size_t row = block.rows().begin(); row != block.rows().end(); ++row) {
                for (std::size_t at = block.cols().begin(); at != block.cols().end(); ++at) {
                    f(row, at);
                }
            }
        });
    }
    static double sum(const double* first, const double* last) {
        return tbb::parallel_reduce(
            tbb::blocked_range<const double*>(first, last), 0.0,
            [](const auto& block, double all) {
                return std::reduce(block.begin(), block.end(), all);
            },
            std::plus<>{});
    }
    template<class T>
    static void sort(T* first, T* last) {
        tbb::parallel_sort(first, last);
    }
};

/// `parallel_for` over the items, split by the automatic partitioner, as a user would write it;
/// forks by `parallel_invoke`. The calling thread is one of the workers.
class tbb_for final : public forked_scheme<tbb_for, tbb_forks> {
public:
    void prepare(run_context& context) override {
        threads_.emplace(context.workers);
        arena_.initialize(static_cast<int>(context.workers));
        arena_.execute([&] { threads_->start(); });
    }

    void run_items(run_context& context) {
        thread_runners runners(context.work, context.log);
        arena_.execute([&] {
            tbb::parallel_for(std::size_t{0}, context.work.items(),
                              [&](std::size_t item) { runners(item); });
        });
    }

    template<bool, class Computation>
    void enter(Computation&& computation) {
        arena_.execute(computation);
    }

private:
    std::optional<tbb_threads> threads_; // outlives the arena
    tbb::task_arena arena_;
};

} // namespace

scheme_info tbb_scheme() {
    return {.name = "tbb",
            .summary = "oneTBB parallel_for in an arena, automatic partitioner; forks by "
                       "parallel_invoke; warm threads, caller included",
            .suits = "loops within loops and libraries that share one set of threads",
            .make = make_new<tbb_for>,
            .library_version = tbb_version,
            .reusable = true,
            .forks = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
