// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pools_promise.hpp"
#include "pools_rows.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <cstddef>

namespace regatta::bench {
namespace {

/// The submitting thread has a slot in the arena and computes nothing: it never waits in oneTBB
/// before all tasks have run.
class in_arena {
public:
    explicit in_arena(unsigned workers)
        : limit_(tbb::global_control::max_allowed_parallelism, workers + 1)
        , arena_(static_cast<int>(workers) + 1, 1) {
        arena_.initialize();
    }

    template<class Body>
    void produce(Body&& body) {
        arena_.execute(body);
    }

protected:
    tbb::global_control limit_;
    tbb::task_arena arena_;
};

class task_group : public in_arena {
public:
    using in_arena::in_arena;
    ~task_group() {
        arena_.execute([this] { group_.wait(); });
    }

    template<class F>
    void execute(F&& f) {
        group_.run(std::forward<F>(f));
    }
    template<class F>
    void execute_within(F&& f) {
        group_.run(std::forward<F>(f));
    }
    template<class F>
    auto submit(F f) {
        return submit_promised(std::move(f), [this](auto&& task) { execute(std::move(task)); });
    }

private:
    tbb::task_group group_;
};

class enqueue : public in_arena {
public:
    using in_arena::in_arena;

    template<class F>
    void execute(F&& f) {
        arena_.enqueue(std::forward<F>(f));
    }
    template<class F>
    void execute_ten(std::array<F, 10> fs) {
        arena_.enqueue([fs] {
            tbb::parallel_for(std::size_t{0}, fs.size(), [&fs](std::size_t i) {
                F f = fs[i];
                f();
            });
        });
    }
    template<class F>
    void execute_within(F&& f) {
        arena_.enqueue(std::forward<F>(f));
    }
    template<class F>
    auto submit(F f) {
        return submit_promised(std::move(f), [this](auto&& task) { execute(std::move(task)); });
    }
};

} // namespace

pool_case tbb_task_group() {
    return case_of<task_group>("oneTBB task_group");
}
pool_case tbb_enqueue() {
    return case_of<enqueue>("oneTBB enqueue");
}

} // namespace regatta::bench
