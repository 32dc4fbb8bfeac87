// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The threads of an engine: how they come and go.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/placed_thread.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/core/detail/worker_loop.hpp>
#include <regatta/core/pool_options.hpp>

#include <exception>
#include <mutex>

namespace regatta::detail {

/// The workers of a pool, each with its thread.
///
/// What a thread does is given as `work(worker)`, noexcept and small: it is called on the thread
/// once that is in place, and returns when the worker has left.
///
/// Threads: any, for every member.
/// Blocks: what starts threads, until they are in place; `wait_for_leavers` and `join`.
template<class Source>
class worker_crew {
public:
    struct worker : basic_worker<typename Source::seat, std_atomics> {
        using basic_worker<typename Source::seat, std_atomics>::basic_worker;
        worker* launched_before = nullptr; ///< While they are awaited; for the thread that waits.
        placed_thread thread;              ///< Last: it uses all of the above.
    };
    using loop_type = basic_worker_loop<Source, worker, std_atomics>;

    /// Both arguments outlive it. The loop need not exist yet.
    worker_crew(loop_type& loop, const pool_options& options) noexcept
        : loop_(loop)
        , options_(options) {}
    worker_crew(const worker_crew&) = delete;
    worker_crew& operator=(const worker_crew&) = delete;

    /// Starts `count` workers, or none. Throws `std::system_error` if one cannot be started,
    /// `std::logic_error` if the pool is closed.
    template<class Work>
    REGATTA_APART void add(unsigned count, const Work& work) {
        const std::lock_guard lifecycle(lifecycle_);
        if (loop_.closed()) {
            fail_state(
                text_of({"cannot add threads to the pool '", options_.name, "': it is closed"}));
        }
        const unsigned kept = loop_.ask_to_stay(count); // Workers about to leave stay instead.
        REGATTA_TRY {
            launch(count - kept, work);
        }
        REGATTA_CATCH_ALL {
            members().ask_to_leave(kept);
            loop_.wake_all();
            REGATTA_RETHROW;
        }
        loop_.rested().notify_all();
    }
    /// Starts the first workers. None takes a task before all are started. If one cannot be
    /// started, all leave and `std::system_error` is thrown.
    template<class Work>
    REGATTA_APART void start(unsigned count, const Work& work) {
        loop_.hold(loop_type::starting);
        REGATTA_TRY {
            add(count, work);
        }
        REGATTA_CATCH_ALL {
            wait_for_leavers();
            {
                const std::lock_guard lifecycle(lifecycle_);
                next_index_ = 0;
            }
            loop_.release(loop_type::starting);
            REGATTA_RETHROW;
        }
        loop_.release(loop_type::starting);
    }
    /// Asks that many workers, or all there are, to leave after their current tasks. Does nothing
    /// in a closed pool, whose workers leave anyway.
    REGATTA_APART void remove(unsigned count) {
        const std::lock_guard lifecycle(lifecycle_);
        if (!loop_.closed()) {
            members().ask_to_leave(count);
            loop_.wake_all();
        }
    }
    /// Adds or removes workers until `count` are to stay. Fails as `add`.
    template<class Work>
    REGATTA_APART void resize(unsigned count, const Work& work) {
        const std::lock_guard resizing(resize_mutex_);
        const unsigned now = members().expected();
        if (count > now) {
            add(count - now, work);
        } else {
            remove(now - count);
        }
    }
    /// Waits until the workers that were asked to leave have left.
    REGATTA_APART void wait_for_leavers() {
        loop_.progress().wait([this] { return members().all_left(); });
    }
    /// Closes the loop. If tasks are to run and no worker is to stay, starts one for them. Throws
    /// `std::system_error` if it cannot be started.
    template<class Work>
    REGATTA_APART void close(bool discard, const Work& work) {
        const std::lock_guard lifecycle(lifecycle_);
        loop_.close(discard);
        if (!discard && members().expected() == 0 && !loop_.idle(false)) {
            launch(1, work);
        }
    }
    /// Waits until all threads of a closed loop have ended.
    REGATTA_APART void join() {
        const std::lock_guard lock(join_mutex_);
        wait_for_leavers();
        members().end([](worker& w) noexcept { w.thread.join(); });
    }

private:
    typename loop_type::members_type& members() noexcept { return loop_.members(); }

    /// Starts that many workers, which get into place at once: all are launched before the first is
    /// awaited. If one cannot be started the others are asked to leave, and the error of the first
    /// is thrown. Under `lifecycle_`, so that none is asked to leave meanwhile.
    template<class Work>
    REGATTA_APART void launch(unsigned count, const Work& work) {
        std::exception_ptr failure;
        worker* newest = nullptr;
        for (unsigned i = 0; i < count && failure == nullptr; ++i) {
            REGATTA_TRY {
                newest = &launch_next(newest, work);
            }
            REGATTA_CATCH_ALL {
                failure = std::current_exception();
            }
        }
        unsigned in_place = 0;
        while (newest != nullptr) {
            worker& w = *newest;
            newest = w.launched_before;
            REGATTA_TRY {
                w.thread.await_start();
                ++in_place;
            }
            REGATTA_CATCH_ALL {
                failure = std::current_exception();
                if (w.index + 1 == next_index_) {
                    next_index_ = w.index; // The next one is to be what this one was to be.
                }
                members().remove(w);
            }
        }
        if (failure != nullptr) {
            members().ask_to_leave(in_place);
            loop_.wake_all();
            std::rethrow_exception(failure);
        }
    }
    /// The thread of the next worker begins.
    template<class Work>
    REGATTA_APART worker& launch_next(worker* before, const Work& work) {
        worker& w = members().add(next_index_);
        w.launched_before = before;
        REGATTA_TRY {
            w.thread.launch({text_of({options_.name, "/", decimal(next_index_)}),
                             cpu_in_turn(options_.pin, next_index_), options_.cpus,
                             options_.schedule},
                            [work, &w]() noexcept { work(w); });
        }
        REGATTA_CATCH_ALL {
            members().remove(w);
            REGATTA_RETHROW;
        }
        ++next_index_;
        return w;
    }

    loop_type& loop_;
    const pool_options& options_;
    /// Held while workers are added or removed and while closing begins. No task runs under it.
    std::mutex lifecycle_;
    std::mutex resize_mutex_; ///< Held while resizing, so that two calls do not add up.
    std::mutex join_mutex_;   ///< Held while joining.
    unsigned next_index_ = 0; ///< The index of the next worker. Guarded by `lifecycle_`.
};

} // namespace regatta::detail
