// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Forks of this library on a balanced_pool of as many threads, one of which is the caller.

#include "fork_rows.hpp"

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace regatta::bench {

namespace {

struct on_pool {
    explicit on_pool(unsigned threads) : pool(threads) {}
    template<class F>
    void loop(std::size_t n, F&& f) {
        parallel_for(pool, std::size_t{0}, n, f);
    }
    template<class F, class G>
    void both(F&& f, G&& g) {
        join(pool, f, g);
    }
    balanced_pool pool;
};

long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}
std::int64_t sum(const fork_node& n) {
    const auto [a, b] = join([&n] { return n.left ? sum(*n.left) : 0; },
                             [&n] { return n.right ? sum(*n.right) : 0; });
    return n.value + a + b;
}

} // namespace

fork_case regatta_forks() {
    fork_case c{.name = "regatta"};
    c.fib = [](unsigned threads) {
        balanced_pool pool(threads);
        return pool.submit([] { return fork_fib(34, fib); }).get();
    };
    c.region = [](unsigned threads) {
        balanced_pool pool(threads);
        return fork_region([&pool](const fork_node& root) {
            const auto [a, b] = join(
                pool, [&root] { return sum(*root.left); }, [&root] { return sum(*root.right); });
            return root.value + a + b;
        });
    };
    c.tree = [](unsigned threads) {
        balanced_pool pool(threads);
        return pool.submit([] { return fork_tree(sum); }).get();
    };
    c.graph = [](unsigned threads) {
        balanced_pool pool(threads);
        fork_grid grid;
        task_graph graph;
        std::vector<task_graph::task> tasks;
        fork_grid::build([&](std::size_t i, std::size_t above, std::size_t left) {
            tasks.push_back(graph.add([&grid, i] { grid.work(i); }));
            for (const std::size_t earlier : {above, left}) {
                if (earlier != fork_grid::none) {
                    graph.add_edge(tasks[earlier], tasks[i]);
                }
            }
        });
        return grid.time([&] { graph.run(pool); });
    };
    c.frame = [](unsigned threads) {
        balanced_pool pool(threads);
        fork_layers layers;
        task_graph graph;
        std::vector<task_graph::task> before;
        std::vector<task_graph::task> layer;
        for (std::size_t i = 0; i < fork_layers::size; ++i) {
            layer.push_back(graph.add([&layers, i] { layers.work(i); }, before));
            if (layer.size() == fork_layers::width) {
                before = std::exchange(layer, {});
            }
        }
        return layers.time([&] { graph.run(pool); });
    };
    fork_call_rows<on_pool>::fill(c);
    fork_loop_rows<on_pool>::fill(c);
    return c;
}

fork_case regatta_forks_in_task() {
    fork_case c{.name = "regatta, in a task"};
    c.region = [](unsigned threads) {
        balanced_pool pool(threads);
        return pool.submit([] { return fork_region(sum); }).get();
    };
    return c;
}

} // namespace regatta::bench
