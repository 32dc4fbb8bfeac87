// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The schemes in Python: the same promises as of all others, and what becomes of them when Python
// or what it started dies.

#include "machine/blas.hpp"
#include "machine/python.hpp"
#include "schemes/python_process.hpp"
#include "schemes/scheme.hpp"
#include "workloads/counted.hpp"
#include "workloads/inverse.hpp"
#include "workloads/matmul.hpp"
#include "workloads/primes.hpp"
#include "workloads/products.hpp"

#include <regatta/process/shared_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// The children of a process. Of this process's threads only the main one starts any.
std::vector<pid_t> children_of(pid_t process) {
    const std::string number = std::to_string(process);
    std::ifstream file("/proc/" + number + "/task/" + number + "/children");
    std::vector<pid_t> all;
    for (pid_t one = 0; file >> one;) {
        all.push_back(one);
    }
    return all;
}

struct python_run {
    bool prepared_only = false;
    bool stopped = false;
    double rate = 0;
    std::function<void(pid_t)> meanwhile{}; ///< Called from another thread, once it runs.
};

struct python_schemes : testing::Test {
    void SetUp() override {
        if (const std::string& missing = find_python().missing; !missing.empty()) {
            GTEST_SKIP() << missing;
        }
        ASSERT_NE(python_program(), "");
    }

    /// Runs it and returns what it failed of, or nothing.
    std::string run(const std::string& name, workload& work, unsigned workers,
                    const python_run& how = {}) {
        work.reset();
        log.clear();
        log.stop.store(how.stopped ? 1 : 0);
        log.offered.set_rate(how.rate);
        run_context context{work, log, memory.descriptor(), workers};
        const auto scheme = find_scheme(name)->make({.workers = workers});
        std::string failure;
        try {
            scheme->prepare(context);
            std::jthread other;
            if (how.meanwhile) {
                other = std::jthread(how.meanwhile, children_of(::getpid()).at(0));
            }
            if (!how.prepared_only) {
                scheme->run(context);
            }
        } catch (const scheme_failure& caught) {
            failure = caught.what();
        }
        figures = scheme->figures();
        return failure;
    }

    void expect_right(const std::string& name, workload& work, unsigned workers) {
        EXPECT_EQ(run(name, work, workers), "");
        EXPECT_TRUE(work.verify().ok) << work.verify().message;
        const verification counted = check_items(log, work.items());
        EXPECT_TRUE(counted.ok) << counted.message;
        EXPECT_LE(log.seen.load(), workers);
        EXPECT_GT(figure("cpu_ns"), 0);
        for (unsigned i = 0; i < log.seen.load(); ++i) {
            const worker_log& one = log.workers[i];
            EXPECT_LE(one.first_ns, one.last_ns);
            EXPECT_LE(one.busy_ns, one.last_ns - one.first_ns);
            EXPECT_EQ(log.latencies[i].count(), one.items);
        }
    }

    double figure(std::string_view name) const {
        for (const run_figure& one : figures) {
            if (one.name == name) {
                return one.value;
            }
        }
        ADD_FAILURE() << "no figure " << name;
        return -1;
    }

    regatta::shared_memory memory =
        regatta::shared_memory::anonymous("test-log", sizeof(run_log), run_log_layout);
    run_log& log = log_in(memory);
    std::vector<run_figure> figures;
};

struct every_python_scheme : python_schemes, testing::WithParamInterface<std::string> {
    bool pool() const { return traits_of(GetParam()).sends_data; }
    bool forks() const { return traits_of(GetParam()).workers == worker_kind::processes; }
};

/// The schemes in Python whose traits are such.
template<class Such>
std::vector<std::string> schemes_that(Such such) {
    std::vector<std::string> all;
    for (const scheme_info& one : schemes()) {
        if (one.traits.language == language::python && such(one.traits)) {
            all.emplace_back(one.name);
        }
    }
    return all;
}

/// Without the variants, which differ in their environment alone.
struct every_python_way : every_python_scheme {};
/// Of those, the ways that make processes.
struct every_forking_way : every_python_scheme {};

/// A minute of work.
std::unique_ptr<workload> long_work() {
    return make_primes({.size = 10'000, .max_prime = 10'000});
}

/// Waits until Python has that many children, and returns them.
std::vector<pid_t> forked(pid_t python, std::size_t count) {
    std::vector<pid_t> all;
    do {
        std::this_thread::yield();
        all = children_of(python);
    } while (all.size() < count);
    return all;
}

} // namespace

// "Runs every item exactly once", and tells how long each took.
TEST_P(every_python_scheme, runs_every_item_exactly_once) {
    expect_right(GetParam(), *make_primes({.size = 7, .max_prime = 1000}), 2);
    EXPECT_GT(figure("interpreter_start_ns"), 0);
    EXPECT_EQ(figure("sent_bytes"), pool() ? 7 * 16 : 0);
    if (forks()) {
        EXPECT_EQ(figure("interpreted_ns"), 0);
    } else {
        EXPECT_GT(figure("interpreted_ns"), 0);
    }
}

TEST_P(every_python_scheme, computes_with_numpy_what_the_workload_expects) {
    if (const std::string missing = blas::missing(); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    expect_right(GetParam(), *make_matmul({.size = 130, .kernel = "blas", .seed = 3}), 2);
    expect_right(GetParam(),
                 *make_matmul({.size = 130, .kernel = "blas", .seed = 3, .type = "double"}), 2);
    expect_right(GetParam(), *make_products({.size = 64, .seed = 3, .items = 3}), 2);
    expect_right(GetParam(), *make_inverse({.size = 65, .seed = 3}), 3);
    EXPECT_EQ(figure("sent_bytes"), pool() ? 4 * 2 * 65 * 65 * 8 : 0);
}

TEST_P(every_python_way, may_be_prepared_for_nothing) {
    const auto work = make_primes({.size = 7, .max_prime = 1000});
    EXPECT_EQ(run(GetParam(), *work, 2, {.prepared_only = true}), "");
    EXPECT_EQ(children_of(::getpid()).size(), 0u);
}

// "Not 0: finish early; items are skipped from now on".
TEST_P(every_python_way, ends_early_when_told_to_stop) {
    const auto work = long_work();
    EXPECT_EQ(run(GetParam(), *work, 2, {.stopped = true}), "");
    EXPECT_EQ(log.workers[0].items, 0u);
}

TEST_P(every_python_way, says_that_python_was_killed) {
    const auto work = long_work();
    pid_t killed = 0;
    const std::string failure = run(GetParam(), *work, 2, {.meanwhile = [&](pid_t python) {
                                        killed = python;
                                        ::kill(python, SIGKILL);
                                    }});
    EXPECT_EQ(failure,
              "Python (process " + std::to_string(killed) + ") was killed by signal 9 (SIGKILL)");
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

// The others are not left alone with what it did, and nobody waits for ever.
TEST_P(every_forking_way, says_that_a_process_that_it_forked_was_killed) {
    const auto work = long_work();
    pid_t killed = 0;
    const std::string failure = run(GetParam(), *work, 2, {.meanwhile = [&](pid_t python) {
                                        killed = forked(python, 2).at(1);
                                        ::kill(killed, SIGKILL);
                                    }});
    EXPECT_THAT(failure,
                AllOf(StartsWith("Python (process "),
                      HasSubstr("exited with status 1: a worker (process " +
                                std::to_string(killed) + ") was killed by signal 9 (SIGKILL)")));
}

INSTANTIATE_TEST_SUITE_P(python, every_python_way,
                         testing::ValuesIn(schemes_that([](const scheme_traits& traits) {
                             return !traits.one_library_thread;
                         })),
                         [](const auto& one) { return one.param; });
INSTANTIATE_TEST_SUITE_P(python, every_forking_way,
                         testing::ValuesIn(schemes_that([](const scheme_traits& traits) {
                             return !traits.one_library_thread &&
                                    traits.workers == worker_kind::processes;
                         })),
                         [](const auto& one) { return one.param; });
INSTANTIATE_TEST_SUITE_P(python, every_python_scheme,
                         testing::ValuesIn(schemes_that([](const scheme_traits&) { return true; })),
                         [](const auto& one) { return one.param; });

TEST_F(python_schemes, refuse_items_that_are_offered_at_a_rate) {
    const auto work = make_primes({.size = 7, .max_prime = 1000});
    EXPECT_THAT(run("python_threads", *work, 2, {.rate = 100}), HasSubstr("offered at a rate"));
}

TEST_F(python_schemes, quote_the_error_that_ended_python) {
    /// Says that Python could compute it.
    struct unheard_of final : workload {
        std::string_view name() const noexcept override { return "unheard_of"; }
        std::size_t items() const noexcept override { return 1; }
        void run(std::size_t) noexcept override {}
        void reset() noexcept override {}
        verification verify() const override { return {}; }
        int descriptor() const noexcept override { return memory.descriptor(); }
        std::vector<layout_number> layout() const override { return {{"n", 1}}; }
        regatta::shared_memory memory = regatta::shared_memory::anonymous("test", 8, 1);
    } work;
    EXPECT_THAT(run("python_threads", work, 2),
                AllOf(StartsWith("Python (process "),
                      HasSubstr("exited with status 1: KeyError: 'unheard_of'")));
}

TEST(python_workloads, are_those_that_say_where_their_data_are) {
    const auto missing = [](const workload& work) {
        return find_scheme("python_threads")->missing(work);
    };
    EXPECT_THAT(missing(*make_empty({.size = 100})), HasSubstr("no code in Python for empty"));
    EXPECT_THAT(missing(*make_matmul({.size = 64, .kernel = "tiled"})),
                HasSubstr("no code in Python for matmul but with --kernel blas"));
}
