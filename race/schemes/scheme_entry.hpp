// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the file of each scheme gives to the registry, which adds name and description.

#include "schemes/scheme.hpp"

#include <functional>
#include <memory>
#include <string>

namespace regatta::race {

class worker_process;

/// The part of a `scheme_info` that its implementation knows.
struct scheme_entry {
    std::function<std::unique_ptr<scheme>(const scheme_options&)> make;
    std::string version = {};
    std::function<std::string(const workload&)> missing = [](const workload&) {
        return std::string();
    };
    /// Whether its workers can hand over further items, as `run_spawning` asks for.
    bool spawns = false;
    /// See `scheme_info::on_request`.
    bool on_request = false;
    /// What its worker processes do; null where it has none.
    int (*worker)(worker_process&, const std::vector<std::string>& arguments) = nullptr;
};

/// The entry of a scheme whose options are all in the context of its run.
template<class Scheme>
scheme_entry entry_of(std::string version = {}) {
    return {[](const scheme_options&) { return std::make_unique<Scheme>(); }, std::move(version)};
}

/// The entry of a peer that was not there when this program was built.
scheme_entry absent_scheme(const char* what, const char* package);

scheme_entry serial_scheme();
scheme_entry std_thread_scheme();
scheme_entry std_async_scheme();
scheme_entry steady_scheme();
scheme_entry steady_batch_scheme();
scheme_entry balanced_scheme();
scheme_entry balanced_batch_scheme();
scheme_entry dynamic_scheme();
scheme_entry dynamic_batch_scheme();
scheme_entry worker_pool_scheme();
scheme_entry async_bus_scheme();
scheme_entry processes_scheme();
scheme_entry zmq_inproc_scheme();
scheme_entry zmq_inproc_chunk_scheme();
scheme_entry zmq_ipc_scheme();
scheme_entry openmp_static_scheme();
scheme_entry openmp_dynamic_scheme();
scheme_entry tbb_scheme();
scheme_entry tbb_group_scheme();
scheme_entry asio_scheme();
scheme_entry eigen_scheme();
scheme_entry mutex_queue_scheme();
scheme_entry std_par_scheme();
scheme_entry blas_threads_scheme();
/// @param one_blas_thread whether numpy is told to compute without threads of its own.
scheme_entry python_serial_scheme(bool one_blas_thread);
scheme_entry python_threads_scheme(bool one_blas_thread);
scheme_entry python_processes_scheme(bool one_blas_thread);
scheme_entry python_pool_map_scheme(bool one_blas_thread);

} // namespace regatta::race
