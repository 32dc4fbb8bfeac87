// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Usage: bench_scale_costs POOL WORKERS OPERATIONS counts|lines
// Runs the operations of one pool one by one, under callgrind. Collection is on only inside the
// operation that is measured, and each thread switches it for itself. So a thread that waits or
// spins elsewhere adds nothing. Each dump of callgrind is named after its operation; the script
// bench/scale_costs reads them.

#include <regatta/base/inline_task.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/pool.hpp>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef CALLGRIND_TOGGLE_COLLECT
namespace regatta::bench {
namespace {

// --- callgrind -----------------------------------------------------------------------------------

thread_local bool counting = false;

/// Whether the calling thread's instructions count from now on.
void count(bool on) noexcept {
    if (std::exchange(counting, on) != on) {
        CALLGRIND_TOGGLE_COLLECT;
    }
}
/// Writes what was counted since the last dump, under this name.
void dump(const char* operation) noexcept {
    CALLGRIND_DUMP_STATS_AT(operation);
}

/// Brings the calling thread's stack into the simulated cache: it is nobody else's memory.
[[gnu::noinline]] void touch_stack() noexcept {
    constexpr std::size_t below = 8192;
    constexpr std::size_t above = 1024;
    volatile char here[below];
    for (std::size_t i = 0; i < below; i += cache_line_size) {
        here[i] = 0;
    }
    static_cast<void>(here[0]);
    const auto* const frame = static_cast<const volatile char*>(__builtin_frame_address(0));
    for (std::size_t i = 0; i < above; i += cache_line_size) {
        static_cast<void>(frame[i]);
    }
}
/// Empties the simulated cache, but for the calling thread's stack.
void empty_cache() noexcept {
    CALLGRIND_STOP_INSTRUMENTATION;
    CALLGRIND_START_INSTRUMENTATION;
    touch_stack();
}

// --- threads -------------------------------------------------------------------------------------

/// Set by one thread, awaited by another, which resets it.
class signal {
public:
    void set() {
        const std::lock_guard lock(mutex_);
        set_ = true;
        changed_.notify_one();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return set_; });
        set_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool set_ = false;
};

/// Tells from /proc when the other threads of the process sleep on a futex.
class sleep_watch {
public:
    sleep_watch() {
        const std::string own = std::to_string(::syscall(SYS_gettid));
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
            if (task.path().filename() != own) {
                files_.push_back(::open((task.path() / "syscall").c_str(), O_RDONLY | O_CLOEXEC));
                if (files_.back() < 0) {
                    throw std::system_error(errno, std::system_category(), "open /proc/…/syscall");
                }
            }
        }
    }
    sleep_watch(const sleep_watch&) = delete;
    sleep_watch& operator=(const sleep_watch&) = delete;
    ~sleep_watch() {
        for (const int file : files_) {
            ::close(file);
        }
    }

    /// Returns when all of them sleep, and have done so for longer than a worker spins after a
    /// short rest. So its next rest begins without a spin.
    void await() const {
        while (!all_asleep()) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }

private:
    bool all_asleep() const {
        static const std::string futex = std::to_string(SYS_futex) + ' ';
        for (const int file : files_) {
            char text[8] = {};
            if (::pread(file, text, sizeof text - 1, 0) < 0) {
                throw std::system_error(errno, std::system_category(), "read /proc/…/syscall");
            }
            if (!std::string_view(text).starts_with(futex)) {
                return false;
            }
        }
        return true;
    }

    std::vector<int> files_;
};

// --- pools ---------------------------------------------------------------------------------------

/// The message of the worker pool: a call.
struct call {
    inline_task<void(), 2 * sizeof(void*)> run;
};
using message_pool = worker_pool<call>;

template<class Pool>
std::unique_ptr<Pool> make(unsigned workers) {
    auto pool = std::make_unique<Pool>(workers);
    if constexpr (std::is_same_v<Pool, message_pool>) {
        pool->template on<call>([](call& c) { c.run(); });
        pool->start();
    }
    return pool;
}

/// A worker of the pool calls `f`.
template<class Pool, class F>
void submit(Pool& pool, F f) {
    if constexpr (std::is_same_v<Pool, message_pool>) {
        pool.submit(call{std::move(f)});
    } else {
        pool.execute(std::move(f));
    }
}

/// Occupies every worker of a pool with a task that runs what it is told to.
template<class Pool>
class crew {
public:
    crew(Pool& pool, unsigned workers) : members_(workers) {
        for (unsigned i = 0; i < workers; ++i) {
            submit(pool, [this] { serve(); });
        }
        for (unsigned i = 0; i < workers; ++i) {
            arrived_.wait();
        }
    }
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;

    /// A worker runs `job` and remains occupied.
    void call(unsigned worker, std::function<void()> job) {
        member& m = members_[worker];
        m.job = std::move(job);
        m.told.set();
        m.done.wait();
    }
    /// The task of a worker ends with `job`.
    void release(unsigned worker, std::function<void()> job) {
        member& m = members_[worker];
        m.job = std::move(job);
        m.last = true;
        m.told.set();
    }
    void release_all() {
        for (unsigned i = 0; i < members_.size(); ++i) {
            if (!members_[i].last) {
                release(i, [] {});
            }
        }
    }

private:
    struct member {
        signal told;
        signal done;
        std::function<void()> job;
        bool last = false;
    };
    /// Counts arrivals, so that none is missed.
    class arrivals {
    public:
        void add() {
            const std::lock_guard lock(mutex_);
            ++count_;
            changed_.notify_one();
        }
        void wait() {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return count_ != 0; });
            --count_;
        }

    private:
        std::mutex mutex_;
        std::condition_variable changed_;
        unsigned count_ = 0;
    };

    void serve() {
        // relaxed: only who has which number is decided.
        member& me = members_[next_.fetch_add(1, std::memory_order_relaxed)];
        arrived_.add();
        for (bool last = false; !last;) {
            me.told.wait();
            last = me.last;
            me.job();
            if (!last) {
                me.done.set();
            }
        }
    }

    std::vector<member> members_;
    arrivals arrived_;
    std::atomic<unsigned> next_{0}; ///< Written and read by the workers that arrive.
};

// --- the operations ------------------------------------------------------------------------------

template<class Pool>
class probe {
public:
    probe(unsigned workers, unsigned operations, bool lines)
        : workers_(workers)
        , operations_(operations)
        , lines_(lines) {}

    void run() {
        set_all(true);
        park();
        set_all(false);
        wake();
        if (lines_) {
            return;
        }
        execute();
        take();
        set_all(true);
        dump("-");
        count(true);
        pool_->close();
        count(false);
        dump("close");
    }

private:
    static constexpr unsigned warm_ups = 5;
    static constexpr bool steals =
        std::is_same_v<Pool, steady_pool> || std::is_same_v<Pool, balanced_pool>;

    /// Sets for every worker whether it counts, and waits until all sleep.
    void set_all(bool counts) {
        {
            crew<Pool> all(*pool_, workers_);
            for (unsigned i = 0; i < workers_; ++i) {
                all.call(i, [&] { count(counts); });
            }
            all.release_all();
            asleep_.await();
        }
        dump("-");
    }
    /// A task in which the worker does not count; it waits for `go_`.
    void pause_counting() {
        count(false);
        begun_.set();
        go_.wait();
        if (lines_) {
            empty_cache();
        }
        count(true);
    }

    /// All workers count. "woken": from the wake-up to the task. "park": from the task's end until
    /// the worker sleeps.
    void park() {
        for (unsigned i = 0; i < warm_ups + operations_; ++i) {
            submit(*pool_, [this] { pause_counting(); });
            begun_.wait();
            dump(i < warm_ups || lines_ ? "-" : "woken");
            go_.set();
            asleep_.await();
            dump(i < warm_ups ? "-" : "park");
        }
    }
    /// No worker counts. "wake": a submission while all workers sleep.
    void wake() {
        for (unsigned i = 0; i < warm_ups + operations_; ++i) {
            if (lines_) {
                empty_cache();
            }
            count(i >= warm_ups);
            submit(*pool_, [this] { begun_.set(); });
            count(false);
            dump(i < warm_ups ? "-" : "wake");
            begun_.wait();
            asleep_.await();
        }
    }
    /// "execute": a submission while all workers have a task.
    void execute() {
        for (const bool counts : {false, true}) {
            crew<Pool> all(*pool_, workers_);
            count(counts);
            for (unsigned i = 0; i < operations_; ++i) {
                submit(*pool_, [] {});
            }
            count(false);
            dump(counts ? "execute" : "-");
            all.release_all();
            asleep_.await();
        }
    }
    /// "own": the only free worker takes tasks that it has submitted. "steal": it takes the only
    /// task there is, which another worker has submitted.
    void take() {
        crew<Pool> all(*pool_, workers_);
        for (const bool counts : {false, true}) {
            unsigned left = operations_;
            const auto first = [&, counts] {
                count(false);
                dump("-");
                for (unsigned i = 0; i < operations_; ++i) {
                    submit(*pool_, [&] {
                        if (--left == 0) {
                            pause_counting();
                        }
                    });
                }
                count(counts);
            };
            if (counts) {
                submit(*pool_, first); // The free worker has nothing else to do.
                go_.set();
            } else {
                all.release(0, first);
            }
            begun_.wait();
            dump(counts ? "own" : "-");
        }
        if constexpr (steals) {
            std::minstd_rand draw(workers_); // NOLINT: the same at every run.
            const std::uint64_t before = pool_->stats().stolen;
            for (unsigned i = 0; i < operations_; ++i) {
                const unsigned victim = 1 + static_cast<unsigned>(draw() % (workers_ - 1));
                all.call(victim, [this] { submit(*pool_, [this] { pause_counting(); }); });
                go_.set();
                begun_.wait();
            }
            dump("steal");
            if (const auto stolen = pool_->stats().stolen - before; stolen != operations_) {
                std::fprintf(stderr, "%llu of %u tasks were stolen\n",
                             static_cast<unsigned long long>(stolen), operations_);
                std::exit(EXIT_FAILURE);
            }
        }
        go_.set();
        all.release_all();
        asleep_.await();
    }

    const unsigned workers_;
    const unsigned operations_;
    const bool lines_;
    const std::unique_ptr<Pool> pool_ = make<Pool>(workers_);
    const sleep_watch asleep_;
    signal begun_;
    signal go_;
};

int run(std::string_view pool, unsigned workers, unsigned operations, bool lines) {
    const auto with = [&]<class Pool>(std::type_identity<Pool>) {
        probe<Pool>(workers, operations, lines).run();
        return EXIT_SUCCESS;
    };
    if (pool == "steady_pool") {
        return with(std::type_identity<steady_pool>());
    }
    if (pool == "balanced_pool") {
        return with(std::type_identity<balanced_pool>());
    }
    if (pool == "dynamic_pool") {
        return with(std::type_identity<dynamic_pool>());
    }
    if (pool == "worker_pool") {
        return with(std::type_identity<message_pool>());
    }
    std::fputs("bench_scale_costs: there is no such pool\n", stderr);
    return 2;
}

} // namespace
} // namespace regatta::bench

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("usage: bench_scale_costs POOL WORKERS OPERATIONS counts|lines\n", stderr);
        return 2;
    }
    if (RUNNING_ON_VALGRIND == 0) {
        std::fputs("bench_scale_costs runs under callgrind: see bench/scale_costs\n", stderr);
        return 2;
    }
    const auto number = [&](int i) { return static_cast<unsigned>(std::stoul(argv[i])); };
    return regatta::bench::run(argv[1], number(2), number(3), std::string_view(argv[4]) == "lines");
}
#else
int main() {
    std::fputs("bench_scale_costs was built without valgrind/callgrind.h (package valgrind)\n",
               stderr);
    return 3;
}
#endif
