// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks that a full pond of Hipe refused, and the callback for them.

#include <regatta/compat/detail/hipe_task.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace hipe::detail {

/// Keeps the refused tasks and calls the callback.
///
/// While the callback runs, its thread sees the tasks of its own call. Threads that overflow a pond
/// at the same time do not see each other's tasks. The tasks that the callback leaves are kept
/// until the next overflow.
///
/// Threads: any; the callback runs on the submitting thread, under no lock, and possibly on several
/// at once.
/// Failure: `refuse` throws `std::runtime_error` without a callback, and passes on the callback's
/// exception.
class overflow {
public:
    using tasks = std::vector<util::SafeTask>;

    void set_callback(util::SafeTask callback) {
        auto shared = std::make_shared<util::SafeTask>(std::move(callback));
        const std::lock_guard lock(mutex_);
        callback_.swap(shared);
    }

    void refuse(tasks refused, const char* complaint) {
        std::list<call> mine; // Where there is no memory for it, the tasks end without the lock.
        mine.push_front({std::this_thread::get_id(), std::move(refused)});
        std::unique_lock lock(mutex_);
        if (callback_ == nullptr) {
            kept_.swap(mine.front().refused); // The earlier tasks end without the lock.
            lock.unlock();
            throw std::runtime_error(complaint);
        }
        const auto callback = callback_;
        calls_.splice(calls_.begin(), mine);
        const ended end{*this, calls_.begin()};
        lock.unlock();
        (*callback)();
    }

    tasks& pull() noexcept {
        const std::lock_guard lock(mutex_);
        for (call& c : calls_) {
            if (c.thread == std::this_thread::get_id()) {
                return c.refused;
            }
        }
        return kept_;
    }

private:
    struct call {
        std::thread::id thread;
        tasks refused;
    };
    /// Ends a call of the callback, even after an exception.
    struct ended {
        overflow& owner;
        std::list<call>::iterator which;

        ~ended() {
            std::list<call> over; // The earlier tasks end without the lock.
            const std::lock_guard lock(owner.mutex_);
            over.splice(over.begin(), owner.calls_, which);
            owner.kept_.swap(which->refused);
        }
    };

    std::mutex mutex_; ///< Guards the members below.
    std::shared_ptr<util::SafeTask> callback_;
    std::list<call> calls_; ///< The running callbacks, the innermost of a thread first.
    tasks kept_;
};

} // namespace hipe::detail
