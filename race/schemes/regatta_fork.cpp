// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/forked_run.hpp"
#include "schemes/thread_runner.hpp"

#include <regatta/core/detail/fork_access.hpp>
#include <regatta/fork/execution.hpp>
#include <regatta/fork/join.hpp>
#include <regatta/fork/parallel_algorithms.hpp>
#include <regatta/fork/parallel_for.hpp>
#include <regatta/fork/parallel_reduce.hpp>
#include <regatta/pool/balanced_pool.hpp>

#include <optional>
#include <utility>

namespace regatta::race {
namespace {

struct regatta_forks {
    template<class F, class G>
    static auto both(F&& f, G&& g) {
        return regatta::join(std::forward<F>(f), std::forward<G>(g));
    }
    template<class F>
    static void each(std::size_t count, F&& f) {
        regatta::parallel_for(std::size_t{0}, count, f);
    }
    template<class F>
    static void loop(std::size_t count, F&& f) {
        regatta::parallel_for(std::size_t{0}, count, f);
    }
    template<class F>
    static void loop_2d(std::size_t rows, std::size_t columns, F&& f) {
        regatta::parallel_for(regatta::rows_columns{rows, columns}, f);
    }
    static double sum(const double* first, const double* last) {
        return regatta::parallel_reduce(first, last, 0.0);
    }
    template<class T>
    static void sort(T* first, T* last) {
        regatta::parallel_sort(first, last);
    }
};

/// Forks of the calling thread and of the workers of a pool that has one thread less than the run
/// has workers.
class regatta_fork final : public forked_scheme<regatta_fork, regatta_forks> {
public:
    void prepare(run_context& context) override {
        pool_.emplace(context.workers > 1 ? context.workers - 1 : 1);
        if (context.workers > 1) {
            // The pool counts a caller from outside as one of its workers. Here it is one more.
            detail::fork_access::team(*pool_).lend(true);
        }
    }

    void run_items(run_context& context) {
        thread_runners runners(context.work, context.log);
        enter<false>([&] {
            regatta::parallel_for(std::size_t{0}, context.work.items(),
                                  [&](std::size_t item) { runners(item); });
        });
    }

    template<bool, class Computation>
    void enter(Computation&& computation) {
        regatta::par.on(*pool_).run(computation);
    }

private:
    std::optional<balanced_pool> pool_;
};

} // namespace

scheme_info regatta_fork_scheme() {
    return {.name = "regatta_fork",
            .summary = "forks and loops of this library: join, parallel_for, parallel_reduce, "
                       "parallel_sort; warm threads, caller included",
            .suits = "recursion and loops of any length, with no grain size to choose",
            .make = make_new<regatta_fork>,
            .reusable = true,
            .forks = true};
}

} // namespace regatta::race
