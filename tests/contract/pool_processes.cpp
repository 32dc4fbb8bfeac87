// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the reference promises of pools at the end of a program, in modules, and where a system call
// is refused. Each word on the command line is a test of its own.

#include "pool_module.hpp"
#include "process_cases.hpp"

#include <regatta/message/worker_pool.hpp>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace process_cases;

struct row {};

regatta::steady_pool& static_pool() {
    static regatta::steady_pool pool(2);
    return pool;
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

/// Beside this program.
std::string module_path() {
    return std::filesystem::read_symlink("/proc/self/exe").replace_filename(POOL_MODULE).string();
}

struct module {
    void* handle = ::dlopen(module_path().c_str(), RTLD_NOW | RTLD_LOCAL);
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
    expect(theirs.submit([&] { return theirs.worker_index(); }).get() == 0u,
           "the program's task on the module's pool knows its worker");
    expect(!ours.submit([&] { return theirs.worker_index(); }).get() && !theirs.worker_index(),
           "nobody else is a worker of the module's pool");
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
    regatta::balanced_pool ours(3);
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

int main(int count, char** words) {
    const process_cases::test_case tests[] = {{"static", test_static},
                                              {"quick_exit", test_quick_exit},
                                              {"dlclose", test_dlclose},
                                              {"two_modules", test_two_modules},
                                              {"fork_in_module", test_fork_in_module},
                                              {"membarrier_refused", test_membarrier_refused}};
    return process_cases::run(count, words, tests);
}
