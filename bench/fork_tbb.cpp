// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// oneTBB: parallel_invoke, and parallel_for with the automatic partitioner, on as many threads;
/// and loops with the static one, which gives each thread an equal part.

#include "fork_rows.hpp"

#include "schemes/tbb_threads.hpp"

#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_invoke.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace regatta::bench {

namespace {

/// @tparam Grain a block of so many iterations is not divided.
template<class Partitioner, std::size_t Grain = 1>
struct on_tbb {
    explicit on_tbb(unsigned count) : threads(count) { threads.start(); }
    template<class F>
    void loop(std::size_t n, F&& f) {
        const auto body = [&f](const auto& block) {
            for (std::size_t i = block.begin(); i != block.end(); ++i) {
                f(i);
            }
        };
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, Grain), body, Partitioner());
    }
    template<class F, class G>
    void both(F&& f, G&& g) {
        tbb::parallel_invoke(f, g);
    }
    race::tbb_threads threads;
};

std::int64_t sum(const fork_node& n) {
    std::int64_t a = 0;
    std::int64_t b = 0;
    tbb::parallel_invoke([&] { a = n.left ? sum(*n.left) : 0; },
                         [&] { b = n.right ? sum(*n.right) : 0; });
    return n.value + a + b;
}

using graph_node = tbb::flow::continue_node<tbb::flow::continue_msg>;

race::outcome grid_graph(unsigned threads) {
    const on_tbb<tbb::auto_partitioner> scheme(threads);
    fork_grid grid;
    tbb::flow::graph graph;
    std::vector<std::unique_ptr<graph_node>> nodes;
    fork_grid::build([&](std::size_t i, std::size_t above, std::size_t left) {
        nodes.push_back(std::make_unique<graph_node>(
            graph, [&grid, i](const tbb::flow::continue_msg&) { grid.work(i); }));
        for (const std::size_t earlier : {above, left}) {
            if (earlier != fork_grid::none) {
                tbb::flow::make_edge(*nodes[earlier], *nodes[i]);
            }
        }
    });
    return grid.time([&] {
        nodes[0]->try_put(tbb::flow::continue_msg());
        graph.wait_for_all();
    });
}
race::outcome layered_graph(unsigned threads) {
    const on_tbb<tbb::auto_partitioner> scheme(threads);
    fork_layers layers;
    tbb::flow::graph graph;
    std::vector<std::unique_ptr<graph_node>> nodes;
    for (std::size_t i = 0; i < fork_layers::size; ++i) {
        nodes.push_back(std::make_unique<graph_node>(
            graph, [&layers, i](const tbb::flow::continue_msg&) { layers.work(i); }));
        const std::size_t layer = i / fork_layers::width * fork_layers::width;
        for (std::size_t j = layer < fork_layers::width ? layer : layer - fork_layers::width;
             j < layer; ++j) {
            tbb::flow::make_edge(*nodes[j], *nodes[i]);
        }
    }
    return layers.time([&] {
        for (std::size_t i = 0; i < fork_layers::width; ++i) {
            nodes[i]->try_put(tbb::flow::continue_msg());
        }
        graph.wait_for_all();
    });
}

} // namespace

fork_case tbb_forks() {
    fork_case c{.name = "oneTBB"};
    c.graph = grid_graph;
    c.frame = layered_graph;
    c.region = [](unsigned threads) {
        const on_tbb<tbb::auto_partitioner> scheme(threads);
        return fork_region(sum);
    };
    fork_call_rows<on_tbb<tbb::auto_partitioner>>::fill(c);
    fork_loop_rows<on_tbb<tbb::auto_partitioner>>::fill(c);
    return c;
}

fork_case tbb_equal_parts() {
    fork_case c{.name = "oneTBB static"};
    fork_loop_rows<on_tbb<tbb::static_partitioner>>::fill(c);
    return c;
}

fork_case tbb_undivided() {
    using rows = fork_loop_rows<on_tbb<tbb::simple_partitioner, 10'000>>;
    fork_case c{.name = "oneTBB, grain 10000"};
    rows::fill_short(c);
    return c;
}

} // namespace regatta::bench
