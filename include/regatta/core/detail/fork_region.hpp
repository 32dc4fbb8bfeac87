// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which region a thread works for, from one point of its program to another.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_stack.hpp>

namespace regatta::detail {

/// A region on a team from construction to destruction. Inside one of the same team nothing
/// happens.
template<class Atomics>
class basic_fork_region {
    using stack = basic_fork_stack<Atomics>;

public:
    REGATTA_INLINE basic_fork_region(stack& s, typename stack::team& t) : stack_(s) {
        if (s.now_.seat == nullptr) {
            s.open(t);
            opened_ = true;
        } else if (s.now_.team != &t) [[unlikely]] {
            change(t);
        }
    }
    basic_fork_region(const basic_fork_region&) = delete;
    basic_fork_region& operator=(const basic_fork_region&) = delete;
    REGATTA_INLINE ~basic_fork_region() {
        if (opened_) {
            stack_.close();
            if (changed_) [[unlikely]] {
                stack_.restore(outer_.get());
                outer_.destroy();
            }
        }
    }

private:
    REGATTA_RARE void change(typename stack::team& t) {
        stack_.share_all();
        outer_.emplace();
        stack_.save(outer_.get(), false);
        stack_.now_.scope = outer_.get().scope; // What ends that ends this.
        REGATTA_TRY {
            stack_.open(t);
        }
        REGATTA_CATCH_ALL {
            stack_.restore(outer_.get());
            outer_.destroy();
            REGATTA_RETHROW;
        }
        opened_ = true;
        changed_ = true;
    }

    stack& stack_;
    raw_cell<typename stack::work> outer_; ///< Only if another team's region was open.
    bool opened_ = false;
    bool changed_ = false;
};

/// Sets the thread's region aside while it runs something that is no part of it.
template<class Atomics>
class basic_fork_aside {
    using stack = basic_fork_stack<Atomics>;

public:
    /// @param other_task whether that is another task, and not a part of the one whose region it
    /// is. A waiting task runs other ones; one that it waits for is a part of it.
    REGATTA_INLINE basic_fork_aside(stack& s, bool other_task) noexcept : stack_(s) {
        if (s.in_region() || (other_task && s.now_.below != nullptr)) [[unlikely]] {
            begin(other_task);
        }
    }
    basic_fork_aside(const basic_fork_aside&) = delete;
    basic_fork_aside& operator=(const basic_fork_aside&) = delete;
    REGATTA_INLINE ~basic_fork_aside() {
        if (begun_) [[unlikely]] {
            stack_.restore(outer_);
        }
    }

private:
    REGATTA_RARE void begin(bool other_task) noexcept {
        stack_.share_all();
        stack_.save(outer_, other_task);
        begun_ = true;
    }

    stack& stack_;
    typename stack::work outer_{};
    bool begun_ = false;
};

/// A worker's part in the regions of others, from construction to destruction. It has a place.
template<class Atomics>
class basic_fork_helping {
    using stack = basic_fork_stack<Atomics>;

public:
    basic_fork_helping(stack& s, typename stack::team& t, const void* region) noexcept : stack_(s) {
        s.take_seat(t);
        s.now_.newest = stack::work::root();
        s.now_.beat = &s.now_.seat->beat();
        s.now_.region = region;
        s.now_.seat->begin(region);
        // The work is split before it begins: its first piece may be long, or wait for another.
        s.now_.seat->demand();
    }
    basic_fork_helping(const basic_fork_helping&) = delete;
    basic_fork_helping& operator=(const basic_fork_helping&) = delete;
    ~basic_fork_helping() { stack_.leave_seat(); }

private:
    stack& stack_;
};

} // namespace regatta::detail
