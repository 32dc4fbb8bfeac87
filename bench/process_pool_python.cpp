// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// The same rows by a process pool and by Python's ProcessPoolExecutor.map over shared memory, with
/// the chunk size that suits it best; both compute a row by OpenBLAS.

#include "process_pool_case.hpp"

#include "bench.hpp"

#include "machine/blas.hpp"
#include "machine/python.hpp"
#include "sampling/sampler.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/process/process_pool.hpp>
#include <regatta/process/subprocess.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>

using namespace regatta;

namespace process_bench {

constexpr std::size_t n = 512;

struct matrix {
    float rows[n][n];
};

void multiply_row(const process_task& task, std::span<const matrix> in, std::span<matrix> out) {
    race::blas::find()->sgemm(1, n, n, in[0].rows[task.index], n, in[1].rows[0], n,
                              out[0].rows[task.index], n);
}

namespace {

/// The Python program, warm; asked for a product it answers with its time.
class executor {
public:
    explicit executor(const race::python_interpreter& python) {
        int to[2];
        int from[2];
        if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe could be made");
        }
        const detail::unique_descriptor its_input(to[0]);
        const detail::unique_descriptor its_output(from[1]);
        to_.reset(to[1]);
        from_.reset(from[0]);
        spawn_options options{.program = python.path,
                              .arguments = {"-B", REGATTA_BENCH_FOLDER "/process_pool_executor.py",
                                            std::to_string(available_cpus())},
                              .standard_input = its_input.get(),
                              .standard_output = its_output.get()};
        options.environment.set("OPENBLAS_NUM_THREADS", "1").set("OMP_NUM_THREADS", "1");
        process_ = spawn(options);
    }
    ~executor() {
        to_.reset(); // It ends by itself, with its workers and its segment.
        process_.wait_for(std::chrono::seconds(10));
    }

    /// The next number that it says.
    double answer() {
        std::string line;
        for (char c = 0; ::read(from_.get(), &c, 1) == 1 && c != '\n';) {
            line += c;
        }
        if (line.empty()) {
            throw std::runtime_error("Python has ended");
        }
        return std::strtod(line.c_str(), nullptr);
    }
    double product() {
        if (::write(to_.get(), "\n", 1) != 1) {
            throw std::runtime_error("Python has ended");
        }
        return answer();
    }

private:
    detail::unique_descriptor to_;
    detail::unique_descriptor from_;
    subprocess process_;
};

} // namespace

void measure_python(bench::bench_run& run) {
    const std::string title = "512×512 by rows of OpenBLAS: time a product";
    if (!run.wants(title)) {
        return;
    }
    const race::python_interpreter& python = race::find_python();
    if (!python.missing.empty()) {
        run.skip("ProcessPoolExecutor.map", python.missing);
        return;
    }
    if (race::blas::find() == nullptr) {
        run.skip("ProcessPoolExecutor.map", "there is no OpenBLAS (libopenblas0-pthread)");
        return;
    }
    executor other(python);
    run.note("ProcessPoolExecutor.map: its best chunk size is " +
             std::to_string(static_cast<int>(other.answer())));
    process_pool_options options{.workers = available_cpus()};
    options.environment.set("OPENBLAS_NUM_THREADS", "1");
    process_pool pool(options);
    const auto in = pool.allocate_input<matrix>(2);
    const auto out = pool.allocate<matrix>(1);
    for (std::size_t i = 0; i < n * n; ++i) {
        in[0].rows[i / n][i % n] = static_cast<float>(i % 7);
        in[1].rows[i / n][i % n] = static_cast<float>(i % 5);
    }
    pool.map<multiply_row>(in, out, n).get(); // Every worker has its library.
    run.measure(title, "ns",
                {{"process_pool",
                  [&] {
                      const std::int64_t begin = detail::monotonic_ns();
                      pool.map<multiply_row>(in, out, n).get();
                      return race::outcome{static_cast<double>(detail::monotonic_ns() - begin)};
                  }},
                 {"ProcessPoolExecutor.map", [&] { return race::outcome{other.product()}; }}},
                {{"rows beside Python", "process_pool", "ProcessPoolExecutor.map", {}}});
}

} // namespace process_bench
