// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of a process pool's job, `basic_task_words` I1 to I4, `basic_doorbell` I1 and
/// `basic_job_bell` I1 and I2: worker processes that may die between any two steps, and the parent
/// that recovers what they held.

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
            const std::uint32_t ticket = memory_.job.announce();
            bury(tasks, generation);
            const bool complete = memory_.job.complete(generation);
            if (!complete) {
                memory_.job.sleep(ticket, nullptr);
            }
            memory_.job.awake();
            if (complete) {
                break;
            }
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
            // seq_cst: after announce(); partner is the kernel's notice of a death.
            if (memory_.dead[slot].load(std::memory_order_seq_cst) != 1) {
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

/// A job with a future: a thread that waits for it completes it, or the monitor if none does. The
/// wait may time out; the worker may die, and its task is given up then.
template<bool Mortal>
struct future_scenario : rl::test_suite<future_scenario<Mortal>, 3> {
    static constexpr std::uint32_t generation = 1;

    pool_memory memory;
    model::atomic<std::uint32_t> event{0};   ///< What the monitor sleeps on: news it has not seen.
    model::atomic<std::uint32_t> settled{0}; ///< Who completes the future: its first setter.
    model::atomic<std::uint32_t> done{0};
    int completions = 0;
    int looks = 0;

    void before() {
        for (auto& d : memory.dead) {
            d.store(0, std::memory_order_relaxed);
        }
        memory.deaths.store(Mortal ? 1 : 0, std::memory_order_relaxed);
        words().reset();
        memory.generation.store(generation, std::memory_order_relaxed);
    }
    void after() { RL_ASSERT(completions == 1); }
    void thread(unsigned index) {
        if (index == 0) {
            work();
        } else if (index == 1) {
            wait();
        } else {
            monitor();
        }
    }

private:
    task_words words() { return {memory.words, 1, generation}; }
    void tell() {
        event.exchange(1, std::memory_order_seq_cst);
        event.wake(1);
    }
    void step(worker_step) {
        if (memory.deaths.load(std::memory_order_relaxed) != 0 && rl::rand(4) == 0 &&
            memory.deaths.exchange(0, std::memory_order_relaxed) != 0) {
            throw died();
        }
    }
    void work() {
        try {
            const bool all = words().work(
                memory.cursor, 0, [] { return false; },
                [&](std::size_t i, unsigned) {
                    memory.output[i]($) = 7;
                    return task_status::done;
                },
                [&](worker_step at) { step(at); });
            RL_ASSERT(all);
            step(worker_step::swept);
            memory.job.mark(generation);
            const bool told = !memory.job.attended(generation);
            step(worker_step::completed);
            memory.job.ring();
            step(worker_step::rung);
            if (told) {
                tell();
            }
        } catch (const died&) {
            memory.dead[0].exchange(1, std::memory_order_seq_cst);
            tell(); // The kernel does.
        }
    }
    /// @returns whether the job was complete and this thread the first to settle it.
    bool collect() {
        if (!memory.job.complete(generation) ||
            settled.exchange(1, std::memory_order_acq_rel) != 0) {
            return false;
        }
        ++completions;
        looks += words().look(0).state == task_status::done ? memory.output[0]($) : 7;
        RL_ASSERT(looks == 7);
        done.store(1, std::memory_order_seq_cst);
        memory.job.ring();
        tell(); // Only so that the monitor ends, too.
        return true;
    }
    bool over() const { return done.load(std::memory_order_seq_cst) != 0; }
    /// As a future that waits, with a deadline or without.
    void wait() {
        const std::chrono::steady_clock::time_point deadline{};
        const bool patient = rl::rand(2) == 0;
        memory.job.attend(generation);
        while (!over()) {
            if (collect()) {
                continue;
            }
            const std::uint32_t ticket = memory.job.announce();
            const auto complete = [&] {
                return memory.job.complete(generation) &&
                       settled.load(std::memory_order_relaxed) == 0;
            };
            const bool in_time =
                complete() || over() || memory.job.sleep(ticket, patient ? nullptr : &deadline);
            memory.job.awake();
            if (!in_time) {
                break;
            }
        }
        memory.job.leave(generation);
        if (!over()) {
            collect();
        }
    }
    void monitor() {
        while (!over()) {
            while (event.exchange(0, std::memory_order_seq_cst) == 0) {
                event.wait(0, false);
            }
            if (memory.dead[0].exchange(0, std::memory_order_seq_cst) != 0) {
                words().recover(0, 0, 1, true);
                if (words().settle(0, task_status::failed) || words().all_final()) {
                    memory.job.mark(generation);
                    memory.job.ring();
                }
            }
            collect();
        }
    }
};

/// Two threads of the parent change something and ring: one that publishes jobs, and the monitor.
struct ringers_scenario : rl::test_suite<ringers_scenario, 3> {
    static constexpr std::uint32_t changes = 3;

    regatta::detail::basic_doorbell<atomics> bell;
    regatta::detail::basic_work_count<atomics> count;

    void thread(unsigned index) {
        if (index == 0) {
            for (std::uint32_t seen = 0; seen != changes;) {
                const std::uint32_t ticket = bell.announce();
                if (count.look() == seen) {
                    bell.sleep(ticket);
                }
                bell.awake();
                seen = count.look();
            }
            return;
        }
        for (unsigned i = 0; i < index; ++i) {
            count.add();
            bell.ring();
        }
    }
};

} // namespace

// Stores of the parent to two words that the worker sees the other way round.
constexpr const char* beyond_checker =
    "the checker orders the stores to one atomic as they are executed";

// The look after announce() could be older than the mark before ring().
constexpr const char* newest_by_seq_cst =
    "in the checker a seq_cst load sees the newest seq_cst store, also without this order";

int main() {
    return model::check(
        {model::make_scenario<pool_scenario<1, 2, false>>("two workers, two tasks"),
         model::make_scenario<pool_scenario<2, 2, false>>("two jobs, one after the other"),
         model::make_scenario<pool_scenario<1, 2, true>>("one dies somewhere"),
         model::make_scenario<pool_scenario<2, 1, true>>("one dies somewhere in two jobs"),
         model::make_scenario<pool_scenario<1, 2, true, task_status::failed>>(
             "one dies and its task is given up"),
         model::make_scenario<pool_scenario<1, 2, false, task_status::cancelled>>(
             "cancelled while it runs"),
         model::make_scenario<future_scenario<false>>("a wait for a future, or none in time"),
         model::make_scenario<future_scenario<true>>("a wait for a future, and a death"),
         model::make_scenario<ringers_scenario>("two threads ring")},
        {"task_words.hpp", "doorbell.hpp"},
        {{"modify work", "the cursor is a hint: what it names twice or not at all, a sweep finds"},
         {"modify awake", "one thread waits here; two at once need the read-modify-write"},
         {"modify ring -> relaxed", newest_by_seq_cst},
         {"load announce -> relaxed", beyond_checker}});
}
