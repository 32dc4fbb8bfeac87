// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The threads that share the forks of one pool.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_member.hpp>
#include <regatta/sync/backoff.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace regatta::detail {

/// The members of one pool's forks: its workers, and threads that open regions from outside.
///
/// Threads: any.
/// Blocks: to seat and unseat a member, for a lock.
///
/// I1: `quiet` is true only if, at some moment since the stamp, no region from outside was open.
template<class Atomics>
class REGATTA_POOLS_EXPORT basic_fork_team {
public:
    using member = basic_fork_member<Atomics>;
    using frame = basic_fork_frame<Atomics>;

    /// How long a worker that has run a fork looks for the next one, before it takes naps.
    static constexpr std::int64_t spin_ns = 50'000;
    /// The same if it had long nothing to do before that.
    static constexpr std::int64_t short_spin_ns = 3'000;
    static constexpr unsigned most_naps = 8;

    /// What the team asks of the pool. `pool` is passed to all.
    struct pool_calls {
        void* pool;
        void (*wake)(void*) noexcept; ///< Wakes a worker that sleeps, if any.
        bool (*sleeps)(void*,
                       unsigned worker) noexcept; ///< Whether that worker sleeps for certain.
        /// Wakes that worker if it sleeps. @returns false if perhaps it does not.
        bool (*wake_this)(void*, unsigned worker) noexcept;
        void (*left)(void*) noexcept;    ///< A region from outside has ended.
        bool (*refuses)(void*) noexcept; ///< Whether the pool is closed.
    };

    explicit basic_fork_team(const pool_calls& to_pool) noexcept : calls_(to_pool) {
        Atomics::kept_off_cpu::usual(); // Now, before a call has to know it.
    }
    basic_fork_team(const basic_fork_team&) = delete;
    basic_fork_team& operator=(const basic_fork_team&) = delete;
    ~basic_fork_team() {
        if (abandoned_) {
            return;
        }
        for (member* m = first_.load(std::memory_order_relaxed); m != nullptr;) {
            // acquire: partner is the release in end_region(), the last access to this team.
            for (basic_backoff<Atomics> pace; m->inside.load(std::memory_order_acquire);) {
                pace.pause_or_sleep();
            }
            member* const next = m->next;
            let_go(*m);
            m = next;
        }
    }

    /// In a fork of the process, before the destructor: threads that are in a region do not exist
    /// here, so nobody waits for them, and the members stay.
    void abandon() noexcept { abandoned_ = true; }

    /// What errors call the pool. The text outlives the team.
    void name_pool(const std::string& name) noexcept { pool_name_ = &name; }
    std::string pool_name() const { return pool_name_ != nullptr ? *pool_name_ : std::string(); }

    /// Tells teams apart, also those that are gone.
    std::uint64_t id() const noexcept { return id_; }

    // --- members ---------------------------------------------------------------------------------

    /// A member for the calling thread.
    REGATTA_APART member& seat() {
        const std::lock_guard lock(mutex_);
        for (member* m = first_.load(std::memory_order_relaxed); m != nullptr; m = m->next) {
            // acquire: partner is the release in let_go(), by the thread that had it before.
            if (m->holders.load(std::memory_order_acquire) == 1) {
                // relaxed: the lock keeps out others that want it; the team itself keeps it.
                m->holders.store(2, std::memory_order_relaxed);
                return *m;
            }
        }
        auto* const fresh = new member;
        fresh->next = first_.load(std::memory_order_relaxed);
        // release: partner is the acquire in first(); publishes the member.
        first_.store(fresh, std::memory_order_release);
        return *fresh;
    }
    /// One of the holders leaves.
    static void let_go(member& m) noexcept {
        // acq_rel: the last holder sees what the other did.
        if (m.holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete &m;
        }
    }

    /// Whether any thread has forked here.
    bool used() const noexcept { return first() != nullptr; }

    // --- regions from outside --------------------------------------------------------------------

    /// The number of region changes so far, or nothing while a region from outside is open.
    /// `but_for_waiting` leaves out those that wait for the pool.
    std::optional<std::uint64_t> quiet(bool but_for_waiting) const noexcept {
        std::uint64_t sum = 0;
        for (const member* m = first(); m != nullptr; m = m->next) {
            const auto seen = m->activity.observe_in_order();
            // acquire: partner is the release in wait_in().
            if (basic_quiescence<Atomics>::working(seen) &&
                (!but_for_waiting || m->waits.load(std::memory_order_acquire) == 0)) {
                return std::nullopt;
            }
            sum += seen;
        }
        return sum;
    }
    /// Waits until the regions that are open now have ended.
    template<class EventCount>
    REGATTA_APART void await_regions(EventCount& progress) {
        for (const member* m = first(); m != nullptr; m = m->next) {
            const auto seen = m->activity.observe_in_order();
            progress.wait([&] { return m->activity.passed(seen); });
        }
    }
    /// A thread that works for the region of that member waits for the pool.
    /// @param count `count(true)` says that the region waits, `count(false)` that it waits no more.
    template<class Count>
    void begin_wait(member& root, Count&& count) noexcept {
        // release: partner is the acquire in quiet(); publishes the tasks submitted before. Also
        // with the acquire and release in end_wait(): the calls of `count` follow one another.
        if (root.waits.fetch_add(1, std::memory_order_acq_rel) == 0) {
            count(true);
        }
        waiting_.fetch_add(1, std::memory_order_relaxed);
        calls_.left(calls_.pool); // The pool may now be idle for others that wait.
    }
    /// It waits no longer.
    template<class Count>
    void end_wait(member& root, Count&& count) noexcept {
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        // acquire: partner is the release below, of the thread that was last but one.
        for (std::uint32_t now = root.waits.load(std::memory_order_acquire);;) {
            // Before another thread can be the first: counted twice, the region would stand for a
            // task that is not done.
            const bool last = now == 1;
            if (last) {
                count(false);
            }
            // release: partner is the acquire in begin_wait() and above. acquire: as above.
            if (root.waits.compare_exchange_strong(now, now - 1, std::memory_order_acq_rel,
                                                   std::memory_order_acquire)) {
                return;
            }
            if (last) {
                count(true);
                calls_.left(calls_.pool); // The thread that came in between may sleep already.
            }
        }
    }
    bool anybody_waits() const noexcept {
        // relaxed: as in `basic_task_census`.
        return waiting_.load(std::memory_order_relaxed) != 0;
    }
    void begin_region(member& m) noexcept {
        // relaxed: the thread that destroys the team comes after this.
        m.inside.store(true, std::memory_order_relaxed);
        m.activity.enter();
    }
    /// From here on the team may be gone.
    void end_region(member& m) noexcept {
        m.activity.leave();
        calls_.left(calls_.pool);
        // release: partner is the acquire in the destructor.
        m.inside.store(false, std::memory_order_release);
    }
    bool refuses() const noexcept { return calls_.refuses(calls_.pool); }

    // --- work ------------------------------------------------------------------------------------

    /// Takes a published frame of any member, for a worker that has begun to help. If no member has
    /// one, asks them all for work.
    frame* take(std::int64_t now) noexcept {
        for (member* m = first(); m != nullptr; m = m->next) {
            if (m->offers()) {
                // Once more: the region may have been opened from outside after begin_help(). Who
                // sees its frame sees that.
                if (!may_help(helpers_.load(std::memory_order_relaxed))) {
                    return nullptr;
                }
                REGATTA_PREFETCH_WRITE(&watching_); // For end_watch().
                if (frame* const f = m->take(nullptr)) {
                    return f;
                }
            }
            m->ask(now);
        }
        return nullptr;
    }
    /// The same, of those that work for a region.
    frame* take_of(const void* region, std::int64_t now) noexcept {
        for (member* m = first(); m != nullptr; m = m->next) {
            if (m->region() == region) {
                if (frame* const f = m->take(region)) {
                    return f;
                }
                m->ask(now);
            }
        }
        return nullptr;
    }
    bool offers() const noexcept {
        for (const member* m = first(); m != nullptr; m = m->next) {
            if (m->offers()) {
                return true;
            }
        }
        return false;
    }
    /// Whether a region from outside is open.
    bool open_outside() const noexcept {
        for (const member* m = first(); m != nullptr; m = m->next) {
            if (basic_quiescence<Atomics>::working(m->activity.observe_in_order())) {
                return true;
            }
        }
        return false;
    }
    /// Whether any region is open.
    bool open() const noexcept {
        for (const member* m = first(); m != nullptr; m = m->next) {
            if (m->region() != nullptr) {
                return true;
            }
        }
        return false;
    }
    /// Whether a thread that has opened a region, or works for one, was last seen on that CPU.
    bool needs(int cpu) const noexcept {
        for (const member* m = first(); m != nullptr; m = m->next) {
            if (m->region() != nullptr && m->is_on(cpu)) {
                return true;
            }
        }
        return false;
    }
    /// Asks all members for work.
    void ask(std::int64_t now) noexcept {
        for (member* m = first(); m != nullptr; m = m->next) {
            m->ask(now);
        }
    }

    // --- those who look for work -----------------------------------------------------------------

    /// The number of workers of the pool.
    void add_width(int change) noexcept {
        width_.fetch_add(static_cast<std::uint32_t>(change), std::memory_order_relaxed);
    }
    unsigned width() const noexcept { return width_.load(std::memory_order_relaxed); }

    /// Whether that many workers may help at once: as many as the pool has, with the thread that
    /// has opened a region from outside as one of them.
    bool may_help(unsigned count) const noexcept {
        const unsigned all = width();
        // The first without a look at the members' lines. relaxed: see lent_.
        return count < all || count <= all - (all != 0 && open_outside() ? 1 : 0) +
                                           lent_.load(std::memory_order_relaxed);
    }
    /// A thread in a region blocks, or goes on: one more helper may run meanwhile.
    void lend(bool begins) noexcept {
        lent_.fetch_add(begins ? 1u : ~0u, std::memory_order_relaxed);
    }
    /// A worker begins to look for frames. @returns false if enough do.
    bool begin_help() noexcept {
        if (!may_help()) {
            return false;
        }
        if (!may_help(helpers_.fetch_add(1, std::memory_order_relaxed) + 1)) {
            end_help();
            return false;
        }
        return true;
    }
    /// Whether one more worker may begin to help.
    bool may_help() const noexcept {
        return may_help(helpers_.load(std::memory_order_relaxed) + 1);
    }
    /// Whether more help than may: they began before a region was opened from outside, or a thread
    /// that blocked goes on. None of them takes anything before one leaves.
    bool too_many_help() const noexcept {
        return !may_help(helpers_.load(std::memory_order_relaxed));
    }
    /// For a helper: whether a third thread helps or may begin to.
    bool has_others() const noexcept {
        // relaxed: a hint.
        return helpers_.load(std::memory_order_relaxed) > 1 || watching() != 0 || may_help();
    }
    void end_help() noexcept { helpers_.fetch_sub(1, std::memory_order_relaxed); }
    /// Whether a further worker would find something to look for.
    bool wants_help() const noexcept {
        return watching_.load(std::memory_order_relaxed) == 0 && (open() || offers()) && may_help();
    }

    /// A region was opened, or a frame was published that nobody asked for: some worker has to
    /// look.
    void call_watch() noexcept {
        if (nobody_watches()) [[unlikely]] {
            wake();
        }
    }
    /// For a thread that has opened a region or published a frame.
    bool nobody_watches() const noexcept {
        fence_.light(); // Partner: the fence in give_up_watch().
        return watching_.load(std::memory_order_relaxed) == 0;
    }
    /// A worker has taken a frame and watches no longer: another one does, if more may help.
    void hand_over_watch() noexcept {
        // Partner: the fence of a worker that announces its sleep. Either that one sees that nobody
        // watches, or this one sees that it helps no longer.
        fence_.full();
        if (watching_.load(std::memory_order_relaxed) == 0 && may_help()) {
            calls_.wake(calls_.pool);
        }
    }
    /// A worker that looked for anything to do has found a task: another one watches, if there is
    /// a region. Threads that called for a watch may have relied on this worker.
    void pass_on_watch() noexcept {
        // Partner: the fence in wake(). Either that thread sees that the worker looks no longer, or
        // this one sees the region.
        fence_.full();
        if (wants_help()) {
            calls_.wake(calls_.pool);
        }
    }
    /// A frame was published that is worth a wake-up: the worker that takes naps looks at once.
    void call_sleeper() noexcept {
        // Partner: the fence of a worker that announces its sleep. Either that one sees the frame,
        // or this one that it takes naps.
        fence_.full();
        const std::uint32_t worker = napping_.load(std::memory_order_relaxed);
        if (worker != nobody && !call_elsewhere(worker)) {
            calls_.wake_this(calls_.pool, worker);
        }
    }
    /// A worker was woken. If the system has put it on the CPU of the thread that called one, the
    /// next ones are woken elsewhere. @returns whether a thread has called one since the last time.
    bool note_call() noexcept {
        // relaxed, all: hints.
        const int caller = caller_cpu_.load(std::memory_order_relaxed);
        if (caller >= 0) {
            caller_cpu_.store(-1, std::memory_order_relaxed);
            if (caller == Atomics::this_cpu()) {
                Atomics::kept_off_cpu::due().store(64, std::memory_order_relaxed);
            }
        }
        return caller >= 0;
    }
    /// Wakes a worker, if one more may help. If not, one that helps looks for work once more before
    /// it sleeps, or passes on the watch.
    REGATTA_RARE void wake() noexcept {
        // Partner: the fence of a worker that announces its sleep, after it has ended its help.
        fence_.full();
        if (may_help() && !call_elsewhere(callee_.load(std::memory_order_relaxed))) {
            calls_.wake(calls_.pool);
        }
    }
    void begin_watch() noexcept { watching_.fetch_add(1, std::memory_order_relaxed); }
    /// A worker has taken a frame. It calls `hand_over_watch`.
    void end_watch() noexcept { watching_.fetch_sub(1, std::memory_order_relaxed); }
    /// A worker watches no longer. Before it sleeps, it looks once more after it has announced
    /// that; if it has found something else to do, it calls `pass_on_watch`.
    void give_up_watch() noexcept {
        if (watching_.fetch_sub(1, std::memory_order_relaxed) == 1) {
            fence_.heavy(); // Partner: the light fence in nobody_watches().
        }
    }
    /// How many workers look for frames.
    unsigned watching() const noexcept { return watching_.load(std::memory_order_relaxed); }
    /// One watcher may take naps; the others go to sleep. @returns whether the caller may.
    bool begin_naps(unsigned worker) noexcept {
        std::uint32_t none = nobody;
        if (!napping_.compare_exchange_strong(none, worker, std::memory_order_relaxed,
                                              std::memory_order_relaxed)) {
            return false;
        }
        may_be_called(worker);
        return true;
    }
    /// The calling worker is the one that threads wake which wake one on another CPU.
    void may_be_called(unsigned worker) noexcept {
        callee_.store(worker, std::memory_order_relaxed);
        callee_thread_.store(Atomics::this_thread_number(), std::memory_order_relaxed);
    }
    /// Whether one does.
    bool one_naps() const noexcept {
        // relaxed: a hint.
        return napping_.load(std::memory_order_relaxed) != nobody;
    }
    void end_naps() noexcept { napping_.store(nobody, std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t nobody = ~0u;

    /// If the last calls have put workers on the CPU of their callers: wakes that worker, if it
    /// sleeps, on another one. @returns whether it did.
    bool call_elsewhere(std::uint32_t worker) noexcept {
        // relaxed, all: hints.
        const int cpu = Atomics::this_cpu();
        caller_cpu_.store(cpu, std::memory_order_relaxed);
        auto& due = Atomics::kept_off_cpu::due();
        const std::uint32_t more = due.load(std::memory_order_relaxed);
        if (more == 0 || worker == nobody || !calls_.sleeps(calls_.pool, worker)) {
            return false;
        }
        due.store(more - 1, std::memory_order_relaxed);
        const typename Atomics::kept_off_cpu elsewhere(
            callee_thread_.load(std::memory_order_relaxed), cpu);
        return calls_.wake_this(calls_.pool, worker);
    }

    member* first() const noexcept {
        // acquire: partner is the release in seat().
        return first_.load(std::memory_order_acquire);
    }
    static std::uint64_t next_id() noexcept {
        static constinit std::atomic<std::uint64_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    const pool_calls calls_;
    const std::string* pool_name_ = nullptr;
    const std::uint64_t id_ = next_id();
    bool abandoned_ = false;        ///< Its other threads do not exist in this process.
    typename Atomics::mutex mutex_; ///< Held to change `first_` and the vacancy of members.
    /// The list of all members; it only grows. Written under the lock, read by all.
    typename Atomics::template atomic<member*> first_{nullptr};
    /// Written by the thread that adds or removes workers, read by all.
    typename Atomics::template atomic<std::uint32_t> width_{0};
    /// The workers that run frames or look for some. Written by them.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint32_t> helpers_{0};
    /// The threads in regions that wait for the pool. Written by them, read by workers.
    typename Atomics::template atomic<std::uint32_t> waiting_{0};
    /// The threads in regions that block. Written by them, read by workers. Relaxed: a hint.
    typename Atomics::template atomic<std::uint32_t> lent_{0};
    /// The workers that look for frames, or do so after a nap. Written by them, read by threads
    /// that open a region.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint32_t> watching_{0};
    /// Which of them takes naps, or `nobody`.
    typename Atomics::template atomic<std::uint32_t> napping_{nobody};
    /// The worker that last began to take naps, or else to work, and its thread. Written by it,
    /// read by threads that call it.
    typename Atomics::template atomic<std::uint32_t> callee_{nobody};
    typename Atomics::template atomic<std::int32_t> callee_thread_{0};
    /// Where the thread runs that last called a worker. Written by both.
    typename Atomics::template atomic<int> caller_cpu_{-1};
    [[no_unique_address]] typename Atomics::fence fence_;
};

} // namespace regatta::detail
