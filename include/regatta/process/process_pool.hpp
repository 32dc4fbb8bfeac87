// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Worker processes that share memory with their parent and lose no task when they die.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/process/detail/function_shapes.hpp>
#include <regatta/process/detail/process_call_state.hpp>
#include <regatta/process/process_job.hpp>
#include <regatta/process/subprocess.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

/// What a process pool is made with.
struct process_pool_options {
    /// Worker processes, at most 256; 0: as many of these as `cpus` has, or without those as
    /// `available_cpus()` says.
    unsigned workers = 0;
    /// Worker i is shown as "name/i". At most 228 bytes.
    std::string name = "pool";
    /// How often a task may begin; after as many deaths it is given up.
    unsigned attempts = 3;
    /// How long an attempt may take before its worker is killed; 0: as long as it likes. A worker
    /// that a signal has stopped while it had no task, and that is wanted for one, is killed after
    /// as long.
    std::chrono::nanoseconds deadline{0};
    /// How much memory of its own a worker may allocate, in bytes (RLIMIT_DATA); 0: no limit. The
    /// pool's shared memory does not count.
    std::size_t worker_memory = 0;
    /// How much `allocate` and `allocate_input` may give out each, in bytes; 0: the machine's
    /// memory, or a sixteenth of this process's limit of addresses (RLIMIT_AS) or of files
    /// (RLIMIT_FSIZE) if that is less. Jobs that have not ended have as much for themselves, and at
    /// least 1 MiB: 8 bytes a task, the number of a job's tasks rounded up to a power of two, at
    /// least 16. What is not given out costs nothing.
    std::size_t shared_memory = 0;
    /// Worker i is pinned to the i-th CPU of the set, from the start again if there are more
    /// workers than CPUs. Empty: not pinned.
    cpu_set pin{};
    /// CPUs of their own, which every worker enters: `.cpus = exclusive_cpus::acquire(2)`.
    shared_cpus cpus{};
    /// The scheduling policy and priority of the workers. A worker that may not have it does not
    /// start (`failed_starts`).
    scheduling schedule{};
    /// The workers' environment. It is read when the pool is made, as are PATH and the directory at
    /// which relative paths of `directory` and `worker_program` begin: later workers get the same.
    process_environment environment{};
    /// The workers' working directory; empty: this process's.
    std::string directory{};
    /// The program of the workers, whose `main` calls `run_process_worker`; empty: this program.
    std::string worker_program{};
    /// What follows on its command line.
    std::vector<std::string> worker_arguments{};
    /// Descriptors that the workers get, under numbers from 16 on. The pool keeps copies of them.
    std::vector<inherited_descriptor> descriptors{};
    /// Workers are copies of a process that waits with the program loaded and initialised (a
    /// zygote), so that one that died is replaced in a fraction of the time. What initialisers
    /// before `main` made is copied, too; where they start threads, or the kernel refuses, each
    /// worker is started by itself: `process_pool_stats::copied` tells.
    bool zygote = false;
    /// The longest pause before a worker is started whose predecessors all died; also the pause of
    /// the whole pool after a try that started no process; `milliseconds::max()`: until `resize`.
    std::chrono::milliseconds longest_back_off{1000};
    /// How many workers in a row may die before they are ready, while none serves, until the pool
    /// gives up. A try that started no process counts as one.
    unsigned failed_starts = 10;
    /// Receives the failures of tasks of `execute`.
    error_sink on_error{};
};

/// What a process pool has done so far. While it is idle the figures are exact.
struct process_pool_stats {
    std::uint64_t submitted = 0;      ///< Tasks accepted.
    std::uint64_t run = 0;            ///< Of them, tasks that returned or threw.
    std::uint64_t cancelled = 0;      ///< Cancelled before an attempt began.
    std::uint64_t errors = 0;         ///< Tasks that threw.
    std::uint64_t poisoned = 0;       ///< Given up after the last attempt, or without workers.
    std::uint64_t reruns = 0;         ///< Attempts that were lost with a worker and made again.
    std::uint64_t deaths = 0;         ///< Workers that ended and were not told to.
    std::uint64_t deadline_kills = 0; ///< Of them, killed because a task took too long.
    std::uint64_t memory_kills = 0;   ///< Of them, killed by the kernel for memory.
    std::uint64_t spawned = 0;        ///< Workers started, the first ones included.
    std::uint64_t copied = 0;         ///< Of them, copies of the zygote.
    /// From the notice of a death to the readiness of the next worker in its place.
    std::chrono::nanoseconds mean_respawn{0};
    std::chrono::nanoseconds longest_respawn{0};
    /// How often a worker or a wait spun before it slept. None spins unless each worker and one
    /// thread more have a CPU.
    std::uint64_t vain_spins = 0;
    unsigned workers = 0; ///< Workers that are ready now.
};

namespace detail {

class pool_core;

/// A call on its way to the workers.
struct process_call {
    process_call(process_function& called, std::size_t count, std::size_t sent,
                 std::size_t returned) noexcept
        : function(called)
        , tasks(count)
        , argument_bytes(sent)
        , result_bytes(returned) {}

    process_function& function;
    std::size_t tasks;
    std::size_t argument_bytes; ///< Of `arguments`; the rest has no value.
    std::size_t result_bytes;
    located_span input{};
    located_span output{};
    std::array<std::byte, most_arguments> arguments;
};

} // namespace detail

/// To be called first in `main` of a program that has a process pool: the pool starts that program
/// again for its workers. In such a process it does the work and never returns; otherwise it
/// returns at once. A pool in a program without that call throws `std::logic_error`.
REGATTA_SYSTEM_API void run_process_worker(int argc, const char* const* argv);

/// Makes functions known to workers of a program of their own, where no call of `map` or `submit`
/// names them.
template<auto... Functions>
void offer_process_functions() {
    const auto offer = []<auto Function>(std::integral_constant<decltype(Function), Function>) {
        if constexpr (detail::can_map<Function>) {
            static_cast<void>(
                detail::registered_function<Function, detail::map_shape_of<Function>>::entry());
        }
        if constexpr (detail::can_submit<Function>) {
            static_cast<void>(
                detail::registered_function<Function, detail::submit_shape_of<Function>>::entry());
        }
    };
    (offer(std::integral_constant<decltype(Functions), Functions>{}), ...);
}

/// Persistent worker processes that run functions of this program over memory that all of them
/// share. What a worker does to its own memory, and its death, stay its own.
///
/// ```cpp
/// double f(double x);                                  // any function, known by its name
/// regatta::process_pool pool(4);
/// auto x = pool.allocate_input<double>(1000), y = pool.allocate<double>(1000);
/// pool.map<f>(x, y).get();                             // y[i] = f(x[i])
/// double one = pool.submit<f>(0.5).get();
/// ```
///
/// Each task is begun at least once and ends exactly once. A worker that dies, in whatever way, is
/// replaced, and the task that it had is begun again, after the dead process was waited for: no two
/// attempts at a task ever run at once. So what a task writes to its own part of the output is as
/// if it had run once. A task whose workers die in every attempt fails alone.
///
/// Threads: any, at once; not the constructor and destructor.
/// Blocks: `wait`, `close`, the destructor; `allocate` while another thread allocates.
/// Order: what was written before `map`, `submit` or `execute` is visible to the tasks; what they
/// wrote is visible after a wait for their job.
/// Failure: `std::system_error` where the system refuses; `std::invalid_argument` for spans that
/// are not this pool's; `std::logic_error` for calls of a closed pool.
/// Cost: a job is two wake-ups, a task one compare-and-swap and one exchange.
class REGATTA_SYSTEM_API process_pool {
public:
    /// With so many workers; 0: as `process_pool_options::workers`.
    explicit process_pool(unsigned workers);
    /// Returns when each worker was started, or could not be. It waits for none to be ready.
    /// Failure: throws if the first one could not be started.
    explicit process_pool(process_pool_options options = {});
    process_pool(const process_pool&) = delete;
    process_pool& operator=(const process_pool&) = delete;
    /// As `close`. Then the memory that `allocate` gave out is gone.
    ~process_pool();

    /// Memory for `count` elements, all zeros, that this process and the workers may write; until
    /// `release`.
    /// Failure: `std::system_error` ENOMEM; no later access fails.
    template<class T>
    std::span<T> allocate(std::size_t count) {
        return {static_cast<T*>(allocate_in<T>(detail::pool_segment::output, count)), count};
    }
    /// The same for inputs: a worker that writes there dies of SIGSEGV, and the input is intact.
    template<class T>
    std::span<T> allocate_input(std::size_t count) {
        return {static_cast<T*>(allocate_in<T>(detail::pool_segment::input, count)), count};
    }
    /// Gives memory back that no job uses: all that one call has given out.
    template<class T>
    void release(std::span<T> elements) {
        release_bytes(elements.data(), elements.size_bytes());
    }

    /// Runs tasks 0 to `tasks` − 1 of a function over elements in the pool's memory. In each form a
    /// `const process_task&` may stand in front; `more` is copied once and passed at the end.
    ///
    /// - `Out f(In, more…)`: its result becomes element i of the output.
    /// - `void f(In, Out&, more…)`: fills an element that begins value-initialised in each attempt,
    ///   and becomes element i of the output when an attempt returns: for what accumulates.
    /// - `void f(const process_task&, std::span<const In>, std::span<Out>, more…)`: sees the whole
    ///   ranges, and may be begun again: it writes only what belongs to its task.
    ///
    /// In the first two, input and output must not overlap (`std::invalid_argument`): an attempt
    /// that is begun again would compute from what the one before it has written.
    template<auto Function, class... More>
    process_job map(std::span<const typename detail::map_shape_of<Function>::input> input,
                    std::span<typename detail::map_shape_of<Function>::output> output,
                    std::size_t tasks, const More&... more) {
        using shape = detail::map_shape_of<Function>;
        detail::process_call call(detail::registered_function<Function, shape>::entry(), tasks,
                                  shape::codec::size, 0);
        call.input = memory_for_job().locate(input.data(), input.size(), sizeof(input[0]));
        call.output = memory_for_job().locate(output.data(), output.size(), sizeof(output[0]));
        if (shape::by_element) {
            check_elements(tasks, input.size(), output.size());
            check_apart(std::as_bytes(input.first(tasks)), std::as_bytes(output.first(tasks)));
        }
        shape::codec::pack(memory_for_job(), call.arguments.data(), more...);
        return start_map(call);
    }
    /// With a task for each element of the output.
    template<auto Function>
    process_job map(std::span<const typename detail::map_shape_of<Function>::input> input,
                    std::span<typename detail::map_shape_of<Function>::output> output) {
        return map<Function>(input, output, output.size());
    }

    /// Has a worker call a function once. The future throws `remote_error` or `task_failed` where
    /// it failed. `future::cancel` discards the result; it cannot stop a function that has begun.
    /// Failure: also `std::system_error` ENOMEM, if there is no shared memory for one more job.
    template<auto Function, class... Args>
    auto submit(const Args&... args) -> future<typename detail::submit_shape_of<Function>::result> {
        using shape = detail::submit_shape_of<Function>;
        auto call = call_of<Function>(args...);
        auto record = new_record();
        auto* const state =
            detail::make_in_block<detail::process_call_state<shape>>(blocks().store(), record);
        future<typename shape::result> result(*state);
        start_task(std::move(record), call, detail::future_job(*state));
        return result;
    }
    /// The same without a future: a failure goes to `process_pool_options::on_error`.
    template<auto Function, class... Args>
    void execute(const Args&... args) {
        auto call = call_of<Function>(args...);
        start_and_forget(call);
    }

    /// Waits until every job has ended that was there when it was called.
    void wait();
    /// Waits at most that long. @returns whether they have ended.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> time) {
        const auto deadline = detail::deadline_after(time);
        if (deadline) {
            return wait_until(*deadline);
        }
        wait();
        return true;
    }
    bool wait_until(std::chrono::steady_clock::time_point deadline);
    /// Refuses further jobs, waits for those that there are, and ends the workers.
    void close();

    /// Workers that the pool is to have.
    unsigned size() const;
    /// Changes that number. Workers beyond it end after the task that they have. Also has a pool
    /// try again that has given up starting workers.
    void resize(unsigned workers);
    /// Sends a signal to a worker, never to another process. @returns false: there is none now.
    /// Blocks: while a worker is started.
    bool signal_worker(unsigned worker, int signal);
    const std::string& name() const noexcept;
    process_pool_stats stats() const;

private:
    template<auto Function, class... Args>
    detail::process_call call_of(const Args&... args) {
        using shape = detail::submit_shape_of<Function>;
        detail::process_call call(detail::registered_function<Function, shape>::entry(), 1,
                                  shape::codec::size, shape::result_size());
        shape::codec::pack(memory_for_job(), call.arguments.data(), args...);
        return call;
    }
    template<class T>
    void* allocate_in(detail::pool_segment segment, std::size_t count) {
        static_assert(detail::check_sent<T>());
        static_assert(alignof(T) <= detail::most_alignment,
                      "the memory of a process pool is aligned to 4096 bytes, and no further");
        return allocate_bytes(segment, count, sizeof(T));
    }

    void* allocate_bytes(detail::pool_segment segment, std::size_t count, std::size_t size);
    void release_bytes(const void* begin, std::size_t bytes);
    /// Of a job that is to begin: refuses a fork, where a thread that is not there may hold a lock.
    const detail::pool_memory& memory_for_job() const;
    detail::block_cache& blocks() noexcept;
    static void check_elements(std::size_t tasks, std::size_t input, std::size_t output);
    static void check_apart(std::span<const std::byte> input, std::span<const std::byte> output);
    process_job start_map(const detail::process_call& call);
    std::shared_ptr<detail::job_record> new_record();
    void start_task(std::shared_ptr<detail::job_record> record, const detail::process_call& call,
                    detail::future_job job);
    void start_and_forget(const detail::process_call& call);

    std::shared_ptr<detail::pool_core> core_;
};

} // namespace regatta
