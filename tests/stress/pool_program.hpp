// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Random programs of one thread pool: outsiders, tasks, forks, coroutines and timers call it in
/// every way there is.

#include "pool_submitter.hpp"
#include "random_programs.hpp"
#include "support/pool_cases.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/fork.hpp>
#include <regatta/pool.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace library_test::pool_program {

using namespace std::chrono_literals;
using regatta::thread_pool;
using microseconds = std::chrono::microseconds;

struct mishap {};

/// Gives what it gets to the pool, and counts.
struct counting_executor {
    ledger& book;
    std::atomic<thread_pool*>& pool;
    std::atomic<std::uint64_t>& given;

    template<class F>
    void execute(F&& f) {
        ++given;
        pool.load()->execute(
            [e = entry(book), run = std::decay_t<F>(std::forward<F>(f))]() mutable {
                e.run();
                run();
            });
    }
    const void* home() const noexcept { return pool.load()->home(); }
};

/// What a program does with its pool, and what came of it.
struct world {
    world(dice& d, bool bounded)
        : capacity(bounded ? static_cast<unsigned>(d.roll(40)) : 0)
        , policy(capacity != 0 ? static_cast<unsigned>(d.roll(6)) : 0)
        , cancels(d.roll(2) == 0)
        , waits(d.roll(2) == 0) {}

    ledger book; ///< Of closures.
    std::stop_source stop;
    const unsigned capacity;
    const unsigned policy; ///< A value of `overflow`, or beyond; 0 without a capacity.
    const bool cancels;    ///< Tasks are cancelled.
    /// Whether tasks wait for the pool without a limit, or else forks wait. With both a wait could
    /// go round through a fork that another worker took, which nothing detects.
    const bool waits;
    std::atomic<thread_pool*> pool{nullptr};
    regatta::timer_scheduler* timers = nullptr;
    regatta::steady_pool* steady = nullptr;
    regatta::dynamic_pool* dynamic = nullptr;
    std::atomic<std::uint64_t> given{0}; ///< Tasks given to the pool.
    counting_executor counting{book, pool, given};
    std::atomic<std::uint64_t> perhaps{0};   ///< Continuations, which a pool may not get.
    std::atomic<std::uint64_t> cancelled{0}; ///< Tasks, by their futures.
    std::atomic<std::uint64_t> thrown{0};    ///< Where the error sink is told.
    std::atomic<std::uint64_t> errors{0};
    std::atomic<std::uint64_t> metered{0};
    std::atomic<int> hooks{0}; ///< Begun and not ended.
    std::array<std::atomic<int>, 2048> started{};
    std::mutex kept_mutex;
    std::vector<regatta::task> kept; ///< Handed over.

    /// Destroys what was handed over, unrun.
    void forget() {
        std::vector<regatta::task> all;
        {
            const std::lock_guard lock(kept_mutex);
            all.swap(kept);
        }
    }
    /// Whether what a worker is to run may run on another thread.
    bool diverts() const { return policy == 2 || policy == 4; }
};

/// The threads that may run a part of a program.
enum class by {
    outsider, ///< A thread that is no worker.
    worker,   ///< A worker, in a task.
    anybody
};
/// A point of a program, and who runs it.
struct place {
    world& in;
    point p;
    by who;
};
inline void run(const place& at);
inline void last_words(const place& at) noexcept;

/// Calls the pool when it is destroyed unrun.
class testament {
public:
    explicit testament(const place& at) noexcept : at_(at) {}
    testament(testament&& other) noexcept
        : at_(other.at_)
        , waits_(std::exchange(other.waits_, false)) {}
    testament& operator=(testament&&) = delete;
    ~testament() {
        if (waits_ && at_.p.draw(1, 4) == 0) {
            last_words(at_);
        }
    }
    const place& open() noexcept {
        waits_ = false;
        return at_;
    }

private:
    place at_;
    bool waits_ = true;
};

/// A task that runs a program. @param tells whether its exceptions reach the error sink.
template<std::size_t Bytes = 1>
auto closure(const place& from, std::uint64_t seed, bool tells) {
    const place at{from.in, {seed, from.p.depth - 1}, from.in.diverts() ? by::anybody : by::worker};
    return [e = entry(from.in.book), will = testament(at), tells,
            bytes = std::array<char, Bytes>{}]() mutable {
        static_cast<void>(bytes);
        e.run();
        const place here = will.open();
        run(here);
        if (here.p.throws()) {
            here.in.thrown += tells;
            throw mishap();
        }
    };
}

/// Runs what may fail as documented.
template<class F>
void attempt(F&& f) {
    try {
        f();
    } catch (const mishap&) {
    } catch (const regatta::task_rejected&) {
    } catch (const regatta::task_cancelled&) {
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur) << error.what();
    } catch (const std::logic_error&) { // The pool is closed, and gets no threads.
    }
}
inline void refused_in_a_task(void (*call)(thread_pool&), thread_pool& pool) {
    EXPECT_TRUE(would_deadlock([&] { call(pool); }));
}

/// What a fork does on whichever thread it runs.
inline void branch(const place& at, std::uint64_t seed) {
    world& in = at.in;
    thread_pool& pool = *in.pool;
    const place leaf{in, {seed, 1}, at.who};
    attempt([&] {
        switch (at.who == by::worker && !in.waits ? leaf.p.draw(3, 6) : 0) {
        case 1:
            ++in.given;
            return pool.execute(closure(leaf, seed, true));
        case 2:
            ++in.given;
            return pool.submit(closure(leaf, seed, false)).get();
        case 3:
            return static_cast<void>(pool.wait_for(microseconds(leaf.p.draw(4, 100))));
        case 4:
            return static_cast<void>(regatta::poll());
        default:
            ++in.given;
            // On a thread from outside it must wait for nothing: pause() waits for the fork.
            return static_cast<void>(pool.try_execute([e = entry(in.book)]() mutable { e.run(); }));
        }
    });
    if (leaf.p.draw(5, 40) == 0) {
        throw mishap();
    }
}

class actor {
public:
    explicit actor(const place& at) : at_(at), in_(at.in), pool_(*at.in.pool) {}

    /// Changes what can be changed while others submit.
    void change() {
        switch (draw(1, in_.dynamic != nullptr ? 14 : 6)) {
        case 0:
            return pool_.pause();
        case 1:
        case 2:
            return pool_.resume();
        case 3:
            return static_cast<void>(pool_.stats());
        case 4:
            return in_.steady == nullptr ? void()
                   : draw(2, 2) == 0
                       ? in_.steady->disable_stealing()
                       : in_.steady->enable_stealing(static_cast<unsigned>(draw(3, 3)));
        case 5:
            return static_cast<void>(pool_.queued());
        case 6:
        case 7:
            return in_.dynamic->resize(static_cast<unsigned>(draw(2, 5)));
        case 8:
        case 9:
            return in_.dynamic->remove_threads(1u + static_cast<unsigned>(draw(2, 2)));
        case 10:
            in_.metered += in_.dynamic->reset_tasks_taken();
            return;
        case 11:
            EXPECT_GE(in_.dynamic->tasks_per_second(), 0);
            return;
        default:
            if (in_.dynamic->running_threads() < 8) {
                in_.dynamic->add_threads(1u + static_cast<unsigned>(draw(2, 2)));
            }
        }
    }

private:
    std::uint64_t draw(std::uint64_t what, std::uint64_t sides) const {
        return at_.p.draw(step_ + what, sides);
    }
    template<std::size_t Bytes = 1>
    auto child(bool tells, std::uint64_t number = 0) {
        return closure<Bytes>(at_, draw(10 + number, ~0ull), tells);
    }
    auto several(bool tells) {
        std::vector<decltype(child(tells))> all;
        for (std::uint64_t i = draw(3, 30); i > 0; --i) {
            all.push_back(child(tells, i));
        }
        in_.given += all.size();
        return all;
    }
    regatta::task_options options() {
        regatta::task_options o(static_cast<regatta::priority>(draw(4, 3)));
        if (in_.cancels && draw(5, 3) == 0) {
            o.stop = in_.stop.get_token();
        }
        return o;
    }
    void groups() {
        auto all = pool_.submit_batch(several(false), options());
        if (in_.cancels && draw(6, 3) == 0) {
            in_.cancelled += all.cancel();
        }
        if (draw(7, 3) != 0) {
            static_cast<void>(all.wait_for(microseconds(draw(8, 100))));
            all.get();
        }
    }
    void futures() {
        ++in_.given;
        auto f = pool_.submit(options(), child<200>(false));
        if (in_.cancels && draw(6, 3) == 0 && f.cancel()) {
            ++in_.cancelled;
            EXPECT_THROW(f.get(), regatta::task_cancelled);
            return;
        }
        if (draw(7, 2) == 0) {
            static_cast<void>(f.wait_for(microseconds(draw(8, 100))));
        }
        draw(9, 3) != 0 ? f.get() : void();
    }
    void continuations() {
        ++in_.given;
        auto f = pool_.submit(child(false));
        if (draw(7, 2) == 0) {
            ++in_.perhaps;
            f = f.then(pool_, child(false, 1));
        } else {
            f = f.then(in_.counting, [] {});
        }
        f = f.then([] {});
        if (in_.cancels && draw(6, 3) == 0) {
            f.cancel();
        }
        f.get();
    }
    void forks() {
        const std::uint64_t seed = draw(6, ~0ull);
        switch (draw(7, 3)) {
        case 0:
            return regatta::join(
                pool_, [&] { branch(at_, seed); }, [&] { branch(at_, seed + 1); });
        case 1:
            return regatta::parallel_for(pool_, std::uint64_t{0}, draw(8, 20),
                                         [&](std::uint64_t i) { branch(at_, seed + i); });
        default: {
            regatta::task_scope scope(pool_);
            for (std::uint64_t i = draw(8, 8); i > 0; --i) {
                scope.spawn([&, i] { branch(at_, seed + i); });
            }
            return scope.wait();
        }
        }
    }
    void timers() {
        regatta::timer_scheduler& all = *in_.timers;
        const auto delay = microseconds(draw(6, 300));
        const auto call = [at = place{in_, {draw(8, ~0ull), at_.p.depth - 1}, by::anybody}] {
            run(at);
        };
        switch (draw(7, 4)) {
        case 0: {
            const auto id = all.every(delay + 50us, call, delay);
            return static_cast<void>(at_.who == by::outsider ? all.cancel_and_wait(id)
                                                             : all.cancel(id));
        }
        case 1:
            return static_cast<void>(all.cancel(all.after(delay, call)));
        default:
            return static_cast<void>(all.after(delay, call));
        }
    }
    /// What a task must not do.
    void misuse() {
        refused_in_a_task([](thread_pool& p) { p.close(); }, pool_);
        refused_in_a_task([](thread_pool& p) { p.stop(regatta::stop_mode::discard); }, pool_);
        if (in_.dynamic != nullptr) {
            refused_in_a_task(
                [](thread_pool& p) { static_cast<regatta::dynamic_pool&>(p).wait_for_threads(); },
                pool_);
        }
    }
    /// A coroutine, which may go on on a thread that refuses or drops it.
    static regatta::co_task<void> walk(place at, std::uint64_t step) {
        at.who = by::anybody;
        for (std::uint64_t i = at.p.draw(step + 30, 4); i > 0; --i) {
            entry e(at.in.book);
            if (at.p.draw(step + 30 + i, 2) == 0) {
                ++at.in.given;
                co_await at.in.pool.load()->schedule();
                e.run();
            } else {
                co_await regatta::schedule_on(at.in.counting);
            }
            ++at.in.given;
            auto f = at.in.pool.load()->submit(closure(at, at.p.draw(step + 40 + i, ~0ull), false));
            co_await std::move(f);
        }
    }

public:
    void act(std::uint64_t step) {
        step_ = step * 64 + 100;
        switch (draw(0, 18)) {
        case 0:
        case 1:
            ++in_.given;
            return pool_.execute(child(true));
        case 2:
            ++in_.given;
            return pool_.execute(options(), child<150>(true));
        case 3:
            ++in_.given;
            return static_cast<void>(pool_.try_execute(options(), child<500>(true)));
        case 4:
            return pool_.execute_batch(several(true), options());
        case 5:
            return groups();
        case 6:
        case 7:
            return futures();
        case 8:
            return continuations();
        case 9:
            return forks();
        case 10:
            return in_.waits ? pool_.wait()
                             : static_cast<void>(pool_.wait_for(microseconds(draw(2, 200))));
        case 11:
        case 12:
            return timers();
        case 13:
            return at_.who == by::worker     ? misuse()
                   : at_.who == by::outsider ? regatta::sync_wait(walk(at_, step_))
                                             : void();
        default:
            return change();
        }
    }

private:
    const place at_;
    world& in_;
    thread_pool& pool_;
    std::uint64_t step_ = 0;
};

inline void run(const place& at) {
    if (at.p.depth <= 0 || at.in.book.offered > 3000) {
        return;
    }
    actor a(at);
    for (std::uint64_t i = at.p.draw(6, 5); i > 0; --i) {
        attempt([&] { a.act(i); });
    }
}
inline void last_words(const place& at) noexcept {
    thread_pool& pool = *at.in.pool;
    attempt([&] {
        switch (at.p.draw(7, 4)) {
        case 0:
            ++at.in.given;
            return pool.execute([e = entry(at.in.book)]() mutable { e.run(); });
        case 1:
            ++at.in.given;
            return static_cast<void>(
                pool.try_execute([e = entry(at.in.book)]() mutable { e.run(); }));
        case 2:
            return static_cast<void>(pool.wait_for(20us));
        default:
            return static_cast<void>(pool.stats());
        }
    });
}

} // namespace library_test::pool_program
