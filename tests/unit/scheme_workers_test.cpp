// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Worker processes that die, from without: nothing hangs, nothing is left, the report names them.

#include "support/eventually.hpp"

#include "schemes/process_team.hpp"
#include "schemes/scheme.hpp"
#include "schemes/temporary_folder.hpp"
#include "workloads/matmul.hpp"
#include "workloads/primes.hpp"

#include <regatta/base/config.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/process/shared_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;

namespace {

std::size_t entries_of(const std::string& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) {
        ++count;
    }
    return count;
}

/// The children of this process that have not been waited for, in the order of their numbers.
std::vector<pid_t> children() {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        // Nothing of a process that ends meanwhile.
        const std::string line =
            regatta::detail::read_small_file(entry.path() / "stat").value_or("");
        const auto after_name = line.rfind(')'); // then: state, parent
        if (after_name != std::string::npos &&
            std::stol(line.substr(after_name + 4)) == static_cast<long>(::getpid())) {
            found.push_back(static_cast<pid_t>(std::stol(name)));
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// How much of the mapping of that file is in the page table of a process.
long resident_bytes(std::int64_t process, ino_t file) {
    std::ifstream maps("/proc/" + std::to_string(process) + "/smaps");
    bool its = false;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string first, word;
        words >> first;
        if (first.ends_with(':')) {
            if (its && first == "Rss:") {
                words >> word;
                return 1024 * std::stol(word);
            }
            continue;
        }
        words >> word >> word >> word >> word; // rights, offset, device, file
        its = word == std::to_string(file);
    }
    return 0;
}

/// Names in $TMPDIR that schemes made, while it exists a folder of the test's own.
class watched_temporary_folder {
public:
    watched_temporary_folder() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
    ~watched_temporary_folder() { ::unsetenv("TMPDIR"); }
    std::vector<std::string> entries() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
            const std::string name = entry.path().filename();
            // A file of the sanitizer's runtime, which each process makes and removes while it
            // starts: a worker that is killed in between leaves it.
            if (REGATTA_THREAD_SANITIZER == 0 || !name.starts_with("tsan.rodata.")) {
                names.push_back(name);
            }
        }
        return names;
    }

private:
    temporary_folder folder_;
};

struct worker_processes : testing::TestWithParam<std::string> {
    void SetUp() override {
        info = find_scheme(GetParam());
        if (const std::string reason = info->missing(*work); !reason.empty()) {
            GTEST_SKIP() << reason;
        }
        if (REGATTA_THREAD_SANITIZER != 0 && info->traits.synchronises_unseen) {
            GTEST_SKIP() << info->name << ": not built for the thread sanitizer";
        }
        descriptors = entries_of("/proc/self/fd");
    }

    /// What the failed run says. The workers are started, and killed by `killer` while they run.
    template<class Killer>
    std::string failure_of(unsigned workers, Killer killer) {
        run_context context{*work, log, memory.descriptor(), workers};
        const auto scheme = info->make({.workers = workers});
        scheme->prepare(context);
        const std::jthread other([&] { killer(); });
        try {
            scheme->run(context);
        } catch (const scheme_failure& failure) {
            return failure.what();
        }
        return "no scheme_failure";
    }

    /// Waits until so many workers have begun, and gives their processes in the log's order.
    std::vector<pid_t> begun(unsigned workers) {
        std::vector<pid_t> all;
        while (all.size() < workers) {
            auto& process = log.workers[all.size()].process;
            auto number = std::atomic_ref(process).load(std::memory_order_relaxed);
            library_test::await([&] {
                number = std::atomic_ref(process).load(std::memory_order_relaxed);
                return number != 0;
            });
            all.push_back(static_cast<pid_t>(number));
        }
        return all;
    }

    void expect_nothing_left() {
        EXPECT_THAT(children(), testing::IsEmpty());
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
        EXPECT_EQ(errno, ECHILD);
        EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
        EXPECT_THAT(temporary.entries(), testing::IsEmpty());
    }

    watched_temporary_folder temporary;
    // So much work that it does not end before the signal is sent: it takes seconds.
    std::unique_ptr<workload> work = make_matmul({.size = 2048});
    regatta::shared_memory memory =
        regatta::shared_memory::anonymous("test-log", sizeof(run_log), run_log_layout);
    run_log& log = log_in(memory);
    const scheme_info* info = nullptr;
    std::size_t descriptors = 0;
};

/// The schemes whose workers are this program again, or the worker program, and that end when one
/// of them dies.
std::vector<std::string> with_worker_processes() {
    std::vector<std::string> all;
    for (const scheme_info& one : schemes()) {
        if (one.worker != nullptr) {
            all.emplace_back(one.name);
        }
    }
    return all;
}

} // namespace

TEST_P(worker_processes, one_that_is_killed_ends_the_run_with_its_name) {
    pid_t killed = 0;
    const std::string text = failure_of(3, [&] {
        killed = begun(3)[1];
        ::kill(killed, SIGKILL);
    });
    EXPECT_THAT(text, AllOf(HasSubstr("worker "), HasSubstr("(process " + std::to_string(killed) +
                                                            ") was killed by signal 9 (SIGKILL)")));
    expect_nothing_left();
}

TEST_P(worker_processes, all_killed_at_once_end_the_run) {
    const std::string text = failure_of(3, [&] {
        for (const pid_t process : begun(3)) {
            ::kill(process, SIGKILL);
        }
    });
    EXPECT_THAT(text, HasSubstr("was killed by signal 9 (SIGKILL)"));
    expect_nothing_left();
}

TEST_P(worker_processes, one_that_crashes_ends_the_run_with_its_name) {
    const std::string text = failure_of(2, [&] { ::kill(begun(2)[0], SIGABRT); });
    EXPECT_THAT(text, HasSubstr("was killed by signal 6 (SIGABRT)"));
    expect_nothing_left();
}

// "Ctrl-C is the race's to answer": a worker ignores it and ends when the race says so. "A worker
// is in a process group of its own", so that it gets none from the terminal while it starts either.
TEST_P(worker_processes, ignore_an_interrupt_and_end_when_told_to_stop) {
    const std::string text = failure_of(2, [&] {
        for (const pid_t process : begun(2)) {
            EXPECT_EQ(::getpgid(process), process);
            ::kill(process, SIGINT);
        }
        log.stop.store(1, std::memory_order_relaxed);
    });
    EXPECT_EQ(text, "no scheme_failure");
    expect_nothing_left();
}

TEST_P(worker_processes, one_that_does_not_find_its_memory_fails_the_run) {
    work = make_matmul({.size = 64});
    const auto other = regatta::shared_memory::anonymous("not-a-log", sizeof(run_log), 1);
    run_context context{*work, log, other.descriptor(), 2};
    std::string text;
    testing::internal::CaptureStderr();
    try {
        const auto scheme = info->make({.workers = 2});
        scheme->prepare(context);
        scheme->run(context);
    } catch (const scheme_failure& failure) {
        text = failure.what();
    }
    EXPECT_THAT(text, HasSubstr("exited with status 1"));
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("layout"));
}

TEST_P(worker_processes, without_descriptors_for_them_the_run_fails_and_says_so) {
    work = make_matmul({.size = 64});
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit few{descriptors + 24, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    std::string text;
    try {
        run_context context{*work, log, memory.descriptor(), 64};
        const auto scheme = info->make({.workers = 64});
        scheme->prepare(context);
        scheme->run(context);
    } catch (const scheme_failure& failure) {
        text = failure.what();
    }
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_THAT(text, HasSubstr("open files"));
    expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(schemes, worker_processes, testing::ValuesIn(with_worker_processes()),
                         [](const auto& one) { return one.param; });

struct pool_processes : worker_processes {};

// "A worker that dies is replaced and its item begun again"
TEST_P(pool_processes, all_killed_at_once_are_replaced_and_the_product_is_right) {
    work = make_matmul({.size = 512});
    work->reset();
    const std::string text = failure_of(3, [&] {
        for (const pid_t process : begun(3)) {
            ::kill(process, SIGKILL);
        }
    });
    EXPECT_EQ(text, "no scheme_failure");
    const verification result = work->verify();
    EXPECT_TRUE(result.ok) << result.message;
    expect_nothing_left();
}

// "an item that has lost three workers fails the run"
TEST_P(pool_processes, that_die_of_one_item_again_and_again_fail_the_run) {
    for (const double rate : {0.0, 1000.0}) {
        SCOPED_TRACE(rate);
        work = make_primes({.size = 1, .max_prime = 1'000'000}); // Lasts until the signal is sent.
        log.clear();
        log.offered.set_rate(rate, item_source::producer);
        log.offered.begin();
        const std::string text = failure_of(1, [&] {
            for (unsigned attempt = 1; attempt <= 3; ++attempt) {
                const pid_t worker = begun(attempt).back();
                const std::atomic_ref item_began(log.workers[attempt - 1].first_ns);
                library_test::await(
                    [&] { return item_began.load(std::memory_order_relaxed) != 0; });
                ::kill(worker, SIGKILL);
            }
        });
        EXPECT_THAT(text, HasSubstr("killed by signal 9 (SIGKILL) in the last of 3 attempts"));
        expect_nothing_left();
    }
}

TEST_P(pool_processes, that_do_not_find_their_memory_fail_the_run) {
    work = make_matmul({.size = 64});
    const auto other = regatta::shared_memory::anonymous("not-a-log", sizeof(run_log), 1);
    run_context context{*work, log, other.descriptor(), 2};
    try {
        const auto scheme = info->make({.workers = 2});
        scheme->prepare(context);
        scheme->run(context);
        ADD_FAILURE() << "no scheme_failure";
    } catch (const scheme_failure& failure) {
        EXPECT_THAT(failure.what(), HasSubstr("layout"));
    }
}

INSTANTIATE_TEST_SUITE_P(schemes, pool_processes,
                         testing::Values("process_pool", "process_pool_cold"),
                         [](const auto& one) { return one.param; });

// "each of which has computed some items": where processes are ready before the run, none of them
// takes the page faults of its items in it.
TEST(prepared_workers, have_touched_what_items_use) {
    if (!std::ifstream("/proc/self/smaps")) {
        GTEST_SKIP() << "this kernel does not tell what of a mapping is resident";
    }
    auto memory = regatta::shared_memory::anonymous("test-log", sizeof(run_log), run_log_layout);
    run_log& log = log_in(memory);
    std::size_t looked_at = 0;
    for (const scheme_info& info : schemes()) {
        const auto work = make_matmul({.size = 512}); // its output is a third of its memory
        if (info.traits.workers != worker_kind::processes || !info.missing(*work).empty() ||
            info.traits.language == language::python ||
            (REGATTA_THREAD_SANITIZER != 0 && info.traits.synchronises_unseen)) {
            continue;
        }
        SCOPED_TRACE(info.name);
        log.clear();
        run_context context{*work, log, memory.descriptor(), 2};
        const auto scheme = info.make({.workers = 2});
        scheme->prepare(context);
        struct stat about {};
        ASSERT_EQ(::fstat(work->descriptor(), &about), 0);
        for (unsigned i = 0; i < log.seen.load(); ++i, ++looked_at) {
            EXPECT_GT(resident_bytes(log.workers[i].process, about.st_ino), about.st_size / 2);
        }
    }
    EXPECT_GT(looked_at, 0u);
}

// Nor is any of that output left, which could stand for an item that the run forgets.
TEST(prepared_workers, leave_no_output) {
    auto memory = regatta::shared_memory::anonymous("test-log", sizeof(run_log), run_log_layout);
    run_log& log = log_in(memory);
    for (const scheme_info& info : schemes()) {
        const auto work = make_primes({.size = 20, .max_prime = 1000}); // One computes all items.
        if (!info.missing(*work).empty() || info.traits.language == language::python ||
            (REGATTA_THREAD_SANITIZER != 0 && info.traits.synchronises_unseen)) {
            continue;
        }
        log.clear();
        run_context context{*work, log, memory.descriptor(), 1};
        const auto scheme = info.make({.workers = 1});
        scheme->prepare(context);
        EXPECT_FALSE(work->verify().ok) << info.name;
    }
}

// A worker may also die before the run: while the race does something else.
TEST(zmq_ipc, a_worker_killed_after_prepare_fails_the_run) {
    const scheme_info* info = find_scheme("zmq_ipc");
    const auto work = make_matmul({.size = 128});
    if (const std::string reason = info->missing(*work); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    if (REGATTA_THREAD_SANITIZER != 0) {
        GTEST_SKIP() << "not built for the thread sanitizer";
    }
    auto memory = regatta::shared_memory::anonymous("test-log", sizeof(run_log), run_log_layout);
    run_log& log = log_in(memory);
    for (const bool all : {false, true}) {
        log.clear();
        run_context context{*work, log, memory.descriptor(), 2};
        const auto scheme = info->make({.workers = 2});
        scheme->prepare(context);
        const std::vector<pid_t> workers = children();
        ASSERT_EQ(workers.size(), 2u);
        ::kill(workers[0], SIGKILL);
        if (all) {
            ::kill(workers[1], SIGKILL);
        }
        try {
            scheme->run(context);
            ADD_FAILURE() << "no scheme_failure";
        } catch (const scheme_failure& failure) {
            EXPECT_THAT(failure.what(), HasSubstr("was killed by signal 9 (SIGKILL)"));
        }
    }
    EXPECT_THAT(children(), testing::IsEmpty());
}

TEST(temporary_folder, is_private_and_goes_with_its_contents) {
    std::string path;
    {
        const temporary_folder folder;
        path = folder.path();
        EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
        std::ofstream(path + "/file") << "x";
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(temporary_folder, says_where_it_could_not_be_made) {
    ::setenv("TMPDIR", "/does/not/exist", 1);
    std::string text;
    try {
        const temporary_folder folder;
    } catch (const std::system_error& error) {
        text = error.what();
    }
    ::unsetenv("TMPDIR");
    EXPECT_THAT(text, HasSubstr("/does/not/exist"));
}

TEST(worker_program, stands_beside_the_program_or_is_the_program_itself) {
    EXPECT_EQ(this_program(), std::filesystem::canonical("/proc/self/exe"));
    const std::string worker = worker_program();
    EXPECT_EQ(::access(worker.c_str(), X_OK), 0);
    EXPECT_TRUE(worker == this_program() || worker.ends_with("/libexec/regatta/regatta-worker"));
}

int main(int argc, char** argv) {
    if (const auto status = run_as_worker(argc, argv)) {
        return *status;
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
