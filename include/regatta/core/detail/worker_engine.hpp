// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The engine of every pool: threads that run the worker loop over a source of work.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/version.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/drop_scope.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/wait_graph.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/detail/worker_crew.hpp>
#include <regatta/core/detail/worker_loop.hpp>
#include <regatta/core/pool_options.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace regatta::detail {

/// Stands for "no worker of this pool".
inline constexpr unsigned outside = ~0u;

/// Threads that run the worker loop over a source, and the checks that refuse waits without end.
///
/// Threads: any, for every member.
/// Failure: misuse by a task of the same pool throws `std::system_error`
/// (`resource_deadlock_would_occur`).
///
/// I1: an accepted task is run, cancelled or dropped, exactly once; `close` and `discard` return
///     after that.
template<class Source>
class worker_engine {
public:
    using clock = std::chrono::steady_clock;

    /// Has no workers yet. Throws `std::invalid_argument` for a negative `spin`.
    /// @param owner the pool's own address. It tells a future whose workers may run its task.
    /// @param source outlives the engine, as do the options and the errors.
    /// @param deepest_help how many waits may nest on one worker. This bounds its stack.
    REGATTA_APART worker_engine(const void* owner, Source& source, const pool_options& options,
                                error_tally& errors, unsigned deepest_help)
        : pool_(owner)
        , source_(source)
        , options_(options)
        , errors_(errors)
        , deepest_help_(deepest_help)
        , blocks_(owner)
        , crew_(loop_, options)
        , loop_(source, options.steal, options.spin) {
        if (options.spin < std::chrono::nanoseconds::zero()) {
            fail_argument("pool_options::spin must not be negative");
        }
        loop_.forks().name_pool(options.name);
    }
    worker_engine(const worker_engine&) = delete;
    worker_engine& operator=(const worker_engine&) = delete;
    REGATTA_APART ~worker_engine() { finish(); }

    block_cache& blocks() noexcept { return blocks_; }
    /// The forks of the pool's tasks, and of threads that fork on the pool from outside.
    fork_team& forks() noexcept { return loop_.forks(); }

    /// The index of the calling worker, or `outside`.
    unsigned caller() const noexcept {
        const worker_context* const context = worker_context::current();
        return context != nullptr && context->pool == pool_ ? context->index : outside;
    }
    /// The index of the calling worker, or nothing; also from a module of the program that hides
    /// its names from the pool's.
    REGATTA_APART std::optional<unsigned> caller_index() const noexcept {
        if (elsewhere()) { // A thread that does not exist here may hold the lock of the store.
            return std::nullopt;
        }
        // A thread is a worker of one pool. So only where this is null another module may know it.
        const worker_context* own = worker_context::current();
        if (own == nullptr) {
            own = blocks_.store().find_worker();
        }
        return own != nullptr && own->pool == pool_ ? std::optional(own->index) : std::nullopt;
    }
    /// Whether a worker of this pool calls, also from a module of the program that hides its names
    /// from the pool's; not for every task.
    bool called_by_worker() const noexcept { return find_caller() != nullptr; }
    /// Whether the caller works for a region that was opened from outside.
    bool called_in_region() const noexcept {
        return fork_stack::current().works_for(loop_.forks());
    }

    /// Whether this process is a fork of the one with the pool's workers.
    bool elsewhere() const noexcept { return stamp_.elsewhere(); }
    /// Throws `std::system_error` (`no_such_process`) then. @param what as in `refuse_worker`.
    void refuse_fork(const char* what) const {
        if (process_stamp::in_fork()) [[unlikely]] {
            check_fork(what);
        }
    }
    /// Throws `std::system_error` (`resource_deadlock_would_occur`) if a worker calls.
    /// @param what the refused operation: "close the pool".
    REGATTA_APART void refuse_worker(const char* what) const {
        if (!elsewhere() && (called_by_worker() || called_in_region())) {
            fail_system(EDEADLK, text_of({what, " '", options_.name, "' in one of its tasks"}));
        }
    }

    // --- workers come and go ---------------------------------------------------------------------

    /// Starts `count` workers, or none. Throws `std::system_error` if one cannot be started,
    /// `std::logic_error` if the pool is closed.
    REGATTA_APART void add_workers(unsigned count) {
        refuse_fork("add threads to the pool");
        crew_.add(count, work());
    }
    /// Starts the first workers. None takes a task before all are started. If one cannot be
    /// started, all leave and `std::system_error` is thrown.
    REGATTA_APART void start(unsigned count) { crew_.start(count, work()); }
    /// Asks that many workers, or all there are, to leave after their current tasks. Does nothing
    /// in a closed pool, whose workers leave anyway, and in a fork, which has no workers.
    REGATTA_APART void remove_workers(unsigned count) {
        if (!elsewhere()) {
            crew_.remove(count);
        }
    }
    /// Adds or removes workers until `count` are to stay.
    REGATTA_APART void resize(unsigned count) {
        refuse_fork("change the threads of the pool");
        crew_.resize(count, work());
    }
    /// Waits until the workers that were asked to leave have left.
    REGATTA_APART void wait_for_leavers() {
        refuse_fork("wait for threads of the pool");
        refuse_worker("wait for threads of the pool");
        crew_.wait_for_leavers();
    }
    // These return 0 in a fork: there a thread that does not exist may hold the lock.
    /// The number of workers, those included that are about to leave.
    unsigned running() const noexcept { return elsewhere() ? 0 : members().running(); }
    /// The number of workers that are to stay.
    unsigned expected() const noexcept { return elsewhere() ? 0 : members().expected(); }
    /// The number of workers that have no task at the moment.
    unsigned resting() const noexcept { return elsewhere() ? 0 : members().resting(); }
    /// Where threads sleep until a resting worker finds a task, or until the number of workers
    /// changes.
    event_count& rested() noexcept { return loop_.rested(); }

    // --- tasks -----------------------------------------------------------------------------------

    /// Ensures that a worker looks for tasks that have been appended by a seq_cst operation.
    /// @param owner the worker in whose queue they are, or `outside`.
    void wake(unsigned owner = outside) noexcept { loop_.wake(owner); }

    /// If a worker calls: ends the jobs that are over in the queues that it appends to.
    void sweep() noexcept {
        if (caller() != outside) {
            sweep_for(*worker_context::current());
        }
    }

    /// Runs tasks until `settled()` holds. For a worker of this pool that must not sleep, since
    /// tasks bring about what it waits for.
    /// @param what the purpose of the wait, for the error text if waits nest too deep.
    template<class Settled>
    void help_until(const char* what, Settled&& settled) {
        const helper h(*this, what);
        loop_.help_until(h.me, settled);
    }

    /// Whether a worker of this pool calls that may nest no further wait.
    REGATTA_RARE bool helps_deepest() const noexcept {
        return worker_of(*find_caller()).helping >= deepest_help_;
    }
    /// Runs, in a worker of this pool, a task that no queue had room for. Calls `run(seat)`.
    /// @param what as in `help_until`; up to `deepest_run_here` such tasks may nest.
    template<class Run>
    void run_here(const char* what, Run&& run) {
        const helper h(*this, what, deepest_help_ + deepest_run_here);
        const fresh_coroutine_depth depth;
        run(h.me.seat);
    }

    /// Waits until no task waits or runs. @returns false if the deadline passed first.
    REGATTA_APART bool wait_idle(const clock::time_point* deadline) {
        refuse_fork("wait for the pool");
        refuse_dropped("wait for the pool");
        fork_stack& stack = fork_stack::current();
        if (stack.in_region()) [[unlikely]] {
            stack.share_all();
        }
        worker_context* const context = find_caller();
        if (context == nullptr) {
            return loop_.wait_idle(deadline);
        }
        const fork_member* const root = stack.region_root(loop_.forks());
        if (worker_of(*context).ground.in_hook || (root != nullptr && root->ground.in_hook)) {
            fail_system(EDEADLK, text_of({"wait for the pool '", options_.name,
                                          "' in on_start or on_stop"}));
        }
        const wait_graph::pool_wait level(*context, deadline != nullptr);
        const helper h(*this, "wait in a task");
        return loop_.help_until_idle(h.me, deadline);
    }
    /// Waits until every task that was appended before the call is done. Requires a source whose
    /// tasks are taken in the order in which they were appended.
    REGATTA_APART void drain() {
        refuse_fork("drain the pool");
        refuse_worker("drain the pool");
        refuse_dropped("drain the pool");
        loop_.drain();
    }
    bool idle() const noexcept { return loop_.idle(false); }

    /// Destroys a task unrun, not as a worker in its turn. @param drop does it; returns whether
    /// there was one. Call `count_dropped` once the source has counted it as finished.
    template<class Drop>
    REGATTA_RARE bool drop_one(Drop&& drop) noexcept {
        const drop_scope scope(pool_);
        return drop();
    }
    void count_dropped() noexcept { loop_.count_dropped(); }

    // --- pausing and ending ----------------------------------------------------------------------

    /// Stops workers from taking tasks until `resume`. Returns at once in a task, otherwise once no
    /// task runs. A task that waits for the pool still runs others.
    REGATTA_APART void pause() {
        refuse_fork("pause the pool");
        loop_.hold(loop_type::paused);
        if (!called_by_worker() && !called_in_region()) {
            loop_.await_rest();
        }
    }
    void resume() noexcept { loop_.release(loop_type::paused); }
    bool paused() const noexcept { return loop_.is_held(loop_type::paused); }

    /// Lets workers steal from that many following workers; 0: from none.
    void steal(unsigned reach) noexcept { loop_.steal(reach); }
    void steal_from_all() noexcept { loop_.steal(loop_.all); }

    bool closed() const noexcept { return loop_.closed(); }
    /// Refuses tasks from outside, runs the accepted ones, ends the workers. A second call does
    /// nothing. So does one in what a task runs when it is destroyed unrun, while the pool is being
    /// closed; before, it throws.
    void close() { end(false); }
    /// As `close`, but destroys the tasks that have not begun.
    REGATTA_APART void discard() { end(true); }
    /// As `close`, for destructors. If there is no worker and the system cannot start a thread, the
    /// tasks are destroyed unrun and the error sink is told.
    void finish() noexcept {
        REGATTA_TRY {
            close();
        }
        REGATTA_CATCH_ALL {
            errors_.report(std::current_exception());
            discard();
        }
    }

    // --- figures ---------------------------------------------------------------------------------

    /// Calls `use(worker, figures)` for each worker that is to stay.
    /// @returns the sum over all workers, past ones included; nothing in a fork of the process.
    template<class Use>
    worker_figures read(Use&& use) const {
        if (elsewhere()) {
            return {};
        }
        worker_figures present;
        worker_figures sum = members().read([&](const worker& w, bool leaves) {
            const worker_figures did = w.read();
            present += did;
            if (!leaves) {
                use(w, did);
            }
        });
        return sum += present;
    }
    std::uint64_t dropped() const noexcept { return loop_.dropped(); }

private:
    using worker = typename worker_crew<Source>::worker;
    using loop_type = typename worker_crew<Source>::loop_type;

    /// The context, on its stack, that makes the calling thread a worker.
    class seated_context : public worker_context {
    public:
        seated_context(const void* address, worker& w, wait_graph& waits, block_cache& blocks)
            : worker_context(address, w.index, &waits)
            , me(w)
            , magazine_(blocks) {}

        worker& me;
        worker_engine* engine = nullptr; ///< If its source can be swept.

    private:
        block_magazine magazine_;
    };

    /// A worker whose task runs other tasks while it waits.
    struct helper {
        REGATTA_RARE helper(worker_engine& engine, const char* what)
            : helper(engine, what, engine.deepest_help_) {}
        REGATTA_RARE helper(worker_engine& engine, const char* what, unsigned deepest)
            : me(worker_of(*engine.find_caller())) {
            if (me.helping >= deepest) {
                fail_system(EDEADLK, text_of({what, " of the pool '", engine.options_.name,
                                              "': at most ", decimal(deepest), " waits may nest"}));
            }
            ++me.helping;
        }
        helper(const helper&) = delete;
        helper& operator=(const helper&) = delete;
        ~helper() { --me.helping; }

        worker& me;
    };

    /// The hooks that the loop calls at both ends of a worker's life.
    struct hooks {
        worker_engine& engine;
        std::optional<seated_context> seat{};

        REGATTA_APART void on_start(worker& me) noexcept {
            seat.emplace(engine.pool_, me, engine.waits_, engine.blocks_);
            seat->forks = &engine.loop_.forks();
            seat->ground = &me.ground;
            engine.let_sweep(*seat);
            if constexpr (requires(Source & s) { s.settle(0u, 0u); }) {
                if (!engine.options_.pin.empty()) {
                    engine.source_.settle(me.index, platform::node_of_this_thread());
                }
            }
            call(engine.options_.on_start, me);
        }
        REGATTA_APART void on_stop(worker& me) noexcept { call(engine.options_.on_stop, me); }
        void gone(worker&) noexcept {
            fork_stack::current().leave_home();
            seat.reset();
        }

        REGATTA_APART void call(const std::function<void(unsigned)>& hook, worker& me) noexcept {
            if (hook) {
                me.ground.in_hook = true;
                REGATTA_TRY {
                    hook(me.index);
                }
                REGATTA_CATCH_ALL {
                    engine.errors_.report(std::current_exception());
                }
                me.ground.in_hook = false;
            }
        }
    };

    /// Bounds the stack of a worker. A recursion rarely goes that deep.
    static constexpr unsigned deepest_run_here = 256;

    /// What a worker's thread does.
    auto work() noexcept {
        return [this](worker& w) noexcept { loop_.work(w, hooks{*this}); };
    }
    const typename loop_type::members_type& members() const noexcept { return loop_.members(); }

    /// The worker of this pool that calls, or null; from any module of the program.
    worker_context* find_caller() const noexcept {
        worker_context* const own = worker_context::current();
        return own != nullptr && own->pool == pool_ ? own : blocks_.store().find_worker();
    }
    static worker& worker_of(worker_context& context) noexcept {
        return static_cast<seated_context&>(context).me;
    }
    REGATTA_RARE void check_fork(const char* what) const;
    /// Throws if the caller is what a task runs when it is destroyed unrun: it counts as done only
    /// afterwards.
    void refuse_dropped(const char* what) const {
        if (drop_scope::is_open(pool_)) [[unlikely]] {
            fail_system(EDEADLK, text_of({what, " '", options_.name,
                                          "' while one of its tasks is destroyed unrun"}));
        }
    }

    void let_sweep(seated_context& context) noexcept {
        if constexpr (requires { source_.most_overtaken(); }) {
            context.engine = this;
            context.most_overtaken = source_.most_overtaken();
            context.sweep = &sweep_for;
        }
    }
    static void sweep_for(worker_context& context) noexcept {
        if constexpr (requires(Source & s) { s.most_overtaken(); }) {
            auto& mine = static_cast<seated_context&>(context);
            const bool some = mine.engine->source_.sweep(
                mine.me.seat, mine.index, std::exchange(mine.overtaken, 0),
                [&]() noexcept { mine.engine->wake(); },
                [&](worker_turn turn) noexcept { mine.me.count(turn); });
            if (some) {
                mine.engine->wake();
            }
        }
    }

    REGATTA_APART void end(bool discard) {
        if (elsewhere()) { // Nobody is to run or to end; placed_thread leaves its thread alone.
            source_.abandon();
            loop_.forks().abandon();
            return;
        }
        if (closed() && (drop_scope::is_open(pool_) || drop_scope::is_open(&source_))) {
            return; // The end waits for the very task that calls.
        }
        refuse_worker("close or stop the pool");
        refuse_dropped("close or stop the pool");
        crew_.close(discard, work());
        loop_.release(loop_type::paused); // The workers look again.
        source_.tell_closed();
        if (discard) {
            // A worker that leaves may have looked for tasks for the last time.
            const drop_scope scope(pool_, true);
            source_.drop_all([this]() noexcept { loop_.count_dropped(); },
                             [this]() noexcept { return expected() == 0 && !idle(); });
        }
        crew_.join();
    }

    const void* const pool_;
    Source& source_;
    const pool_options& options_;
    const process_stamp stamp_;
    error_tally& errors_;
    const unsigned deepest_help_;
    block_cache blocks_;
    wait_graph waits_;

    worker_crew<Source> crew_;
    loop_type loop_; ///< Last: its workers use all of the above.
};

template<class Source>
void worker_engine<Source>::check_fork(const char* what) const {
    if (elsewhere()) {
        fail_system(ESRCH, text_of({what, " '", options_.name,
                                    "' in a fork of the process that has its threads"}));
    }
}

#if REGATTA_POOLS_LIBRARY

/// Tells headers of one version, with exceptions or without, and one layout of what they share with
/// the library, from others.
template<int Version, bool Exceptions, std::size_t... Sizes>
struct pools_library {
    REGATTA_POOLS_EXPORT static const bool fits_headers;
};
using this_pools_library =
    pools_library<version_major * 10000 + version_minor * 100 + version_patch,
                  REGATTA_EXCEPTIONS != 0, sizeof(pool_options), sizeof(block_store),
                  sizeof(block_magazine), sizeof(fork_team), sizeof(wait_graph)>;
#if !REGATTA_POOLS_DEFINITIONS
namespace {
/// With a library that was built from other headers the program does not link.
[[gnu::used]] const bool* const checked_pools_library = &this_pools_library::fits_headers;
} // namespace
#endif

#endif

} // namespace regatta::detail
