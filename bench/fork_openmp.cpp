// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// OpenMP: tasks, and loops with the schedules static and dynamic, in a team of as many threads.

#include "fork_rows.hpp"

#include "schemes/openmp_team.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace regatta::bench {

namespace {

class team {
public:
    explicit team(unsigned threads) {
        race::start_openmp_team(threads);
        omp_set_num_threads(static_cast<int>(threads));
    }
    team(const team&) = delete;
    team& operator=(const team&) = delete;
    ~team() { race::end_openmp_team(); }
};

struct tasks : team {
    using team::team;
    template<class F, class G>
    void both(F&& f, G&& g) {
#pragma omp parallel
#pragma omp single
        {
#pragma omp task shared(f)
            f();
            g();
#pragma omp taskwait
        }
    }
};

struct static_loops : team {
    using team::team;
    template<class F>
    void loop(std::size_t n, F&& f) {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < n; ++i) {
            f(i);
        }
    }
};

struct dynamic_loops : team {
    using team::team;
    template<class F>
    void loop(std::size_t n, F&& f) {
#pragma omp parallel for schedule(dynamic, 64)
        for (std::size_t i = 0; i < n; ++i) {
            f(i);
        }
    }
};

std::int64_t sum(const fork_node& n) {
    std::int64_t a = 0;
#pragma omp task shared(a, n)
    a = n.left ? sum(*n.left) : 0;
    const std::int64_t b = n.right ? sum(*n.right) : 0;
#pragma omp taskwait
    return n.value + a + b;
}

/// The tasks are made in each run: a graph that is kept is not to be had.
race::outcome grid_graph(unsigned threads) {
    const team all(threads);
    fork_grid grid;
    std::vector<char> ends(fork_grid::size + 1); // The last one stands for no cell.
    return grid.time([&] {
#pragma omp parallel
#pragma omp single
        fork_grid::build([&](std::size_t i, std::size_t above, std::size_t left) {
            const char* const up = &ends[std::min(above, fork_grid::size)];
            const char* const before = &ends[std::min(left, fork_grid::size)];
            char* const own = &ends[i];
#pragma omp task shared(grid) firstprivate(i) depend(in : *up, *before) depend(out : *own)
            grid.work(i);
        });
    });
}
race::outcome layered_graph(unsigned threads) {
    const team all(threads);
    fork_layers layers;
    return layers.time([&] {
#pragma omp parallel
#pragma omp single
        for (std::size_t i = 0; i < fork_layers::size; ++i) {
            if (i % fork_layers::width == 0) {
#pragma omp taskwait
            }
#pragma omp task shared(layers) firstprivate(i)
            layers.work(i);
        }
    });
}

} // namespace

fork_case openmp_tasks() {
    fork_case c{.name = "OpenMP tasks"};
    c.graph = grid_graph;
    c.frame = layered_graph;
    c.region = [](unsigned threads) {
        const team all(threads);
        return fork_region([](const fork_node& root) {
            std::int64_t result = 0;
#pragma omp parallel
#pragma omp single
            result = sum(root);
            return result;
        });
    };
    fork_call_rows<tasks>::fill(c);
    return c;
}

fork_case openmp_static() {
    fork_case c{.name = "OpenMP static"};
    fork_loop_rows<static_loops>::fill(c);
    return c;
}

fork_case openmp_dynamic() {
    fork_case c{.name = "OpenMP dynamic, 64"};
    c.uneven = fork_loop_rows<dynamic_loops>::uneven;
    return c;
}

} // namespace regatta::bench
