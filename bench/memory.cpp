// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Peak memory of whole races of a 512×512 matrix product, by 64 MiB: with our own schemes and the
/// standard library's (no peer's library works then), and with all schemes.

#include "bench.hpp"

#include <regatta/process/subprocess.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace regatta;

/// Runs a race. @returns the peak resident memory, in bytes, of the largest process of all that
/// have ended so far: so begin with what needs least.
double peak_of(const std::vector<std::string>& more) {
    const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
    std::vector<std::string> arguments{"race", "matmul", "--size", "512", "--rounds", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const detail::unique_descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    spawn_options what;
    what.program = (build / "command" / "regatta").string();
    what.arguments = arguments;
    what.standard_output = nowhere.get();
    what.standard_error = nowhere.get();
    const exit_status status = spawn(what).wait();
    if (!status.success()) {
        throw std::runtime_error("the race " + status.describe());
    }
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return double(usage.ru_maxrss) * 1024;
}

} // namespace

int main(int argc, char** argv) {
    const auto options = bench::parse_options(argc, argv, 3);
    bench::bench_run run(options);
    constexpr double limit = 64.0 * 1024 * 1024;
    const auto measure = [&](const std::string& name, const std::vector<std::string>& more,
                             std::optional<double> bar) {
        std::vector<double> peaks;
        for (unsigned i = 0; i < options.rounds; ++i) {
            peaks.push_back(peak_of(more) / limit);
        }
        const auto ratio = race::median_by_ranks(peaks);
        run.add(
            {name, "peak memory of a race", "64 MiB", ratio, bar, !bar || ratio.median <= *bar});
    };
    measure("own and standard schemes",
            {"--schemes", "serial,std_thread,std_async,worker_pool,async_bus,processes"}, 1.0);
    measure("all schemes", {}, std::nullopt);
    return run.finish("memory");
}
