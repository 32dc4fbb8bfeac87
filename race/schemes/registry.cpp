// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"

namespace regatta::race {
namespace {

scheme_info describe(std::string_view name, std::string_view summary, std::string_view suits,
                     scheme_entry entry) {
    auto missing = [spawns = entry.spawns,
                    own = std::move(entry.missing)](const workload& work) -> std::string {
        if (!spawns && work.handed_out() != work.items()) {
            return "its items cannot hand over further items, as those of " +
                   std::string(work.name()) + " do";
        }
        return own(work);
    };
    return {.name = name,
            .summary = summary,
            .suits = suits,
            .missing = std::move(missing),
            .make = std::move(entry.make),
            .version = std::move(entry.version),
            .on_request = entry.on_request};
}

} // namespace

const std::vector<scheme_info>& schemes() {
    static const std::vector<scheme_info> all = {
        describe("serial", "one thread, a plain loop; nothing to prepare",
                 "jobs so short that handing them out costs more than doing them", serial_scheme()),
        describe(
            "std_thread", "threads started afresh in each run claim items from one atomic counter",
            "one-off jobs of many items: even load with no library at all", std_thread_scheme()),
        describe("std_async",
                 "std::async, a future and a fresh thread for each worker, one block of items each",
                 "a few equally long pieces whose results or exceptions are wanted as futures",
                 std_async_scheme()),
        describe("openmp_static",
                 "OpenMP loop cut into equal blocks beforehand; warm threads, caller included",
                 "loops whose items all cost the same", openmp_static_scheme()),
        describe("openmp_dynamic",
                 "OpenMP loop, each thread takes the next item; warm threads, caller included",
                 "loops whose items cost unequally", openmp_dynamic_scheme()),
        describe("tbb",
                 "oneTBB parallel_for in an arena, automatic partitioner; warm threads, "
                 "caller included",
                 "loops within loops and libraries that share one set of threads", tbb_scheme()),
        describe("tbb_group", "oneTBB task_group, one run an item; warm threads, caller included",
                 "jobs that divide themselves: tasks that hand over further tasks",
                 tbb_group_scheme()),
        describe(
            "std_par",
            "std::for_each with std::execution::par (on oneTBB); warm threads, caller included",
            "standard algorithms made parallel by one argument", std_par_scheme()),
        describe("steady", "regatta::steady_pool, one execute an item; warm threads",
                 "many short tasks of about the same length", steady_scheme()),
        describe("steady_batch",
                 "regatta::steady_pool, one execute_batch for --chunk items; warm threads",
                 "many short tasks that are known several at a time", steady_batch_scheme()),
        describe("balanced", "regatta::balanced_pool, one execute an item; warm threads",
                 "tasks of uneven length", balanced_scheme()),
        describe("balanced_batch",
                 "regatta::balanced_pool, one execute_batch for --chunk items; warm threads",
                 "tasks of uneven length that are known several at a time",
                 balanced_batch_scheme()),
        describe("dynamic", "regatta::dynamic_pool, one execute an item; warm threads",
                 "load that varies, so that threads come and go", dynamic_scheme()),
        describe("dynamic_batch",
                 "regatta::dynamic_pool, one execute_batch for --chunk items; warm threads",
                 "load that varies and comes in bursts", dynamic_batch_scheme()),
        describe("asio", "Boost.Asio thread_pool, one post an item; warm threads",
                 "work that goes along with sockets and timers", asio_scheme()),
        describe("eigen", "Eigen::ThreadPool, one Schedule an item; warm threads",
                 "programs that compute with Eigen's tensors anyway", eigen_scheme()),
        describe("mutex_queue",
                 "a pool of one mutex, one condition variable and one std::deque of "
                 "std::function, one post an item; warm threads",
                 "tasks of a millisecond and more, with nothing to install", mutex_queue_scheme()),
        describe("worker_pool", "regatta::worker_pool, a message an item; warm threads",
                 "a service that handles typed messages, at the latency of a hand-over",
                 worker_pool_scheme()),
        describe("async_bus",
                 "regatta::async_bus, a message an item to its one consumer; a warm thread",
                 "passing messages on in order; not dividing work", async_bus_scheme()),
        describe("processes",
                 "processes started afresh in each run claim items from a counter in shared memory",
                 "isolation: a worker that crashes takes nobody along", processes_scheme()),
        describe("zmq_inproc",
                 "ZeroMQ PUSH/PULL between threads, a message an item and its answer; warm threads",
                 "programs whose parts talk by messages anyway", zmq_inproc_scheme()),
        describe(
            "zmq_inproc_chunk",
            "ZeroMQ PUSH/PULL between threads, --chunk items a message and an answer; warm threads",
            "parts that talk by messages, with items too short for a message each",
            zmq_inproc_chunk_scheme()),
        describe("zmq_ipc",
                 "ZeroMQ PUSH/PULL over ipc to processes, a message an item and its answer; warm "
                 "processes",
                 "several languages or programs, later perhaps several machines", zmq_ipc_scheme()),
        describe("blas_threads",
                 "the whole job in one call of OpenBLAS with its own threads; warm threads",
                 "dense linear algebra: let the library divide it", blas_threads_scheme()),
        describe(
            "python_serial",
            "Python and numpy, a plain loop; a warm interpreter, numpy's BLAS with its threads",
            "programs in Python whose time goes into a library with threads of its own",
            python_serial_scheme(false)),
        describe("python_serial_1blas", "the same with OPENBLAS_NUM_THREADS=1",
                 "programs in Python that need one CPU", python_serial_scheme(true)),
        describe("python_threads",
                 "Python threads started afresh in each run claim items from a counter; a warm "
                 "interpreter, numpy's BLAS with its threads",
                 "seeing what the threads of numpy's BLAS do beside its own",
                 python_threads_scheme(false)),
        describe("python_threads_1blas", "the same with OPENBLAS_NUM_THREADS=1",
                 "programs in Python whose time goes into libraries that let go of its lock",
                 python_threads_scheme(true)),
        describe("python_processes",
                 "Python processes forked in each run claim items from a counter, their data in "
                 "shared memory; a warm interpreter, numpy's BLAS with its threads",
                 "seeing what the threads of numpy's BLAS do beside its own",
                 python_processes_scheme(false)),
        describe("python_processes_1blas", "the same with OPENBLAS_NUM_THREADS=1",
                 "programs whose time goes into Python itself", python_processes_scheme(true)),
        describe("python_pool_map",
                 "a multiprocessing.Pool made in each run and its map, which sends inputs and "
                 "results through pipes; a warm interpreter, numpy's BLAS with its threads",
                 "seeing what the threads of numpy's BLAS do beside its own",
                 python_pool_map_scheme(false)),
        describe("python_pool_map_1blas", "the same with OPENBLAS_NUM_THREADS=1",
                 "programs whose time goes into Python itself, with little data an item",
                 python_pool_map_scheme(true)),
    };
    return all;
}

const scheme_info* find_scheme(std::string_view name) {
    if (name == "regatta") {
        name = "balanced"; // the pool of ours that suits the most kinds of items
    }
    for (const scheme_info& info : schemes()) {
        if (info.name == name) {
            return &info;
        }
    }
    return nullptr;
}

} // namespace regatta::race
