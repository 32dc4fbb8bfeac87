// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the reference promises of pools in a process that was made by fork. Each word on
// the command line is a test of its own.

#include "process_cases.hpp"

#include <regatta/fork.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/pool.hpp>
#include <regatta/time.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <memory>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace process_cases;

struct row {};
template<class Pool>
std::unique_ptr<Pool> make_pool() {
    auto pool = std::make_unique<Pool>(2u);
    if constexpr (std::is_same_v<Pool, regatta::worker_pool<row>>) {
        pool->template on<row>([](row&) {}).start();
    }
    if (address_sanitizer) { // A fork beside the start of a thread may find the sanitizer's lock
                             // held.
        std::latch both(2);
        for (int i = 0; i < 2; ++i) {
            pool->execute([&] { both.arrive_and_wait(); });
        }
        pool->wait();
    }
    return pool;
}

/// A child of a process whose pool sleeps, or works and has tasks queued.
template<class Pool>
void fork_beside(bool busy) {
    auto pool = make_pool<Pool>();
    std::atomic<bool> go_on{!busy};
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) {
        pool->execute([&] {
            while (!go_on) {
                std::this_thread::yield();
            }
            ++ran;
        });
    }
    if (!busy) {
        pool->wait();
    }
    auto unfinished = pool->submit([&] { return ran.load(); });
    if (!busy) {
        unfinished.wait();
    }
    const int status = status_of_child([&] {
        expect(refused_in_fork([&] { pool->execute([] {}); }), "execute throws");
        expect(refused_in_fork([&] { static_cast<void>(pool->submit([] {}).valid()); }),
               "submit throws");
        expect(refused_in_fork([&] { pool->wait(); }), "wait throws");
        expect(refused_in_fork([&] { pool->wait_for(std::chrono::hours(1)); }), "wait_for throws");
        expect(refused_in_fork([&] { pool->pause(); }), "pause throws");
        expect(!pool->worker_index(), "worker_index is nothing");
        expect(!busy || refused_in_fork([&] { unfinished.wait(); }), "a future's wait throws");
        expect(!busy || !unfinished.cancel(), "a future's cancel is false");
        expect(refused_in_fork(
                   [&] { static_cast<void>(std::move(unfinished).then([](int) {}).valid()); }),
               "a future's then throws");
        { const auto gone = std::move(unfinished); }
        if constexpr (std::is_same_v<Pool, regatta::worker_pool<row>>) {
            expect(!pool->try_submit(row{}), "try_submit is false");
            expect(refused_in_fork([&] { pool->submit(row{}); }), "submit of a message throws");
        }
        expect(refused_in_fork([&] { pool->try_execute([] {}); }), "try_execute throws");
        pool->close();
        pool.reset();
        expect(ran.load() == (busy ? 0 : 100), "no task runs in the child");
        auto own = make_pool<Pool>(); // And the child may have pools of its own.
        int mine = 0;
        own->execute([&mine] { mine = 7; });
        own->wait();
        expect(mine == 7, "a pool of the child's own works");
        const int grandchild = status_of_child([&] {
            expect(refused_in_fork([&] { own->execute([] {}); }), "execute throws in a grandchild");
            own.reset();
        });
        expect(grandchild == 0, "the grandchild ends well");
    });
    expect(status == 0, "the child ends well");
    go_on = true;
    pool->wait();
    expect(ran.load() == 100, "the parent's pool goes on");
}

void test_fork() {
    for (const bool busy : {false, true}) {
        fork_beside<regatta::steady_pool>(busy);
        fork_beside<regatta::balanced_pool>(busy);
        fork_beside<regatta::dynamic_pool>(busy);
        fork_beside<regatta::worker_pool<row>>(busy);
    }
}

/// A child of a process in which another thread is inside `close`.
void test_fork_in_close() {
    std::atomic<bool> go_on{false};
    auto pool = std::make_unique<regatta::worker_pool<row>>(2u);
    pool->on<row>([&](row&) {
            while (!go_on) {
                std::this_thread::yield();
            }
        })
        .start();
    pool->submit(row{});
    std::thread closing([&] { pool->close(); });
    try {
        for (;;) { // The other worker runs these until the pool is closed to them.
            pool->execute([] {});
            std::this_thread::yield();
        }
    } catch (const regatta::task_rejected&) {
    }
    const int status = status_of_child([&] {
        pool->close();
        pool.reset();
    });
    expect(status == 0, "close and the destructor return at once in the child");
    go_on = true;
    closing.join();
}

regatta::steady_pool& static_pool() {
    static regatta::steady_pool pool(2);
    return pool;
}

/// A child that calls `exit`: the ends of static pools run, which have no threads there.
void test_fork_exit() {
    static_pool().execute([] {});
    static regatta::dynamic_pool other(2);
    other.autoscale({.min = 1, .max = 2});
    static regatta::timer_scheduler timers;
    expect(status_of_child([] { std::exit(0); }) == 0, "a child exits");
    expect(status_of_child([] { std::quick_exit(0); }) == 0, "a child exits quickly");
}

/// A task that forks: its child may do what is allowed after a fork, is no worker, and may exit.
void test_fork_in_task() {
    const auto ends = [] { std::exit(static_pool().worker_index() ? 1 : 0); };
    const int status = static_pool().submit([&] { return status_of_child(ends); }).get();
    expect(status == 0, "a child of a task is no worker and exits");
}

/// A thread forks on the pool, in a region from outside, while another one forks the process.
void test_fork_beside_a_region() {
    auto pool = std::make_unique<regatta::balanced_pool>(2u);
    std::atomic<bool> inside{false};
    std::atomic<bool> go{false};
    std::thread other([&] {
        const auto first = [&] {
            inside = true;
            while (!go) {
                std::this_thread::yield();
            }
        };
        regatta::join(*pool, first, [] {});
    });
    while (!inside) {
        std::this_thread::yield();
    }
    expect(status_of_child([&] { pool.reset(); }) == 0, "the destructor returns in the child");
    go = true;
    other.join();
}

/// Threads that submit while others fork: a child never hangs at a lock that it cannot have.
void test_fork_under_load() {
    if (address_sanitizer) { // Its allocator keeps a lock in the child that another thread held.
        std::exit(77);
    }
    auto pool = std::make_unique<regatta::balanced_pool>(2u);
    std::atomic<bool> stop{false};
    std::thread submitting([&] {
        while (!stop) {
            for (int i = 0; i < 100; ++i) {
                pool->execute([p = pool.get()] { p->submit([] {}).get(); });
            }
            pool->wait();
        }
    });
    int good = 0;
    for (int i = 0; i < 50; ++i) {
        good += status_of_child([&] {
                    expect(refused_in_fork([&] { pool->execute([] {}); }), "execute throws");
                    pool.reset();
                }) == 0;
    }
    stop = true;
    submitting.join();
    expect(good == 50, "each child ends well");
}

/// Threads that change a pool's threads and read its figures, while others fork: in the child the
/// pool has no threads.
void test_fork_while_resized() {
    if (address_sanitizer) { // As in test_fork_under_load.
        std::exit(77);
    }
    auto pool = std::make_unique<regatta::dynamic_pool>(1u);
    std::atomic<bool> stop{false};
    std::thread resizing([&] {
        while (!stop) {
            pool->resize(2);
            pool->resize(1);
            pool->add_threads(1);
            pool->remove_threads(1);
        }
    });
    std::thread reading([&] {
        while (!stop) {
            static_cast<void>(pool->stats());
            static_cast<void>(pool->reset_tasks_taken());
        }
    });
    int good = 0;
    for (int i = 0; i < 50; ++i) {
        good += status_of_child([&] {
                    expect(refused_in_fork([&] { pool->resize(9); }), "resize throws");
                    expect(refused_in_fork([&] { pool->add_threads(1); }), "add_threads throws");
                    expect(refused_in_fork([&] { pool->autoscale(); }), "autoscale throws");
                    pool->remove_threads(1);
                    pool->stop_autoscale();
                    expect(pool->threads() == 0 && pool->running_threads() == 0 &&
                               pool->expected_threads() == 0 && pool->stats().workers.empty(),
                           "there is no thread");
                    expect(pool->tasks_taken() == 0 && pool->reset_tasks_taken() == 0 &&
                               pool->tasks_per_second() == 0,
                           "the meter shows nothing");
                    pool.reset();
                }) == 0;
    }
    stop = true;
    resizing.join();
    reading.join();
    expect(good == 50, "each child ends well");
}

/// A fork while another thread makes the shared pool: its forks run on their own thread.
void test_fork_in_first_use() {
    if (address_sanitizer) {
        std::printf("skipped: the fork may find the sanitizer's own allocator locked\n");
        std::fflush(stdout);
        ::_exit(77);
    }
    for (int delay = 0; delay < 200; ++delay) {
        const int status = status_of_child([&] {
            std::atomic<bool> begun{false};
            std::thread user([&] {
                begun = true;
                regatta::shared_pool().wait();
            });
            while (!begun) {
            }
            for (std::atomic<int> passes{0}; passes < 200 * delay; ++passes) {
            }
            const int inner = status_of_child([] {
                std::vector<int> numbers(100, 1);
                regatta::parallel_for(numbers, [](int& number) { number = 2; });
                expect(numbers == std::vector<int>(100, 2), "each element is visited");
                try {
                    expect(regatta::shared_pool().threads() != 1, "none, or its own");
                } catch (const std::system_error& refused) {
                    expect(refused.code() == std::errc::no_such_process, "is refused");
                }
                regatta::steady_pool own(1);
                expect(own.submit([] { return 7; }).get() == 7, "a pool of its own works");
            });
            expect(inner == 0, "the fork ends well");
            user.join();
        });
        expect(status == 0, "the process ends well");
        if (status != 0) {
            return;
        }
    }
}

/// A first use of the shared pool that fails for want of threads: the next one makes it, in a fork
/// as in the process.
void test_fork_after_a_failed_first_use() {
    const int status = status_of_child([] {
        if (::getuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) { // The limit is not root's.
            ::_exit(77);
        }
        rlimit before{};
        ::getrlimit(RLIMIT_NPROC, &before);
        const rlimit none{0, before.rlim_max};
        if (::setrlimit(RLIMIT_NPROC, &none) != 0) {
            ::_exit(77);
        }
        bool failed = false;
        try {
            regatta::shared_pool();
        } catch (const std::system_error& error) {
            failed = error.code() == std::errc::resource_unavailable_try_again;
        }
        expect(failed, "the first use throws");
        ::setrlimit(RLIMIT_NPROC, &before);
        const int inner = status_of_child(
            [] { expect(!refused_in_fork([] { regatta::shared_pool().wait(); }), "has its own"); });
        expect(inner == 0, "the fork ends well");
        regatta::shared_pool().wait();
    });
    if (status == 77) {
        std::exit(77);
    }
    expect(status == 0, "the process ends well");
}

/// The first process of a PID namespace forks into another one.
void be_first_and_fork() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // The first process of a namespace ignores its alarm.
    auto pool = make_pool<regatta::balanced_pool>();
    pool->execute([] {});
    pool->wait();
    regatta::timer_scheduler timers;
    regatta::shared_pool().wait();
    expect(::unshare(CLONE_NEWPID) == 0, "there is another namespace");
    const int inner = status_of_child([&] {
        expect(::getpid() == 1, "the child has its parent's number");
        expect(refused_in_fork([&] { pool->execute([] {}); }), "execute throws");
        expect(refused_in_fork([&] { timers.after(std::chrono::hours(1), [] {}); }),
               "after throws");
        expect(regatta::shared_pool().threads() == 0, "the shared pool has no thread");
        std::vector<int> numbers(100, 1);
        regatta::parallel_for(numbers, [](int& number) { number = 2; });
        expect(numbers == std::vector<int>(100, 2), "each element is visited");
        pool->close();
        pool.reset();
        timers.close();
    });
    expect(inner == 0, "the child ends well");
    expect(::getpid() == 1, "its parent is the first, too");
    expect(pool->submit([] { return 7; }).get() == 7, "the parent's pool goes on");
}

/// A child that has the number of its parent: each is the first of its PID namespace, as the first
/// process of a container is.
void test_fork_of_the_same_number() {
    // In a child: at its end the leak sanitizer needs a process of the namespace that is left.
    const int status = status_of_child([] {
        if (::unshare(CLONE_NEWPID) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
            std::printf("skipped: the kernel makes no PID namespace\n");
            std::fflush(stdout);
            ::_exit(77);
        }
        const int first = status_of_child(be_first_and_fork);
        expect(first == 0, "the parent ends well");
    });
    if (status == 77) {
        std::exit(77);
    }
    expect(status == 0, "the process ends well");
}

} // namespace

int main(int count, char** words) {
    const process_cases::test_case tests[] = {
        {"fork", test_fork},
        {"fork_in_close", test_fork_in_close},
        {"fork_exit", test_fork_exit},
        {"fork_in_task", test_fork_in_task},
        {"fork_beside_a_region", test_fork_beside_a_region},
        {"fork_under_load", test_fork_under_load},
        {"fork_while_resized", test_fork_while_resized},
        {"fork_in_first_use", test_fork_in_first_use},
        {"fork_after_a_failed_first_use", test_fork_after_a_failed_first_use},
        {"fork_of_the_same_number", test_fork_of_the_same_number}};
    return process_cases::run(count, words, tests);
}
