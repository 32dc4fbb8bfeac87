// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of a process pool's job, `basic_task_words` I1 to I4 and `basic_doorbell` I1: worker
/// processes that may die between any two steps, and the parent that recovers what they held.

#include "model_check.hpp"

#include <regatta/process/detail/doorbell.hpp>
#include <regatta/process/detail/task_words.hpp>

namespace {

using atomics = model::model_atomics;
using task_words = regatta::detail::basic_task_words<atomics>;
using regatta::detail::task_status;
using regatta::detail::worker_step;

constexpr std::size_t most_tasks = 3;

/// What a worker throws where it dies.
struct died {};

/// The memory that the processes share, and what the parent knows.
struct pool_memory {
    task_words::word words[most_tasks];
    model::atomic<std::uint64_t> cursor{0};
    regatta::detail::basic_doorbell<atomics> bells[2];
    regatta::detail::basic_work_count<atomics> count;
    regatta::detail::basic_job_bell<atomics> job;
    model::atomic<std::uint32_t> generation{0};
    model::atomic<std::uint32_t> closing{0};
    model::atomic<std::uint32_t> dead[2];   ///< The pidfds: whether that worker has ended.
    model::atomic<std::uint32_t> deaths{0}; ///< How many may still come.
    rl::var<int> output[most_tasks];
    rl::var<int> input;
};

/// One worker, through all of its lives.
class worker {
public:
    worker(pool_memory& memory, unsigned slot, std::size_t tasks)
        : memory_(memory)
        , slot_(slot)
        , tasks_(tasks) {}

    void live() {
        for (bool ended = false; !ended;) {
            try {
                serve();
                ended = true;
            } catch (const died&) {
                ended = false;
            }
            if (!ended) {
                // The kernel tells the parent, which then starts the next one in its place.
                memory_.dead[slot_].exchange(1, std::memory_order_seq_cst);
                memory_.job.ring();
                while (memory_.dead[slot_].load(std::memory_order_seq_cst) == 1 &&
                       memory_.closing.load(std::memory_order_seq_cst) == 0) {
                    memory_.dead[slot_].wait(1, false);
                }
            }
        }
    }

private:
    void serve() {
        for (std::uint32_t served = 0;;) {
            const std::uint32_t now = memory_.count.look();
            if (now == served) {
                const std::uint32_t ticket = memory_.bells[slot_].announce();
                step(worker_step::sleeping);
                if (memory_.count.look() == now) {
                    memory_.bells[slot_].sleep(ticket);
                }
                memory_.bells[slot_].awake();
                continue;
            }
            served = now;
            if (memory_.closing.load(std::memory_order_acquire) != 0) {
                return;
            }
            work(memory_.generation.load(std::memory_order_acquire));
        }
    }
    void work(std::uint32_t generation) {
        if (generation == 0) {
            return;
        }
        task_words tasks(memory_.words, tasks_, generation);
        const bool all = tasks.work(
            memory_.cursor, slot_, [] { return false; },
            [&](std::size_t i, unsigned) {
                RL_ASSERT(memory_.input($) == 7 * static_cast<int>(generation));
                memory_.output[i]($) = static_cast<int>(i + 100 * generation);
                return task_status::done;
            },
            [&](worker_step at) { step(at); });
        if (all) {
            step(worker_step::swept);
            memory_.job.mark(generation);
            step(worker_step::completed);
            memory_.job.ring();
            step(worker_step::rung);
        }
    }
    void step(worker_step) {
        if (memory_.deaths.load(std::memory_order_relaxed) != 0 && rl::rand(4) == 0 &&
            memory_.deaths.exchange(0, std::memory_order_relaxed) != 0) {
            throw died();
        }
    }

    pool_memory& memory_;
    unsigned slot_;
    std::size_t tasks_;
};

/// The parent: publishes jobs, waits for them, recovers what dead workers held.
class parent {
public:
    /// @param lost how tasks may end otherwise than done: `failed` has each give up after its first
    /// death, `cancelled` cancels what has not begun; `pending`: not at all.
    parent(pool_memory& memory, unsigned workers, std::size_t tasks, task_status lost)
        : memory_(memory)
        , workers_(workers)
        , tasks_(tasks)
        , lost_(lost) {}

    void run(std::uint32_t generation) {
        memory_.input($) = 7 * static_cast<int>(generation);
        task_words tasks(memory_.words, tasks_, generation);
        for (std::size_t i = 0; i < tasks_; ++i) {
            memory_.output[i]($) = 0;
        }
        tasks.reset();
        memory_.cursor.store(0, std::memory_order_relaxed);
        memory_.generation.store(generation, std::memory_order_release);
        ring_all();
        if (lost_ == task_status::cancelled) {
            for (std::size_t i = 0; i < tasks_; ++i) {
                tasks.settle(i, lost_);
            }
            mark_if_over(tasks, generation);
        }
        for (;;) {
            const std::uint32_t ticket = memory_.job.ticket();
            bury(tasks, generation);
            if (memory_.job.complete(generation)) {
                break;
            }
            memory_.job.wait(ticket, nullptr);
        }
        // The output first: what is marked as complete is visible without a look at the words.
        int right = 0;
        for (std::size_t i = 0; i < tasks_; ++i) {
            right |= memory_.output[i]($) == static_cast<int>(i + 100 * generation) ? 1 << i : 0;
        }
        for (std::size_t i = 0; i < tasks_; ++i) {
            const task_status state = tasks.look(i).state;
            RL_ASSERT(state == task_status::done ? (right >> i & 1) != 0
                                                 : state == lost_ && lost_ != task_status::pending);
        }
    }
    void close() {
        memory_.closing.exchange(1, std::memory_order_seq_cst);
        ring_all();
        for (unsigned i = 0; i < workers_; ++i) { // One that died meanwhile is not replaced.
            memory_.dead[i].exchange(2, std::memory_order_seq_cst);
            memory_.dead[i].wake(1);
        }
    }

private:
    void ring_all() {
        memory_.count.add();
        for (unsigned i = 0; i < workers_; ++i) {
            memory_.bells[i].ring();
        }
    }
    void mark_if_over(const task_words& tasks, std::uint32_t generation) {
        if (tasks.all_final()) {
            memory_.job.mark(generation);
        }
    }
    void bury(task_words& tasks, std::uint32_t generation) {
        for (unsigned slot = 0; slot < workers_; ++slot) {
            if (memory_.dead[slot].load(std::memory_order_acquire) != 1) {
                continue;
            }
            for (std::size_t i = 0; i < tasks_; ++i) {
                tasks.recover(i, slot, lost_ == task_status::failed ? 1 : 9, true);
            }
            mark_if_over(tasks, generation); // It may have died just before it said so.
            if (lost_ == task_status::failed) {
                continue; // Nothing was given back, and no other worker comes to look.
            }
            memory_.bells[slot].reset();
            memory_.dead[slot].exchange(0, std::memory_order_seq_cst);
            memory_.dead[slot].wake(1);
            ring_all();
        }
    }

    pool_memory& memory_;
    unsigned workers_;
    std::size_t tasks_;
    task_status lost_;
};

/// Two workers, one parent, as many jobs as told, and one death if they are mortal.
template<std::uint32_t Jobs, std::size_t Tasks, bool Mortal,
         task_status Lost = task_status::pending>
struct pool_scenario : rl::test_suite<pool_scenario<Jobs, Tasks, Mortal, Lost>, 3> {
    pool_memory memory;

    void before() {
        for (auto& d : memory.dead) {
            d.store(0, std::memory_order_relaxed);
        }
        memory.deaths.store(Mortal ? 1 : 0, std::memory_order_relaxed);
    }
    void thread(unsigned index) {
        if (index < 2) {
            worker(memory, index, Tasks).live();
            return;
        }
        parent p(memory, 2, Tasks, Lost);
        for (std::uint32_t job = 1; job <= Jobs; ++job) {
            p.run(job);
        }
        p.close();
    }
};

} // namespace

// Stores of the parent to two words that the worker sees the other way round.
constexpr const char* beyond_checker =
    "the checker orders the stores to one atomic as they are executed";

constexpr const char* newest_in_kernel =
    "the kernel compares the newest value, in the checker as under its lock";

int main() {
    return model::check(
        {model::make_scenario<pool_scenario<1, 2, false>>("two workers, two tasks"),
         model::make_scenario<pool_scenario<2, 2, false>>("two jobs, one after the other"),
         model::make_scenario<pool_scenario<1, 2, true>>("one dies somewhere"),
         model::make_scenario<pool_scenario<2, 1, true>>("one dies somewhere in two jobs"),
         model::make_scenario<pool_scenario<1, 2, true, task_status::failed>>(
             "one dies and its task is given up"),
         model::make_scenario<pool_scenario<1, 2, false, task_status::cancelled>>(
             "cancelled while it runs")},
        {"task_words.hpp", "doorbell.hpp"},
        {{"modify work", "the cursor is a hint: what it names twice or not at all, a sweep finds"},
         {"modify wait", "one thread waits here; two at once need the read-modify-write"},
         {"modify ring -> acq_rel", newest_in_kernel},
         {"modify ring -> release", newest_in_kernel},
         {"load announce -> relaxed", beyond_checker},
         {"store ring -> relaxed", beyond_checker}});
}
