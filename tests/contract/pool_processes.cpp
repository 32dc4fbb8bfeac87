// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the reference promises of pools and processes: forks, ends of programs, modules. Each word
// on the command line is a test of its own, since it ends a process. Exit status 0: as promised.

#include "pool_module.hpp"

#include <regatta/message/worker_pool.hpp>
#include <regatta/time.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif

constexpr unsigned patience = 60; // Seconds.
const pid_t first_process = ::getpid();

int failures = 0;
void expect(bool as_promised, const char* what) {
    if (!as_promised) {
        std::printf("not as promised: %s\n", what);
        ++failures;
    }
}
template<class Call>
bool refused_in_fork(Call&& call) {
    try {
        call();
    } catch (const std::system_error& error) {
        return error.code() == std::errc::no_such_process;
    }
    return false;
}

/// @returns the exit status of a child that does that; -1 if a signal ended it.
template<class Do>
int status_of_child(Do&& action) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience / 2);
        action();
        std::fflush(nullptr);
        ::_exit(failures);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct row {};
template<class Pool>
std::unique_ptr<Pool> make_pool() {
    auto pool = std::make_unique<Pool>(2u);
    if constexpr (std::is_same_v<Pool, regatta::worker_pool<row>>) {
        pool->template on<row>([](row&) {}).start();
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
        expect(!busy || refused_in_fork([&] { unfinished.wait(); }), "a future's wait throws");
        expect(!busy || !unfinished.cancel(), "a future's cancel is false");
        expect(refused_in_fork(
                   [&] { static_cast<void>(std::move(unfinished).then([](int) {}).valid()); }),
               "a future's then throws");
        { const auto gone = std::move(unfinished); }
        if constexpr (std::is_same_v<Pool, regatta::worker_pool<row>>) {
            expect(!pool->try_submit(row{}), "try_submit is false");
            expect(refused_in_fork([&] { pool->submit(row{}); }), "submit of a message throws");
        } else {
            expect(refused_in_fork([&] { pool->try_execute([] {}); }), "try_execute throws");
        }
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

/// A child of a process with a timer whose callback runs.
void test_fork_timers() {
    std::atomic<bool> runs{false};
    std::atomic<bool> go_on{false};
    regatta::timer_scheduler timers;
    const auto id = timers.every(std::chrono::milliseconds(1), [&] {
        runs = true;
        while (!go_on) {
            std::this_thread::yield();
        }
    });
    while (!runs) {
        std::this_thread::yield();
    }
    const int status = status_of_child([&] {
        expect(!timers.cancel(id), "cancel is false");
        expect(!timers.cancel_and_wait(id), "cancel_and_wait is false, and does not wait");
        expect(timers.pending() == 0, "no timer is pending");
        expect(refused_in_fork([&] { timers.after(std::chrono::hours(1), [] {}); }),
               "after throws");
        timers.close();
    });
    expect(status == 0, "the child ends well");
    go_on = true;
    expect(timers.cancel_and_wait(id), "the parent's timer goes on");
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

/// A task that forks: its child may do what is allowed after a fork, and exit.
void test_fork_in_task() {
    const int status =
        static_pool().submit([] { return status_of_child([] { std::exit(0); }); }).get();
    expect(status == 0, "a child of a task exits");
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

/// Messages that are queued when the process forks belong to the parent.
void test_fork_messages() {
    static int destroyed = 0;
    struct counted {
        bool mine = true;
        counted() = default;
        counted(counted&& other) noexcept : mine(std::exchange(other.mine, false)) {}
        ~counted() { destroyed += mine ? 1 : 0; }
    };
    auto pool = std::make_unique<regatta::worker_pool<counted>>(1u);
    pool->on<counted>([](counted&) {}).start();
    pool->pause();
    for (int i = 0; i < 10; ++i) {
        pool->submit(counted());
    }
    const int status = status_of_child([&] {
        pool.reset();
        expect(destroyed == 0, "the child destroys none");
    });
    expect(status == 0, "the child ends well");
    pool.reset();
    expect(destroyed == 10, "the parent handles all");
}

/// The end of a program closes static pools: what they took runs.
void test_static() {
    static std::atomic<int> ran{0};
    struct look_last {
        ~look_last() {
            if (ran != 100) {
                ::_exit(1);
            }
        }
    };
    static look_last last; // Constructed first, destroyed last.
    for (int i = 0; i < 100; ++i) {
        static_pool().execute([] {
            std::this_thread::yield();
            ++ran;
        });
    }
}

/// quick_exit ends no pool, and waits for none.
void test_quick_exit() {
    static_pool().execute([] {
        for (;;) {
            std::this_thread::yield();
        }
    });
    std::quick_exit(failures);
}

struct module {
    void* handle = ::dlopen(POOL_MODULE, RTLD_NOW | RTLD_LOCAL);
    template<class F>
    F* find(const char* name) const {
        if (handle == nullptr) {
            std::printf("%s\n", ::dlerror());
            std::exit(1);
        }
        return reinterpret_cast<F*>(::dlsym(handle, name));
    }
};

/// dlclose, or the end of the program if the module stays, ends the module's pool in order.
void test_dlclose() {
    static int ended = 0;
    struct look_last {
        ~look_last() {
            if (ended != 1) {
                ::_exit(1);
            }
        }
    };
    static look_last last;
    const module m;
    m.find<decltype(tell_end_of_pool)>("tell_end_of_pool")(&ended);
    regatta::thread_pool& pool = *m.find<decltype(pool_of_module)>("pool_of_module")();
    expect(pool.submit([] { return 6 * 7; }).get() == 42, "the module's pool runs a task");
    ::dlclose(m.handle);
}

/// A program and a module that hide their names from each other, with a pool of one thread each.
void test_two_modules() {
    const module m;
    regatta::thread_pool& theirs = *m.find<decltype(pool_of_module)>("pool_of_module")();
    const auto nest = m.find<decltype(nest_in_module)>("nest_in_module");
    regatta::steady_pool ours(1);
    expect(nest(ours, 100) == 100, "the module's tasks wait on the program's pool");
    // The task below is of this program, its worker is the module's.
    const int sum = theirs
                        .submit([&theirs] {
                            int all = 0;
                            for (int i = 0; i < 100; ++i) {
                                all += theirs.submit([] { return 1; }).get();
                            }
                            theirs.execute([] {});
                            theirs.wait();
                            return all;
                        })
                        .get();
    expect(sum == 100, "the program's tasks wait on the module's pool");
    bool refused = false;
    theirs
        .submit([&] {
            try {
                theirs.close();
            } catch (const std::system_error& error) {
                refused = error.code() == std::errc::resource_deadlock_would_occur;
            }
        })
        .get();
    expect(refused, "a task does not close its own pool, whichever module calls");
}

/// Forks within a module that was loaded, from this thread and from tasks; it ends in order.
void test_fork_in_module() {
    module m;
    const auto fib = m.find<decltype(fork_in_module)>("fork_in_module");
    regatta::balanced_pool ours(2);
    for (int i = 0; i < 20; ++i) {
        expect(fib(nullptr, 15) == 610, "the module forks on its own pool");
        expect(fib(&ours, 15) == 610, "the module forks on the program's pool");
        expect(ours.submit([&] { return fib(nullptr, 15); }).get() == 610,
               "the module forks in a task of the program");
        const auto [here, there] = regatta::join(
            ours, [&] { return fib(&ours, 12); }, [&] { return fib(&ours, 10); });
        expect(here == 144 && there == 55, "the module forks in forks of the program");
    }
    ours.close();
    ::dlclose(m.handle);
}

/// Forbids membarrier(2) to all threads of this process. @returns whether the kernel does so.
bool forbid_membarrier() {
    sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{static_cast<unsigned short>(std::size(lines)), lines};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

/// A filter that comes after the pools forbids their fence: no wake-up is lost, each is slower.
void test_membarrier_refused() {
    regatta::balanced_pool pool(2);
    regatta::worker_pool<row> rows(2);
    std::atomic<int> handled{0};
    rows.on<row>([&](row&) { ++handled; }).start();
    pool.submit([] {}).wait();
    if (!forbid_membarrier()) {
        std::printf("skipped: no filter can be set: %s\n", std::strerror(errno));
        std::exit(77);
    }
    expect(::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0 && errno == EPERM,
           "the filter forbids the call");
    for (int i = 0; i < 200; ++i) {
        int done = 0;
        pool.execute([&] { done = pool.submit([] { return 1; }).get(); });
        pool.wait();
        expect(done == 1, "wait ends after the task");
        rows.submit(row{});
        rows.drain();
        expect(handled.load() == i + 1, "drain ends after the message");
        if (i % 50 == 0) {
            pool.pause();
            pool.resume();
        }
    }
}

} // namespace

/// Asked by the leak sanitizer when a process ends. A fork lacks the threads that it would search
/// for pointers; it says itself that false leaks are possible there.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
    return ::getpid() != first_process ? 1 : 0;
}

int main(int count, char** words) {
    ::alarm(patience);
    const std::string_view word = count > 1 ? words[1] : "";
    const struct {
        std::string_view name;
        void (*test)();
    } tests[] = {{"fork", test_fork},
                 {"fork_in_close", test_fork_in_close},
                 {"fork_exit", test_fork_exit},
                 {"fork_timers", test_fork_timers},
                 {"fork_in_task", test_fork_in_task},
                 {"fork_beside_a_region", test_fork_beside_a_region},
                 {"fork_under_load", test_fork_under_load},
                 {"fork_while_resized", test_fork_while_resized},
                 {"fork_messages", test_fork_messages},
                 {"static", test_static},
                 {"quick_exit", test_quick_exit},
                 {"dlclose", test_dlclose},
                 {"two_modules", test_two_modules},
                 {"fork_in_module", test_fork_in_module},
                 {"membarrier_refused", test_membarrier_refused}};
    for (const auto& each : tests) {
        if (word == each.name) {
            each.test();
            return failures;
        }
    }
    std::printf("which test?\n");
    return 2;
}
